#!/usr/bin/env bash
# Checks one model with spin: check.sh holds|fails|lives|starves MODEL.pml [-DNAME[=VALUE]...]
# "holds": all states are reached and none is wrong. "fails": a wrong one is found. "lives" and "starves": the same for
# what the model says of all fair runs. Anything else (a model that spin does not take, memory or depth that does not
# suffice) is an error either way.
set -euo pipefail
expected=$1 model=$(realpath "$2")
shift 2
work=$(mktemp -d "${TMPDIR:-/tmp}/charm-model.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
spin -a "$@" "$model" >generate.log 2>&1 || { cat generate.log; exit 1; }
# States compressed; a search that outgrows depth or memory says so and is no proof.
case $expected in
  lives | starves) kind=-DNFAIR=4 search=(-a -f) ;;
  *) kind=-DSAFETY search=() ;;
esac
"${CC:-cc}" -O2 -w "$kind" -DCOLLAPSE -DMEMLIM=3000 -o pan pan.c
./pan -m1000000 "${search[@]}" >search.log 2>&1 || { cat search.log; exit 1; }
grep -E 'errors:|states, stored|pan:|elapsed' search.log
! grep -qE 'max search depth too small|Search not completed: out of|out of memory' search.log || exit 1
case $expected in
  holds | lives) grep -q 'errors: 0$' search.log && ! grep -q 'Search not completed' search.log ;;
  fails | starves) grep -qE 'errors: [1-9]' search.log ;;
  *) exit 1 ;;
esac
