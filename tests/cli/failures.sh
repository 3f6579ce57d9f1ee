# SPDX-License-Identifier: GPL-3.0-or-later
# Runs that die, Ctrl-C, a full disk: what was finished is kept, what was not is said.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

# Two runs that would last for hours (they are started first) and four short ones.
write_endless() {
	write_experiment "$1"
	sed -i '/^  patched/d; s/^sweep: .*/sweep: {run.duration: [50us, 100s], threads: [4, 8]}/; s/replications: 2/replications: 1/' "$1"
}

# Children of process $1
children() {
	cat "/proc/$1/task/$1/children" 2>/dev/null
}

# within CONDITION...: wait until the command succeeds, 60 s at most
within() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		if [ "$tries" -gt 600 ]; then
			complain "never came true: $*"
			return 1
		fi
		sleep 0.1
	done
}

has_children() {
	# shellcheck disable=SC2046 # one word per child
	set -- "$1" "$2" $(children "$1")
	[ $(($# - 2)) -eq "$2" ]
}

has_lines() {
	[ "$(grep -c '' "$1" 2>/dev/null)" = "$2" ]
}

# A child other than $2 runs under process $1; its number into $child
has_other_child() {
	child=$(children "$1" | cut -d' ' -f1)
	[ -n "$child" ] && [ "$child" != "$2" ]
}

start() {
	env --default-signal=INT,TERM "$program" "$@" >.case/out 2>.case/err </dev/null &
	pid=$!
}

finish() {
	wait "$pid"
	status=$?
}

it "a run that is killed loses itself alone and is reported with what it was"
write_endless x.yaml
start run x.yaml -o killed -j 1 --no-plots
child=
within has_other_child "$pid" none && first=$child && kill -SEGV "$first"
within has_other_child "$pid" "$first" && kill -KILL "$child"
finish
status_is 1
err_has "run failed: machine machine, variant vanilla, run.duration 100s, threads 8, replication 1: killed by signal 11 (Segmentation fault)"
err_has "run failed: machine machine, variant vanilla, run.duration 100s, threads 4, replication 1: killed by signal 9 (Killed)"
out_has "50us"
out_has "failed"
err_has "2 of 4 runs failed; the rest is kept"
is_there killed/samples.csv
[ "$(grep -c ',throughput,' killed/samples.csv)" -eq 2 ] || complain "samples: $(grep -c ',throughput,' killed/samples.csv)"

for signal in INT TERM; do
	it "SIG$signal in a sweep keeps the finished points and exits with 130"
	write_endless x.yaml
	start run x.yaml -o "kept$signal" -j 3 --no-plots
	within has_lines "kept$signal/journal" 3 # its head and the short runs
	members=$(children "$pid")
	kill -$signal "$pid"
	finish
	status_is 130
	err_has "interrupted: 2 of 4 runs are done"
	out_has "50us"
	is_there "kept$signal/samples.csv"
	is_there "kept$signal/table.txt"
	[ "$(grep -c ',throughput,' "kept$signal/samples.csv")" -eq 2 ] || complain "samples are missing"

	it "SIG$signal leaves no process behind"
	for member in $members; do
		[ ! -d "/proc/$member" ] || complain "process $member lives on"
	done

	it "results of a sweep that SIG$signal ended can be compared"
	contend compare "kept$signal"
	status_is 0
	out_has "50us"
done

it "a sweep that is interrupted before its first result writes nothing"
start run x.yaml -o nothing -j 1 --no-plots
within has_children "$pid" 1
kill -INT "$pid"
finish
status_is 130
err_has "nothing was written"
is_absent nothing/samples.csv
out_is_empty

it "children die with a parent that is killed"
start run x.yaml -o orphans -j 2 --no-plots
within has_children "$pid" 2
members=$(children "$pid")
kill -KILL "$pid"
finish
gone() {
	for member in $members; do
		# a zombie that nobody has waited for yet is gone too
		! grep -q '^State:[[:space:]]*[RSD]' "/proc/$member/status" 2>/dev/null || return 1
	done
}
within gone

# A fit that would last for hours
start_fit() {
	write_experiment f.yaml
	printf '%s\n' '# source: nobody' '# unit: ops/s' '# metric: throughput' '# axis: threads' \
		threads,vanilla,patched 1,1000000,1010000 8,1500000,2100000 >f.csv
	printf 'published: f.csv\npriors: {machine.transfer.remote_ns: [100, 300]}\n' >>f.yaml
	start fit f.yaml -o fitted.yaml --evaluations 1000000 -j 2
	within has_children "$pid" 2
	members=$(children "$pid")
}

it "a fit whose worker dies says at which values, and writes nothing"
start_fit
child=
within has_other_child "$pid" none && kill -SEGV "$child"
finish
status_is 1
err_has "a worker is gone: killed by signal 11 (Segmentation fault) at machine.transfer.remote_ns "
out_is_empty
is_absent fitted.yaml
within gone

it "a fit that is interrupted leaves neither file nor process behind"
for signal in INT TERM KILL; do
	start_fit
	kill -$signal "$pid"
	finish
	[ "$status" -gt 128 ] || complain "exit status $status"
	is_absent fitted.yaml
	within gone
done

# The cases below need a file system of their own.
mkdir small
if mount -t tmpfs -o size=64k none small 2>/dev/null; then
	small=yes
else
	small=
fi

it "a full disk is found before anything runs"
write_experiment x.yaml
if [ "$small" ]; then
	head -c 200000 /dev/zero >small/ballast 2>/dev/null
	contend run x.yaml -o small/out
	status_is 2
	err_has "No space left on device"
	out_is_empty
else
	skip "mounting a file system needs more rights"
fi

it "a disk that fills up while writing leaves no half file and fails, but the table is printed"
if [ "$small" ]; then
	rm -rf small/*
	head -c 48k /dev/zero >small/ballast
	contend run x.yaml -o small/out --set run.replications=20
	status_is 1
	err_has "No space left on device"
	out_has "patched"
	is_absent small/out/samples.csv
	[ "$(ls -A small/out)" = journal ] || complain "left behind: $(ls -A small/out)"
else
	skip "mounting a file system needs more rights"
fi

it "what a full disk had no room for is written by --resume once there is some"
if [ "$small" ]; then
	mount -o remount,size=1m small
	contend run x.yaml -o small/out --set run.replications=20 --no-plots --resume
	status_is 0
	is_there small/out/samples.csv
	is_absent small/out/journal
	mount -o remount,size=64k small 2>/dev/null || { umount small && mount -t tmpfs -o size=64k none small; }
else
	skip "mounting a file system needs more rights"
fi

it "compare -o onto a full disk leaves no half file"
contend run x.yaml -o fine --no-plots
if [ "$small" ]; then
	rm -rf small/*
	head -c 64k /dev/zero >small/ballast 2>/dev/null
	contend compare fine --format json -o small/table.json
	status_is 1
	err_has "No space left on device"
	is_absent small/table.json
else
	skip "mounting a file system needs more rights"
fi

it "compare -o /dev/full is an error"
contend compare fine -o /dev/full
status_is 1
err_has "/dev/full"
[ -z "$small" ] || umount small
