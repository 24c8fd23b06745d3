# Sourced by scripts/demo and scripts/test: steps with a name, a time and a log, and a summary at the end.
# Invariant: a step's output is in $logs/NAME.log whether or not it is shown, and the first failing step ends the script.
# shellcheck shell=bash

declare -a step_names=() step_states=() step_seconds=()
declare -A budget=()  # seconds that a step may take on two cores, where the script that sources this says so; [total] for all
logs=${logs:-build/logs}
verbose=${verbose:-}
beat=

# jobs_for_memory: as many compilers as processors, but no more than fit in memory (about 1.5 GB for the largest file).
jobs_for_memory() {
  local processors free_kb by_memory
  processors=$(nproc)
  free_kb=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo)
  by_memory=$((${free_kb:-8000000} / 1500000))
  [ "$by_memory" -ge 1 ] || by_memory=1
  echo $((processors < by_memory ? processors : by_memory))
}

# step_of_day DAY NAME...: the one whose turn it is.
step_of_day() {
  local day=$1
  shift
  shift $((day % $#))
  echo "$1"
}

duration() {
  local seconds=$1
  if [ "$seconds" -ge 60 ]; then printf '%d min %02d s' $((seconds / 60)) $((seconds % 60)); else printf '%d s' "$seconds"; fi
}

# heartbeat LOG: while a step is quiet, its last line once a minute, so that a long build does not look dead.
heartbeat() {
  local waited=0
  trap 'kill $! 2>/dev/null; exit' TERM
  while sleep 60 & wait $!; do
    waited=$((waited + 60))
    printf '    … %s: %s\n' "$(duration $waited)" "$(tail -n 1 "$1" | tr '\r' '\n' | tail -n 1 | cut -c1-100)"
  done
}

# step NAME DESCRIPTION COMMAND...: runs the command, in silence unless verbose; ends the script where it fails.
step() {
  local name=$1 description=$2 log=$logs/$1.log start=$SECONDS status=0
  shift 2
  mkdir -p "$logs"
  printf '▸ %-14s %s\n' "$name" "$description"
  if [ -n "$verbose" ]; then
    "$@" 2>&1 | tee "$log" || status=$?
  else
    : >"$log"
    heartbeat "$log" & beat=$!
    trap 'kill $beat 2>/dev/null' EXIT
    "$@" >"$log" 2>&1 || status=$?
    kill "$beat" && wait "$beat" || true
    trap - EXIT
  fi
  step_names+=("$name") step_seconds+=($((SECONDS - start)))
  if [ $status -ne 0 ]; then
    step_states+=(FAILED)
    [ -n "$verbose" ] || show_failure "$log"
    summary
    printf '\n%s: %s failed (%s); the whole output is in %s\n' "$0" "$name" "$description" "$log" >&2
    exit 1
  fi
  step_states+=(passed)
  printf '  %-14s passed  %s\n' "" "$(duration $((SECONDS - start)))$(tests_in "$log")"
  tests_left_out "$log"
}

# skip NAME REASON: a step that this machine cannot do is said, and counted apart.
skip() {
  printf '▸ %-14s left out: %s\n' "$1" "$2"
  step_names+=("$1") step_states+=("left out") step_seconds+=(0)
}

# show_failure LOG: what the compiler, CMake or the failing tests said, and the end of the log.
show_failure() {
  {
    grep -nE '(^|[^a-z_])(error|Error|FAILED|undefined reference)( |:)|CMake Error|SUMMARY: |WARNING: ThreadSanitizer' "$1" | head -n 20
    grep -nE -A 12 '\*\*\*(Failed|Exception|Timeout)' "$1" | head -n 60
    printf '    …\n'
    tail -n 25 "$1"
  } | sed -E 's/ \.{8,}/ .../' | cut -c1-200 || true
}

tests_in() {
  local count
  count=$(sed -n 's/^[0-9]*% tests passed, [0-9]* tests failed out of \([0-9]*\).*/\1/p' "$1" | awk '{ n += $1 } END { if (n) print n }')
  [ -z "$count" ] || printf ', %s tests' "$count"
}

# tests_left_out LOG: those that this machine cannot do; ctest names them after those that failed.
tests_left_out() {
  sed -n -e 's/^[[:space:]]*[0-9]* - \([^ ]*\).* (Skipped)$/\1/p' -e 's/^left out: //p' "$1" | sort -u | sed 's/^/                 left out here: /'
  gtest_left_out "$1" | sort -u | sed 's/^/                 left out here: /'
}

# gtest_left_out LOG: where tests were not run by ctest, those that they left out, each with the reason on the line before.
gtest_left_out() {
  awk '/^\[  SKIPPED \] .* \([0-9]+ ms\)$/ { print $4 ": " reason } NF { reason = $0 }' "$1"
}

# beside_budget NAME SECONDS: the time and, where the step has one, its budget. More than that is said, and is no failure:
# budgets are for two cores that do nothing else.
beside_budget() {
  local allowed=${budget[$1]:-}
  duration "$2"
  [ -n "$allowed" ] || return 0
  printf ' of %s' "$(duration "$allowed")"
  [ "$2" -le "$allowed" ] || printf ': OVER BUDGET'
}

# summary: one line a step and, like ctest, what share of them passed.
summary() {
  local i passed=0 failed=0 skipped=0 total=0
  printf '\n'
  for i in "${!step_names[@]}"; do
    printf '%3d/%d  %-14s %-9s %s\n' $((i + 1)) ${#step_names[@]} "${step_names[i]}" "${step_states[i]}" \
      "$(beside_budget "${step_names[i]}" "${step_seconds[i]}")"
    case ${step_states[i]} in passed) passed=$((passed + 1)) ;; FAILED) failed=$((failed + 1)) ;; *) skipped=$((skipped + 1)) ;; esac
    total=$((total + step_seconds[i]))
  done
  printf '\n%d%% of the steps passed, %d failed out of %d' $((100 * passed / (passed + failed))) $failed $((passed + failed))
  [ $skipped -eq 0 ] || printf ', %d left out' $skipped
  printf '; %s\n' "$(beside_budget total $total)"
}
