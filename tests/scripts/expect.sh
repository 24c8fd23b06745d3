# Sourced by the tests of this folder: a scratch directory, and assertions that name what they expected.
# shellcheck shell=bash
scripts=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# says TEXT: the last output has a line with TEXT.   silent: it is empty.   code N: the last exit code was N.
says() { grep -qF -- "$1" "$scratch/output" || { fail "expected output with '$1', got:"; cat "$scratch/output"; }; }
never_says() { ! grep -qF -- "$1" "$scratch/output" || { fail "did not expect '$1' in:"; cat "$scratch/output"; }; }
silent() { [ ! -s "$scratch/output" ] || { fail "expected no output, got:"; cat "$scratch/output"; }; }
code() { [ "$status" -eq "$1" ] || { fail "expected exit code $1, got $status, with:"; cat "$scratch/output"; }; }
fail() { failures=$((failures + 1)); echo "FAILED: $it: $1"; }
it() { it=$1; }
finish() { [ $failures -eq 0 ] && echo "all passed"; exit $((failures > 0)); }
