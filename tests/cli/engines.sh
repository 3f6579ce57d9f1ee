# SPDX-License-Identifier: GPL-3.0-or-later
# Every experiment of configs/, made small, gives the same samples on both engines, byte by byte.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

# What is over within microseconds; and builds and tests whose single operations take up to a second, on few CPUs.
run_small() { # ENGINE EXPERIMENT
	case $(basename "$2" .yaml) in
	batched-free-* | free-high) set -- "$@" --set threads=4 --set workload.user_pct=1 --set run.duration=1ms ;;
	free-high-iperf3-* | free-high-lmbench-tcp) set -- "$@" --set threads=4 --set run.duration=500us ;;
	vmalloc | vmalloc-counter) set -- "$@" --set run.duration=1ms ;;
	iperf3-replay) set -- "$@" --set load="4 copies" --set workload.copies=1 --set threads=2 ;;
	*) set -- "$@" --set run.duration=20us ;;
	esac
	engine=$1
	shift
	contend run "$@" --engine "$engine" -o "$engine" --no-plots --quiet --set run.replications=2 --set run.warmup=5us \
		--set run.min_operations=1
	status_is 0
}

for experiment in "$source_dir"/configs/experiments/*.yaml "$source_dir"/configs/demo.yaml; do
	it "$(basename "$experiment" .yaml) gives the same samples on both engines"
	run_small fast "$experiment"
	run_small simgrid "$experiment"
	same_bytes fast/samples.csv simgrid/samples.csv
	[ "$(wc -l <fast/samples.csv)" -gt 20 ] || complain "hardly any samples"
	grep -q '"engine": "fast"' fast/result.json || complain "the fast engine did not run"
	grep -q '"engine": "simgrid"' simgrid/result.json || complain "the reference did not run"
done
