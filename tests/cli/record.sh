# SPDX-License-Identifier: GPL-3.0-or-later
# trace record: where the kernel lets us, what is recorded is whole, and nothing is left behind whatever happens.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

fraction=/proc/sys/vm/percpu_pagelist_high_fraction
instances=/sys/kernel/tracing/instances

# Pages for the kernel to move: a file in memory
fill="head -c 40M /dev/zero >fill; rm fill"

# recorded_events DIRECTORY: as the manifest says
recorded_events() {
	sed -n 's/^ *"recorded_events": \([0-9]*\),$/\1/p' "$1/manifest.json"
}

# No temporary directory, and no buffer whose recorder is gone; others may be recording here, too
nothing_is_left() {
	[ -z "$(find . -name '*.tmp')" ] || complain "left: $(find . -name '*.tmp')"
	for buffer in "$instances"/contend-*; do
		[ ! -d "$buffer" ] || kill -0 "${buffer##*-}" 2>/dev/null || complain "the kernel still has $buffer"
	done
}

it "what record cannot do, it says before it does anything"
contend trace record
status_is 2
err_has "or record and then -- COMMAND"
contend trace info x --empty-lists
status_is 2
err_has "--buffer and --empty-lists are for record"
mkdir full && touch full/file
contend trace record -o full -- touch ran
status_is 2
err_has "'full' exists: say another directory with -o"
is_absent ran

contend trace record -o probe -- true
if grep -q "cannot record: " "$work/.case/err"; then
	it "recording"
	skip "$(cat "$work/.case/err")"
	exit
fi

it "a recording has the trace, zoneinfo from before and after and what they are of"
with_command "$program" trace record -o whole -- sh -c "echo said; $fill; exit 7"
status_is 7
out_has "said"
err_has "whole: "
for file in trace.dat zoneinfo-before.txt zoneinfo-after.txt manifest.json; do
	is_there "whole/$file"
done
file_has whole/manifest.json '"exit": 7'
file_has whole/manifest.json '"lost_events": 0,'
file_has whole/manifest.json '"lists_emptied": false,'
if grep -q '^0*[1-9a-f][0-9a-f]* t vmstat_update$' /proc/kallsyms; then
	file_has whole/manifest.json '"workqueue_execute_start"'
fi
file_has whole/zoneinfo-before.txt "pagesets"
[ "$(find whole -type f | wc -l)" -eq 4 ] || complain "$(ls whole)"
contend trace info whole/trace.dat
status_is 0
out_has "whole/trace.dat: $(recorded_events whole) events of "
[ "$(recorded_events whole)" -gt 20000 ] || complain "40 MiB of pages in $(recorded_events whole) events"
contend trace head -n 4000 whole/trace.dat
nr_settled=$(grep -c 'contend.* mm_page_free ' "$work/.case/out")
[ "$nr_settled" -ge $((32 * $(nproc))) ] || complain "$nr_settled pages were freed first"
contend trace verify whole/trace.dat --zoneinfo whole/zoneinfo-before.txt
status_is 0

it "events that found the buffer full are said aloud, and the trace knows of them"
with_command "$program" trace record --buffer 1 -o lost -- \
	sh -c "kill -STOP \$PPID; $fill; $fill; $fill; $fill; kill -CONT \$PPID; sleep 0.1; $fill"
status_is 0
err_has "EVENTS WERE LOST"
nr_lost=$(sed -n 's/^ *"lost_events": \([0-9]*\),$/\1/p' lost/manifest.json)
[ "$nr_lost" -gt 1000 ] || complain "$nr_lost lost events in the manifest"
contend trace info lost/trace.dat
out_has "lost/trace.dat: $(recorded_events lost) events of "
out_has "lost while recording: "

it "a buffer much smaller than the recording is emptied meanwhile"
with_command "$program" trace record --buffer 1 -o small -- sh -c "$fill; $fill; $fill; $fill"
status_is 0
contend trace info small/trace.dat
out_has "small/trace.dat: $(recorded_events small) events of "
[ "$(recorded_events small)" -gt 80000 ] || complain "only $(recorded_events small) events"

it "a command that cannot be run or is killed leaves no half of a recording"
contend trace record -o none -- ./no-such-command
status_is 1
err_has "cannot run './no-such-command': No such file or directory"
is_absent none
contend trace record -o killed -- sh -c 'kill -9 $$'
status_is 137
is_there killed/trace.dat
file_has killed/manifest.json '"signal": 9'
nothing_is_left

it "SIGTERM ends the command and keeps what was recorded"
"$program" trace record -o ended -- sh -c 'touch started; exec sleep 60' 2>"$work/.case/err" &
recorder=$!
while [ ! -e started ]; do sleep 0.05; done
kill -TERM $recorder
wait $recorder
status=$?
status_is 143
is_there ended/trace.dat
nothing_is_left

it "a recorder that was killed leaves a buffer that the next one removes"
"$program" trace record -o gone -- sh -c 'touch going; exec sleep 0.5' 2>"$work/.case/err" &
recorder=$!
while [ ! -e going ]; do sleep 0.05; done
kill -KILL $recorder
wait $recorder 2>/dev/null
is_absent gone
rm -rf "gone.$recorder.tmp"
contend trace record -o after -- true
status_is 0
nothing_is_left

it "--empty-lists puts the sysctl back when it is interrupted, and when it is killed"
before=$(cat "$fraction" 2>/dev/null)
if [ -w "$fraction" ] && [ "$before" != 1000000 ]; then
	for signal in TERM KILL; do
		"$program" trace record --empty-lists -o never -- touch ran 2>"$work/.case/err" &
		recorder=$!
		for _ in $(seq 100); do
			[ "$(cat "$fraction")" = 1000000 ] && break
			sleep 0.05
		done
		[ "$(cat "$fraction")" = 1000000 ] || complain "the sysctl is $(cat "$fraction")"
		kill -$signal $recorder
		wait $recorder 2>/dev/null
		for _ in $(seq 100); do
			[ "$(cat "$fraction")" = "$before" ] && break
			sleep 0.05
		done
		[ "$(cat "$fraction")" = "$before" ] || complain "after $signal the sysctl is $(cat "$fraction")"
		is_absent ran
		is_absent never
		rm -rf "never.$recorder.tmp"
	done
else
	skip "vm.percpu_pagelist_high_fraction cannot be written here, or another recording has it"
fi

it "without root there is no recording and no directory"
chmod 777 .
with_command setpriv --reuid=65534 --regid=65534 --clear-groups "$program" trace record -o denied -- true
status_is 1
err_has "cannot record: "
is_absent denied
contend trace record -o last -- true
nothing_is_left
