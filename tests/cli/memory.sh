# SPDX-License-Identifier: GPL-3.0-or-later
# The largest machine there is, all of its CPUs at work, in the memory of a small one.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

max_rss=$(dirname "$program")/tests/cli/max_rss
limit_mib=300

cat >all-cpus.yaml <<'END'
title: all CPUs of the largest machine, once per workload
machine: epyc-9965-2s
workload: {name: pread, filesystem: tmpfs}
variants:
  pread: {refcount: cas}
  atomics: {workload: {name: atomics, operation: cas-loop}}
run: {warmup: 20us, duration: 200us, min_operations: 4, replications: 1}
END

it "the largest machine has 768 CPUs, and without threads all of them work"
contend check "$source_dir/configs/machines/epyc-9965-2s.yaml"
status_is 0
out_has "768 CPUs"

it "768 CPUs run in less than $limit_mib MiB, with one worker process and with two"
for workers in 1 2; do
	with_command "$max_rss" kib "$program" run all-cpus.yaml -o "out$workers" -j $workers --no-plots
	status_is 0
	out_has "pread"
	# the starting process and its workers together take no more than this
	mib=$(($(cat kib) * (workers + 1) / 1024))
	[ "$mib" -lt "$limit_mib" ] || complain "$mib MiB"
	[ "$mib" -gt 0 ] || complain "nothing was measured"
done
if grep -q __asan_init "$program"; then
	complaints=
	skip "AddressSanitizer needs memory of its own"
fi

it "workers of a run of 768 CPUs agree"
same_bytes out1/samples.csv out2/samples.csv

it "the tool that measures memory sees a process that takes it"
with_command "$max_rss" kib sh -c 'dd if=/dev/zero of=/dev/null bs=64M count=1'
status_is 0
[ "$(cat kib)" -gt 65536 ] || complain "64 MiB were read, $(cat kib) KiB were seen"
