# SPDX-License-Identifier: GPL-3.0-or-later
# contend replay: a trace under variants, copies and folded CPUs, and what is wrong with a command line. Experiments that read
# a trace go on only with the same one.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

trace=$source_dir/tests/data/traces/kbuild-6.18.perf-script.txt.xz

it "a trace runs under a variant of each kind and is written as an experiment is"
echo '{pcp_high: v6.6}' >v6.6.yaml
contend replay "$trace" --machine zen5-vm-2cpu --variant 'v6.16={pcp_high: v6.16}' --variant v6.6.yaml --why
status_is 0
out_has "replay of kbuild-6.18"
out_has "change: variant against v6.16"
out_has " v6.6 "
out_has "why: zone lock held to refill a pcp list"
for file in samples.csv summary.csv result.json table.txt; do
	is_there "results/kbuild-6.18-replay/$file"
done

it "both engines and any -j give the same bytes"
contend replay "$trace" --machine zen5-vm-2cpu -o one -j 1 --no-plots --quiet
status_is 0
contend replay "$trace" --machine zen5-vm-2cpu -o two -j 2 --no-plots --quiet --engine simgrid
status_is 0
for file in samples.csv summary.csv table.txt; do
	same_bytes one/$file two/$file
done

it "copies fill a machine, and what does not fit is folded"
for copies in 1 4 12; do
	contend replay "$trace" --machine zen5-vm-2cpu --copies 2 --no-plots -o folded
	status_is 0
	contend replay "$trace" --machine epyc-9654-2s --copies $copies --no-plots -o "copies-$copies" --set run.replications=1
	status_is 0
	grep -q "threads: $((2 * copies))" "copies-$copies/result.json" || complain "not $((2 * copies)) threads"
done
out_has "replay of kbuild-6.18, 12 copies"

it "a variant file is read as one of an experiment is"
echo '{pcp_hihg: v6.6}' >wrong.yaml
contend replay "$trace" --machine zen5-vm-2cpu --variant wrong.yaml
status_is 2
err_has "wrong.yaml:1:2: unknown key 'pcp_hihg'; did you mean 'pcp_high'?"
contend replay "$trace" --machine zen5-vm-2cpu --variant 'v={pcp_hihg: v6.6}'
status_is 2
err_has "--variant v={pcp_hihg: v6.6}:1:2: unknown key 'pcp_hihg'; did you mean 'pcp_high'?"
contend replay "$trace" --machine zen5-vm-2cpu --variant 'v={}' --variant 'v={}'
status_is 2
err_has "two variants are named 'v'"

it "what is missing or does not fit is said"
contend replay
status_is 2
err_has "name a trace"
contend replay "$trace"
status_is 2
err_has "say with --machine where"
contend replay nowhere.ctr --machine zen5-vm-2cpu
status_is 2
err_has "cannot read 'nowhere.ctr'"
contend replay "$trace" --machine zen5-vm-2cpw
status_is 2
err_has "unknown machine 'zen5-vm-2cpw'; did you mean 'zen5-vm-2cpu'?"
contend replay "$trace" --machine zen5-vm-2cpu --copies 3
status_is 2
err_has "3 copies need a CPU each; 'zen5-vm-2cpu' has 2"
contend replay "$trace" --machine zen5-vm-2cpu --pace fast
status_is 2
err_has "unknown value 'fast'; known: recorded, gaps, none"
contend replay "$trace" --machine zen5-vm-2cpu --copies 2 --zoneinfo "$source_dir/tests/data/traces/kbuild-6.18.zoneinfo.txt"
status_is 2
err_has "zoneinfo is about the recorded machine; copies are on another one"
[ ! -e results ] || [ "$(ls results)" = kbuild-6.18-replay ] || complain "something was written: $(ls results)"

it "a sweep goes on only with the trace that it began with"
xz -dc "$trace" >t.txt
cat >x.yaml <<END
machine: zen5-vm-2cpu
workload: {name: replay, trace: t.txt}
threads: 2
run: {replications: 2}
END
contend run x.yaml -o x --no-plots
status_is 0
contend run x.yaml -o x --no-plots --resume
status_is 0
err_has "all runs were made before"
sed -i '$d' t.txt
contend run x.yaml -o x --no-plots --resume
status_is 2
err_has "another configuration"
