#!/usr/bin/env bash
# scripts/steps.sh: a passing run, a failing one, one with something left out.
. "$(dirname "$0")/expect.sh"

run() {  # a script's text
  status=0
  printf 'set -euo pipefail\nlogs=%s/logs\n. %s/steps.sh\n%s\n' "$scratch" "$scripts" "$1" >"$scratch/script"
  bash "$scratch/script" >"$scratch/output" 2>&1 || status=$?
}

it "counts the steps that passed"
run 'step one "first" true
step two "second" echo hello
summary'
code 0; says "100% of the steps passed, 0 failed out of 2"; never_says hello

it "adds up what ctest counted"
run 'step one "first" echo "100% tests passed, 0 tests failed out of 41"'
code 0; says "41 tests"

it "stops at the first failure, shows the line that matters and names the log"
run 'step one "first" bash -c "echo x.cpp:3: error: no such thing; seq 1000; exit 3"
step two "second" echo hello'
code 1; says "x.cpp:3: error: no such thing"; says "one failed (first)"; says "logs/one.log"; says "0% of the steps passed"
never_says second

it "counts what is left out apart"
run 'step one "first" true
skip two "no compiler"
summary'
code 0; says "left out: no compiler"; says "0 failed out of 1, 1 left out"

it "prints times beside budgets, and more than that is no failure"
run 'budget=([one]=90 [two]=0 [total]=600)
step one "first" true
step two "second" sleep 1.1
step three "third" true
summary'
code 0; says "one            passed    0 s of 1 min 30 s"; says "of 0 s: OVER BUDGET"; says "of 10 min 00 s"; never_says "0 s of 10 min 00 s: OVER"

it "gives every step its turn within as many days as there are steps"
run 'for day in 20784 20785 20786; do step_of_day $day clang tidy mpi; done | sort | tr "\n" " "'
code 0; says "clang mpi tidy"

it "leaves no process behind"
run 'step one "first" true
jobs -p'
never_says "sleep"; [ "$(tail -n 1 "$scratch/output" | grep -c '^[0-9]*$')" -eq 0 ] || fail "a background job is left"

finish
