#!/usr/bin/env bash
# The bar of `charm run`: a program that has the machine to itself is never more than 2 % slower under it than without.
# Each case is one that once was: short jobs and threads, bursts after pauses, builds inside of a script, pools that are
# made after serial work. Measured by `charm compare`; believe it only where no noise is told. The amount of work is
# calibrated at the start, so that a case takes two seconds or so on the machine at hand: the start of `charm run` takes
# some milliseconds, which is another bar (bench-run). 15 pairs of a case take about a minute.
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

for tool in make python3 xargs; do
  command -v "$tool" > /dev/null || { echo "bars.sh: $tool is missing; install it" >&2; exit 2; }
done
for target in charm compare-spin; do
  [ -x "$build/$target" ] || {
    echo "bars.sh: $build has no $target; ninja -C $build charm compare-spin builds it" >&2
    exit 2
  }
done
python=$(python3 -c 'import sys; print(sys.executable)')  # the interpreter, where python3 is a script that finds it
spin=$build/compare-spin

# How much work takes so long here: steps of compare-spin for a job of 40 ms, hashes of 1 MiB for a thread of 30 ms.
read -r steps hashes < <("$python" - "$spin" <<'PY'
import hashlib, subprocess, sys, time
def seconds(run):
    def once():
        begun = time.monotonic()
        run()
        return time.monotonic() - begun
    return min(once() for _ in range(7))
def spin(steps): return lambda: subprocess.run([sys.argv[1], str(steps)], stdout=subprocess.DEVNULL, check=True)
data = bytes(1 << 20)
few, many = seconds(spin(2000)), seconds(spin(22000))  # the difference is without the start of the program
print(round(0.04 / (max(many - few, 1e-3) / 20000)), max(1, round(0.03 / seconds(lambda: hashlib.sha256(data).digest()))))
PY
)
jobs=40 tasks=50  # for each cpu: about two seconds
echo "a job of 40 ms: $steps steps of compare-spin, $jobs for each cpu; a thread of 30 ms: $hashes MiB hashed, $tasks for each cpu"

# What the cases run.
printf '%s\n' '#!/bin/sh' "exec '$spin' $steps > /dev/null" > job
cat > threads.py <<'PY'
# A thread for each task: short ones that compute outside of the interpreter's lock, as many at a time as there are cpus.
import hashlib, os, sys, threading
data = bytes(1 << 20)
count, hashes = int(sys.argv[1]), int(sys.argv[2])
def task():
    for _ in range(hashes): hashlib.sha256(data).digest()
gate = threading.Semaphore(len(os.sched_getaffinity(0)))
def run():
    task()
    gate.release()
threads = []
for _ in range(count):
    gate.acquire()
    threads.append(threading.Thread(target=run))
    threads[-1].start()
for thread in threads: thread.join()
PY
cat > pool.py <<'PY'
# Serial work for longer than a second, then a pool of processes as large as the machine, as the program sees it then.
import hashlib, multiprocessing, os, sys
data = bytes(1 << 20)
def task(hashes):
    for _ in range(hashes): hashlib.sha256(data).digest()
if __name__ == '__main__':
    hashes, cpus = int(sys.argv[1]), len(os.sched_getaffinity(0))
    task(40 * hashes)
    with multiprocessing.Pool(cpus) as pool: pool.map(task, [2 * hashes] * (12 * cpus), 1)
PY
printf 'all: %s\n%%.done:\n\t@sh job; sh job\n' "$(seq -s ' ' -f '%g.done' $((jobs * cpus / 2)))" > Makefile
chmod +x job
declare -A cases=(
  [jobs]="seq $((jobs * cpus)) | xargs -P$cpus -I{} sh job"
  [threads]="$python threads.py $((tasks * cpus)) $hashes"
  [bursts]="for i in 1 2; do seq $((4 * cpus)) | xargs -P$cpus -I{} sh job; sleep 1; done"
  [build]="make -s -j$cpus"
  [pool]="$python pool.py $hashes"
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
  "$python" - "$name" "$code" <<'PY' || failed=1
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
