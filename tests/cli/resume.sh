# SPDX-License-Identifier: GPL-3.0-or-later
# Sweeps that are killed at any moment: --resume makes what is missing, and the results are those of a sweep that nobody
# disturbed, byte by byte.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

# A sweep of a second or two with adaptive replications, into FILE: 2 variants x 6 points x 4 to 12 replications
write_sweep() {
	write_experiment "$1"
	sed -i 's/^sweep: .*/sweep: {threads: [1, 2, 4, 5, 6, 8]}/
		s/^run: .*/run: {warmup: 10us, duration: 2ms, replications: {min: 4, max: 12, until: 0.5%}}/' "$1"
}

start() {
	"$program" "$@" >.case/out 2>.case/err </dev/null &
	pid=$!
}

finish() {
	wait "$pid" 2>/dev/null
	status=$?
}

# The children of process $1
children() {
	cat "/proc/$1/task/$1/children" 2>/dev/null
}

# same_tree DIR DIR: the same files with the same bytes
same_tree() {
	diff -r "$1" "$2" >.case/diff 2>&1 || complain "$1 and $2 differ: $(head -n 5 .case/diff | tr '\n' '~')"
}

# N pairs of moments in seconds, each up to a quarter of SECONDS; the same shares every time
moments() {
	awk -v nr="$1" -v span="$2" 'BEGIN {
		srand(7)
		while (nr--)
			printf "%.3f %.3f\n", span / 4 * rand(), span / 4 * rand()
	}'
}

now_s() {
	date +%s.%N
}

write_sweep x.yaml
contend run x.yaml -o undisturbed -j 1 --quiet
mv .case/out table

it "as many workers as wanted make the same bytes"
begin_s=$(now_s)
contend run x.yaml -o killed -j 2 --quiet
end_s=$(now_s)
status_is 0
same_tree undisturbed killed
rm -rf killed

it "SIGKILL of a worker and of the parent at 50 random moments changes no byte of what --resume makes in the end"
moments 50 "$(echo "$begin_s $end_s" | awk '{ print $2 - $1 }')" >when
nr_unfinished=0
while read -r until_worker until_parent; do
	start run x.yaml -o killed -j 2 --resume
	sleep "$until_worker"
	worker=$(children "$pid" | cut -d' ' -f1)
	[ "$(cat "/proc/${worker:-none}/comm" 2>/dev/null)" != contend ] || kill -KILL "$worker" # gnuplot is no worker
	sleep "$until_parent"
	kill -KILL "$pid" 2>/dev/null
	finish
	case $status in
	0) # it was quicker: the next one starts anew
		same_tree undisturbed killed
		rm -rf killed
		;;
	1 | 137) [ ! -e killed/journal ] || nr_unfinished=$((nr_unfinished + 1)) ;;
	*) complain "exit status $status: $(head -n 2 .case/err)" ;;
	esac
done <when
[ "$nr_unfinished" -ge 10 ] || complain "only $nr_unfinished of the kills met a sweep that was not finished"
contend run x.yaml -o killed -j 2 --resume
status_is 0
same_tree undisturbed killed

it "--resume of complete results makes no run and prints the same table"
contend run x.yaml -o killed --resume
status_is 0
err_has "all runs were made before"
same_bytes table .case/out
same_tree undisturbed killed

it "--resume into an empty place is an ordinary run"
contend run x.yaml -o fresh --resume --quiet
status_is 0
err_is_empty
same_tree undisturbed fresh

it "a worker that is killed fails its run; --resume makes that run alone"
write_experiment y.yaml
sed -i 's/duration: 50us/duration: 20ms/' y.yaml
contend run y.yaml -o y-undisturbed --quiet
start run y.yaml -o y -j 1 --no-plots
until worker=$(children "$pid") && [ -n "$worker" ]; do
	sleep 0.01
done
# shellcheck disable=SC2086 # one word per child
kill -KILL $worker
finish
status_is 1
err_has "killed by signal 9"
err_has "--resume makes only the runs that are missing"
is_there y/samples.csv
[ "$(grep -c '' y/journal)" -eq 12 ] || complain "$(grep -c '' y/journal) lines in the journal, not a head and 11 runs"
contend run y.yaml -o y --resume
status_is 0
err_has "11 of 12 runs were made before"
same_tree y-undisturbed y

# What a killed sweep leaves: some of y-undisturbed's runs in a journal
leave_journal() {
	rm -rf "$1"
	start run y.yaml -o "$1" -j 1 --no-plots
	until [ "$(grep -c '' "$1/journal" 2>/dev/null)" -ge 5 ] 2>/dev/null; do
		sleep 0.01
	done
	kill -KILL "$pid"
	finish
}

it "a line that was being written when the process died is cut off"
leave_journal torn
printf '0123456789abcdef 0 0 1 0 12' >>torn/journal
contend run y.yaml -o torn --resume
status_is 0
same_tree y-undisturbed torn

it "a damaged line is passed over with a warning, and its run is made again"
leave_journal damaged
sed -i '3s/.$/x/' damaged/journal
contend run y.yaml -o damaged --resume
status_is 0
err_has "1 damaged line"
same_tree y-undisturbed damaged

it "a journal of another configuration is refused, and nothing of it is lost"
leave_journal other
cp other/journal journal
contend run y.yaml -o other --resume --set run.seed=9
status_is 2
err_has "other/journal' is of another configuration"
err_has "without --resume the sweep starts anew"
same_bytes journal other/journal
out_is_empty

it "results of another configuration are refused"
contend run y.yaml -o y --resume --set run.seed=9
status_is 2
err_has "the results in 'y' are of another configuration"
same_tree y-undisturbed y

it "a journal whose head is damaged is refused"
sed -i '1s/^./x/' other/journal
contend run y.yaml -o other --resume
status_is 2
err_has "its first line is damaged"

it "a journal of one engine is good for the other, which gives the same numbers"
leave_journal engines
contend run y.yaml -o engines --resume --engine simgrid
status_is 0
same_bytes y-undisturbed/samples.csv engines/samples.csv

it "without --resume a sweep that was not finished starts anew, with a note"
leave_journal anew
contend run y.yaml -o anew
status_is 0
err_has "a sweep into 'anew' was not finished; it starts anew"
same_tree y-undisturbed anew

it "results that a killed sweep was to replace are not mixed with its own"
leave_journal replaced
cp y-undisturbed/result.json replaced
sed 's/,throughput,[^,]*/,throughput,1/' y-undisturbed/samples.csv >replaced/samples.csv
contend run y.yaml -o replaced --resume
status_is 0
same_tree y-undisturbed replaced

it "results that lack runs and have no journal get what they lack, also when that is killed"
leave_journal lacking
sed '/,replication,/!{/,1,[^,]*,[^,]*,[^,]*$/d}' y-undisturbed/samples.csv >lacking/samples.csv
cp y-undisturbed/result.json lacking
rm lacking/journal
start run y.yaml -o lacking -j 1 --resume
until [ "$(grep -c '' lacking/journal 2>/dev/null)" -ge 9 ] 2>/dev/null; do
	sleep 0.01
done
kill -KILL "$pid"
finish
rm lacking/result.json
contend run y.yaml -o lacking --resume
status_is 0
err_has "of 12 runs were made before"
same_tree y-undisturbed lacking

it "two processes that run into one directory: the second gets an error that names the first"
start run y.yaml -o shared -j 1 --no-plots --set run.duration=100s
first=$pid
until [ -e shared/journal ]; do
	sleep 0.01
done
contend run y.yaml -o shared
status_is 2
err_has "another process writes results into 'shared' (process $first)"

it "reproduce does not write where another process does, and leaves no empty directory behind"
cat >p.csv <<'END'
# source: nobody, "a table for tests"
# unit: ops/s
# metric: throughput
# axis: threads
threads,vanilla
1,1000000
END
{ cat y.yaml && echo 'published: p.csv'; } >p.yaml
mkdir together
ln -s ../shared together/p
contend reproduce p.yaml -o together
status_is 2
err_has "another process writes results into 'together/p' (process $first)"
contend reproduce y.yaml p.yaml -o others
status_is 2
is_absent others/p

it "a claim ends with its process, however that dies"
kill -KILL "$first"
wait "$first" 2>/dev/null
is_there shared/.contend.lock
contend run y.yaml -o shared --quiet
status_is 0
same_tree y-undisturbed shared

it "temporary files of processes that are gone are removed, others stay"
gone=$first
mkdir -p cleaned
for name in "samples.csv.$gone-0.tmp" "journal.$gone-12.tmp" "samples.csv.$$-0.tmp" "mine.tmp" "$gone-0.tmp"; do
	echo x >"cleaned/$name"
done
contend run y.yaml -o cleaned --no-plots
status_is 0
is_absent "cleaned/samples.csv.$gone-0.tmp"
is_absent "cleaned/journal.$gone-12.tmp"
is_there "cleaned/samples.csv.$$-0.tmp"
is_there cleaned/mine.tmp
is_there "cleaned/$gone-0.tmp"

it "SIGINT keeps what is done, and --resume goes on with it"
rm -rf interrupted
env --default-signal=INT "$program" run y.yaml -o interrupted -j 1 --no-plots >.case/out 2>.case/err </dev/null &
pid=$!
until [ "$(grep -c '' interrupted/journal 2>/dev/null)" -ge 4 ] 2>/dev/null; do
	sleep 0.01
done
kill -INT "$pid"
finish
status_is 130
err_has "of 12 runs are done"
is_there interrupted/result.json
contend run y.yaml -o interrupted --resume
status_is 0
same_tree y-undisturbed interrupted

it "a shard that is killed goes on, too, and another shard is refused its place"
contend run y.yaml -o shards --shard 2/2 --quiet
start run y.yaml -o shards --shard 1/2 -j 1
until [ "$(grep -c '' shards/shard-1-of-2/journal 2>/dev/null)" -ge 3 ] 2>/dev/null; do
	sleep 0.01
done
kill -KILL "$pid"
finish
contend merge shards
status_is 2
err_has "there is no shard in 'shards/shard-1-of-2' yet: its sweep was not finished"
mv shards/shard-1-of-2 shards/shard-1-of-3
contend run y.yaml -o shards --shard 1/3 --resume
status_is 2
err_has "is of another shard: 1/2, now 1/3"
mv shards/shard-1-of-3 shards/shard-1-of-2
contend run y.yaml -o shards --shard 1/2 --resume --quiet
status_is 0
contend merge shards -o whole
status_is 0
same_tree y-undisturbed whole
