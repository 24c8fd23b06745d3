#!/usr/bin/env bash
# The bar of `charm run`: a program that has the machine to itself is never more than 2 % slower under it than without.
# Each case is one that once was: short jobs and threads, bursts after pauses, builds inside of a script, pools that are
# made after serial work. Measured by `charm compare`; believe it only where no noise is told. A case takes one to three
# seconds on two cores of 2.5 GHz, so 15 pairs of one take about a minute.
#   bench/run/bars.sh [BUILD [PAIRS [CASE...]]]
set -euo pipefail
build=$(realpath "${1:-build/release}") pairs=${2:-15}
shift $(($# < 2 ? $# : 2))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
CHARM_SHARE=$work/table
export CHARM_SHARE  # its own table of leases: alone, whoever else uses the machine
cpus=$(nproc)

# What the cases run; compare-spin takes thousands of steps, of which a core makes a million or so in a millisecond.
printf '%s\n' '#!/bin/sh' "exec '$build/compare-spin' 30000 > /dev/null" > job
cat > threads.py <<'PY'
# A thread for each task: short ones that compute outside of the interpreter's lock, as many at a time as there are cpus.
import hashlib, os, sys, threading
data = bytes(1 << 20)
def task():
    for _ in range(6): hashlib.sha256(data).digest()
gate = threading.Semaphore(len(os.sched_getaffinity(0)))
def run():
    task()
    gate.release()
threads = []
for _ in range(int(sys.argv[1])):
    gate.acquire()
    threads.append(threading.Thread(target=run))
    threads[-1].start()
for thread in threads: thread.join()
PY
cat > pool.py <<'PY'
# Serial work for longer than a second, then a pool of processes as large as the machine, as the program sees it then.
import hashlib, multiprocessing, os, time
data = bytes(1 << 20)
def task(_):
    for _ in range(12): hashlib.sha256(data).digest()
if __name__ == '__main__':
    for _ in range(150): hashlib.sha256(data).digest()
    with multiprocessing.Pool(len(os.sched_getaffinity(0))) as pool: pool.map(task, range(8 * len(os.sched_getaffinity(0))), 1)
PY
printf 'all: %s\n%%.done:\n\t@sh job; sh job\n' "$(seq -s ' ' -f '%g.done' $((8 * cpus)))" > Makefile
for tool in make python3 xargs; do
  command -v "$tool" > /dev/null || { echo "bars.sh: $tool is missing; install it" >&2; exit 2; }
done
chmod +x job
declare -A cases=(
  [jobs]="seq $((16 * cpus)) | xargs -P$cpus -I{} sh job"
  [threads]="python3 threads.py $((20 * cpus))"
  [bursts]="for i in 1 2; do seq $((4 * cpus)) | xargs -P$cpus -I{} sh job; sleep 1; done"
  [build]="make -s -j$cpus"
  [pool]="python3 pool.py"
)
selected=("$@")
[ ${#selected[@]} -gt 0 ] || selected=(jobs threads bursts build pool)
failed=0
for name in "${selected[@]}"; do
  command=${cases[$name]:-}
  [ -n "$command" ] || { echo "bars.sh: there is no case '$name'; take one of ${!cases[*]}" >&2; exit 2; }
  code=0
  "$build/charm" compare -q --runs "$pairs" --threshold 2 --json --name bare --name charm \
    -- sh -c "$command" -- "$build/charm" run -q sh -c "$command" > said.json || code=$?
  python3 - "$name" "$code" <<'PY' || failed=1
import json, sys
name, code = sys.argv[1], int(sys.argv[2])
if code == 2: sys.exit(f'{name}: it could not be measured')
said = json.load(open('said.json'))
wall = said['comparisons'][0]['wall']
cpu = said['comparisons'][0]['cpu']  # of all processes, charm's own included: what the host takes away is not in it
bare = said['programs'][0]['median_wall_s']
least = [program['min_wall_s'] for program in said['programs']]  # the least disturbed run of each
slower = code == 1
print(f"{name:8} {bare:7.3f} s bare; under charm run {100 * (wall['ratio'] - 1):+5.1f} % "
      f"(95 %: {100 * (wall['low95'] - 1):+.1f} to {100 * (wall['high95'] - 1):+.1f}; "
      f"the shortest runs {100 * (least[1] / least[0] - 1):+.1f}; "
      f"cpu time {100 * (cpu['ratio'] - 1):+.1f}): "
      f"{'MORE THAN 2 % SLOWER' if slower else 'within the bar' if code != 4 else 'cannot tell'}")
for line in said['disturbances'][:2]: print(f'         noise: {line}')
sys.exit(slower)
PY
done
exit $failed
