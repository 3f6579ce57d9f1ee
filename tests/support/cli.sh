# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Sourced by tests of the command line. A script is a list of cases:
#
#	it "says what a case shows, as a sentence"
#	contend check bad.yaml          # runs it; status, out and err are kept
#	status_is 2
#	err_has "bad.yaml:3:1: unknown key 'relicas'"
#
# Scripts run in a directory of their own that is gone afterwards, and print TAP.
set -u

source_dir=$(cd "$(dirname "$0")/../.." && pwd)
program=${CONTEND:-$source_dir/build/contend}
work=$(mktemp -d)
chmod 755 "$work" # cases under another user must reach it
cd "$work" || exit 1
mkdir "$work/.case"
nr_cases=0
nr_failed=0
title=
complaints=
skip_reason=
export NO_COLOR=1

finish_case() {
	[ -n "$title" ] || return 0
	nr_cases=$((nr_cases + 1))
	if [ -n "$complaints" ]; then
		nr_failed=$((nr_failed + 1))
		printf 'not ok %d - %s\n%s' "$nr_cases" "$title" "$complaints"
	elif [ -n "$skip_reason" ]; then
		printf 'ok %d # SKIP %s: %s\n' "$nr_cases" "$title" "$skip_reason"
	else
		printf 'ok %d - %s\n' "$nr_cases" "$title"
	fi
	title=
	complaints=
	skip_reason=
}

finish_script() {
	finish_case
	echo "1..$nr_cases"
	cd /
	rm -rf "$work"
	[ "$nr_failed" -eq 0 ] || exit 1
}
trap finish_script EXIT
trap 'exit 130' INT TERM

it() {
	finish_case
	title=$1
}

# The rest of the case cannot run here, because...
skip() {
	skip_reason=$1
}

complain() {
	complaints="$complaints# $1
"
}

# Run the program. Nothing of the outcome is judged here.
contend() {
	"$program" "$@" >"$work/.case/out" 2>"$work/.case/err" </dev/null
	status=$?
}

# Run any command with the same bookkeeping: with_command timeout 5 "$program" ...
with_command() {
	"$@" >"$work/.case/out" 2>"$work/.case/err" </dev/null
	status=$?
}

status_is() {
	[ "$status" -eq "$1" ] || complain "exit status $status, not $1: $(head -n 3 "$work/.case/err")"
}

# contains FILE WHAT TEXT
contains() {
	grep -qF -- "$3" "$1" || complain "$2 lacks: $3
# it is: $(head -c 600 "$1" | tr '\n' '~')"
}

out_has() {
	contains "$work/.case/out" "standard output" "$1"
}

err_has() {
	contains "$work/.case/err" "standard error" "$1"
}

out_is_empty() {
	[ ! -s "$work/.case/out" ] || complain "standard output is not empty: $(head -n 1 "$work/.case/out")"
}

err_is_empty() {
	[ ! -s "$work/.case/err" ] || complain "standard error is not empty: $(head -n 1 "$work/.case/err")"
}

out_lacks() {
	! grep -qF -- "$1" "$work/.case/out" || complain "standard output has: $1"
}

is_absent() {
	[ ! -e "$1" ] || complain "$1 was written"
}

is_there() {
	[ -s "$1" ] || complain "$1 is missing or empty"
}

file_has() {
	contains "$1" "$1" "$2"
}

same_bytes() {
	cmp -s "$1" "$2" || complain "$1 and $2 differ: $(cmp "$1" "$2" 2>&1)"
}

# A machine of 2 sockets x 1 node x 2 clusters x 2 cores x 1 thread = 8 CPUs, into FILE
write_machine() {
	cat >"$1" <<-'END'
		description: eight CPUs for tests
		topology: {sockets: 2, nodes_per_socket: 1, clusters_per_node: 2, cores_per_cluster: 2, smt: 1}
		transfer: {core_ns: 10, cluster_ns: 30, socket_ns: 90, remote_ns: 180}
		core: {load_hit_ns: 1, atomic_hit_ns: 5, store_hit_ns: 1, base_clock: 2GHz}
		memory: {per_node: 1GiB, local_ns: 90, remote_ns: 140}
	END
}

# A quick experiment on that machine, into FILE: 2 variants x 3 points x 2 replications
write_experiment() {
	write_machine "$(dirname "$1")/machine.yaml"
	cat >"$1" <<-'END'
		title: a small test
		machine: machine.yaml
		workload: {name: pread, filesystem: tmpfs, bytes: 64}
		variants:
		  vanilla: {refcount: cas}
		  patched: {refcount: fetch-add}
		baseline: vanilla
		sweep: {threads: [1, 4, 8]}
		run: {warmup: 10us, duration: 50us, replications: 2, seed: 1}
	END
}
