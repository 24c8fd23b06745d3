#!/usr/bin/env bash
# Both bars of `charm compare` with a real program: how often it finds no difference between a program and itself, and how
# often a slowdown of 5 percent. Run it on a quiet machine, and believe it only where no noise is told.
#   bench/compare/bars.sh [BUILD [TRIALS [RUNS [WORK]]]]
set -euo pipefail
build=${1:-build/release} trials=${2:-100} runs=${3:-15} work=${4:-20000}
more=$(awk -v work="$work" 'BEGIN { print work * 1.05 }')
declare -A same=() slower=()
noisy=0
for ((i = 1; i <= trials; i++)); do
  for b in "$work" "$more"; do
    code=0
    said=$("$build/charm" compare -q --runs "$runs" --seed "$i" -- "$build/compare-spin" "$work" \
      -- "$build/compare-spin" "$b") || code=$?
    if [[ $said == *$'\nnoise: '* ]]; then noisy=$((noisy + 1)); fi
    if [[ $b == "$work" ]]; then same[$code]=$((${same[$code]:-0} + 1)); else slower[$code]=$((${slower[$code]:-0} + 1)); fi
  done
done
echo "itself:       ${same[0]:-0} of $trials no difference, ${same[1]:-0} slower, ${same[3]:-0} faster, ${same[4]:-0} cannot tell"
echo "5 % slower:   ${slower[1]:-0} of $trials found, ${slower[0]:-0} no difference, ${slower[3]:-0} faster, ${slower[4]:-0} cannot tell"
echo "noise told:   in $noisy of $((2 * trials)) comparisons"
