# SPDX-License-Identifier: GPL-3.0-or-later
# Every experiment of configs/, made small, gives the same samples on both engines, byte by byte.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

run_small() { # ENGINE EXPERIMENT
	contend run "$2" --engine "$1" -o "$1" --no-plots --quiet --set run.replications=2 --set run.warmup=5us \
		--set run.duration=20us --set run.min_operations=1
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
