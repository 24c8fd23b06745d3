#!/usr/bin/env bash
# scripts/setup against a fake dpkg and apt: what it installs, when it stays silent, what it says when it cannot.
. "$(dirname "$0")/expect.sh"

fake() { mkdir -p "$scratch/bin"; printf '#!/bin/bash\n%s\n' "$2" >"$scratch/bin/$1"; chmod +x "$scratch/bin/$1"; }
# The fake system: $scratch/installed and $scratch/known list packages; apt-get writes its calls to $scratch/calls.
fake dpkg-query 'for p in "$@"; do grep -qx -- "$p" '"$scratch"'/installed && echo "ii  $p"; done; true'
fake apt-cache 'grep -qx -- "$2" '"$scratch"'/known && echo "$2 | 1 | here"; true'
fake apt-get 'echo "$@" >>'"$scratch"'/calls
install=; for a in "$@"; do case $a in install) install=1 ;; -*|update|*=*) ;; *) [ -n "$install" ] && echo "$a" >>'"$scratch"'/installed;; esac; done; true'
fake id 'echo "${FAKE_UID:-0}"'
for command in bash env dirname mktemp tail rm sed cat grep mkdir mv; do ln -s "$(command -v $command)" "$scratch/bin/$command"; done

everything=$(sed 's/#.*//; s/[[:space:]]//g; /^\[/d; /^$/d; s/^?//' "$scripts/packages.txt")
system() { printf '%s\n' "$1" >"$scratch/installed"; printf '%s\n' "$2" >"$scratch/known"; : >"$scratch/calls"; }
setup() {
  status=0
  env -i PATH="$scratch/bin" FAKE_UID="${uid:-0}" TMPDIR="$scratch" CHARM_ENGINES="${CHARM_ENGINES:-$scratch/none}" "$scratch/bin/bash" "$scripts/setup" "$@" \
    >"$scratch/output" 2>&1 || status=$?
}
called() { grep -qF -- "$1" "$scratch/calls" || { fail "expected a call of apt-get with '$1', got:"; cat "$scratch/calls"; }; }
not_called() { [ ! -s "$scratch/calls" ] || { fail "expected no call of apt-get, got:"; cat "$scratch/calls"; }; }

it "does nothing and says nothing where everything is there"
system "$everything" "$everything"; setup; code 0; silent; not_called

it "updates the lists and installs what is missing, without recommendations"
system "$(grep -v '^cmake$' <<<"$everything")" "$everything"; setup; code 0; says "installing cmake"
called update; called "install -y --no-install-recommends cmake"

it "installs nothing the second time"
: >"$scratch/calls"; setup; code 0; silent; not_called

it "installs only the groups that are named"
system "" "$everything"; setup build; code 0; called "cmake"
grep -q clang "$scratch/calls" && fail "clang was not asked for"

it "installs what nobody needs who does not ask for it only by its group's name"
grep -q torch "$scratch/calls" && fail "python3-torch was not asked for"
system "$(grep -v torch <<<"$everything")" "$everything"; setup; code 0; silent; not_called
setup training; code 0; called "python3-torch"
system "$(grep -v wiredtiger <<<"$everything")" "$everything"; setup; code 0; silent; not_called
setup oltp; code 0; called "libwiredtiger-dev"

it "lists what is missing and installs nothing"
system "" "$everything"; setup --list; code 1; says g++; not_called

it "goes on without optional packages that the distribution lacks, and names them"
system "" "$(grep -v 19 <<<"$everything")"; setup; code 0; says "has no clang-19"; called "cmake"
grep -q clang-19 "$scratch/calls" && fail "clang-19 does not exist and must not be asked of apt-get"

it "says which packages to install where it is neither root nor has sudo"
system "$(grep -v '^cmake$' <<<"$everything")" "$everything"
uid=1000; setup; code 1; says "missing cmake; run as root or install sudo, or: apt-get install cmake"; not_called

it "uses sudo where there is one"
fake sudo 'echo "sudo $*" >>'"$scratch"'/calls; exec "$@"'
setup; code 0; called "sudo env DEBIAN_FRONTEND=noninteractive apt-get"
rm "$scratch/bin/sudo"; uid=0

it "refuses a group that is not in the list"
setup nonsense; code 1; says "has no group 'nonsense'"

it "fetches engines only where they are asked for, and not where they are there"
system "$everything" "$everything"
fake npm 'echo "npm $*" >>'"$scratch"'/calls; exit 1'; fake uname 'echo x86_64'; fake python3 'exit 0'
setup; code 0; silent; not_called
CHARM_ENGINES=$scratch/engines setup engines; code 1; says "failed: npm pack"; called "npm pack"
: >"$scratch/calls"; CHARM_ENGINES=$scratch/engines setup --list engines; code 1; says duckdb; not_called
mkdir -p "$scratch/engines/duckdb"; touch "$scratch/engines/duckdb/"{libduckdb.so,tpch.duckdb_extension,tpcds.duckdb_extension}
sed -n 's/^duckdb_version=\([^ ]*\).*/\1/p' "$scripts/engines" >"$scratch/engines/duckdb/version"
: >"$scratch/calls"; CHARM_ENGINES=$scratch/engines setup engines; code 0; silent; not_called
rm "$scratch/bin/"{npm,uname,python3}

it "stops with apt's own words where the installation fails"
system "" "$everything"; fake apt-get 'echo "E: no route to host" >&2; exit 100'; setup; code 1; says "no route to host"

it "says what to do where there is no apt"
rm "$scratch/bin/apt-get"; setup; code 1; says "this system has no apt"

finish
