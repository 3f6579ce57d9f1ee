# SPDX-License-Identifier: GPL-3.0-or-later
# trace import, info, head and verify on excerpts of recorded traces.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

traces=$source_dir/tests/data/traces
max_rss=$(dirname "$program")/tests/cli/max_rss

it "import says what it read and writes a smaller file"
contend trace import "$traces/kbuild-6.18.perf-script.txt.xz" -o kbuild.ctr
status_is 0
out_has "kbuild.ctr: 5000 events of 2 CPUs in "
err_is_empty
[ "$(wc -c <kbuild.ctr)" -lt 50000 ] || complain "$(wc -c <kbuild.ctr) bytes for 5000 events"

it "info of text and of the binary trace made of it say the same"
contend trace info "$traces/kbuild-6.18.perf-script.txt.xz"
status_is 0
sed 1d "$work/.case/out" >text.info
contend trace info kbuild.ctr
status_is 0
sed 1d "$work/.case/out" >binary.info
same_bytes text.info binary.info

it "info counts what other tools count"
contend trace info "$traces/kbuild-6.18.perf-script.txt.xz"
for event in alloc free pcpu_drain alloc_zone_locked; do
	nr=$(xz -dc "$traces/kbuild-6.18.perf-script.txt.xz" | grep -c "kmem:mm_page_$event:")
	[ "$nr" -eq 0 ] && continue
	grep -qE "^mm_page_$event +$nr " "$work/.case/out" || complain "not $nr of mm_page_$event"
done
out_has "burst of"
out_has "life p50"
out_has "movable"

it "a binary trace keeps what its import skipped"
contend trace import "$traces/cc-6.18.ftrace.txt" -o cc.ctr
status_is 0
out_has "skipped: 12 headings and blank lines"
contend trace info cc.ctr
out_has "skipped: 12 headings and blank lines"

it "a binary trace may be compressed"
xz -k kbuild.ctr
contend trace info kbuild.ctr.xz
sed 1d "$work/.case/out" >compressed.info
same_bytes compressed.info binary.info

it "head shows ten events, or as many as one wants"
contend trace head kbuild.ctr
status_is 0
[ "$(wc -l <"$work/.case/out")" -eq 11 ] || complain "$(wc -l <"$work/.case/out") lines"
contend trace head "$traces/cc-6.18.ftrace.txt" -n 3
[ "$(wc -l <"$work/.case/out")" -eq 4 ] || complain "$(wc -l <"$work/.case/out") lines"
out_has "  2522.651930000    0 des2              26250  mm_page_alloc                 0x164260     0           1      -"

it "head shows no control characters of a task's name"
printf 'a\033[2Jb 7 [000] 1.5: mm_page_free: pfn=0x1a order=0\n' >escape.txt
contend trace head escape.txt
status_is 0
out_has "a?[2Jb"

it "trace.dat is read as it is, compressed and from standard input, and says what was lost"
contend trace import "$traces/fork-6.18.trace-cmd-7.dat" -o fork.ctr
status_is 0
err_is_empty
out_has "fork.ctr: 10890 events of 2 CPUs in 0.112615 s"
out_has "skipped: 14 events of other kinds"
with_command sh -c "'$program' trace info - <'$traces/lost-6.18.trace-cmd-6.dat.xz'"
status_is 0
out_has "-: 6480 events of 2 CPUs in 0.063037 s"
out_has "lost while recording: 3667 events"
head -c 40000 "$traces/fork-6.18.trace-cmd-7.dat" >cut.dat
contend trace info cut.dat
status_is 2
err_has "cannot read 'cut.dat': no trace.dat that trace-cmd's library can read: damaged, cut off or of another version"
[ "$(wc -l <"$work/.case/err")" -eq 1 ] || complain "the library speaks on standard error"

it "a trace.dat that leads trace-cmd's library astray is refused in one line, and nothing is imported"
xz -dc "$traces/lost-6.18.trace-cmd-6.dat.xz" >length.dat
printf Y | dd of=length.dat bs=1 seek=256 conv=notrunc 2>/dev/null # ends no name any more: text becomes a length
cp "$traces/fork-6.18.trace-cmd-7.dat" packed.dat
printf '\0' | dd of=packed.dat bs=1 seek=11719 conv=notrunc 2>/dev/null # of what is compressed: trace-cmd 3.1.6 crashes on it
for damaged in length packed; do
	contend trace import "$damaged.dat" -o "$damaged.ctr"
	status_is 2
	err_has "cannot read '$damaged.dat': "
	[ "$(wc -l <"$work/.case/err")" -eq 1 ] || complain "the library speaks on standard error"
	is_absent "$damaged.ctr"
done

it "- is standard input"
with_command sh -c "'$program' trace info - <'$traces/iperf3-6.18.perf-script.txt'"
status_is 0
out_has "-: 200 events of 2 CPUs"

it "lifetimes are drawn in steps of four"
cat >lives.txt <<'END'
a 1 [000] 1.000000000: mm_page_alloc: pfn=0x1 order=0 migratetype=0
a 1 [000] 1.000000000: mm_page_alloc: pfn=0x2 order=0 migratetype=0
a 1 [000] 1.000000000: mm_page_alloc: pfn=0x3 order=0 migratetype=0
a 1 [000] 1.000000000: mm_page_alloc: pfn=0x4 order=0 migratetype=0
a 1 [000] 1.000001023: mm_page_free: pfn=0x1 order=0
a 1 [000] 1.000001024: mm_page_free: pfn=0x2 order=0
a 1 [000] 1.000004095: mm_page_free: pfn=0x3 order=0
a 1 [000] 99999.000000: mm_page_free: pfn=0x4 order=0
END
contend trace info lives.txt
status_is 0
out_has "below 1.02us          1   25.0 #############"
out_has "to 4.10us             2   50.0 #########################"
out_has "to 16.4us             0    0.0"
out_has "longer                1   25.0 #############"

it "lost, skipped and disordered events are said"
cat >odd.txt <<'END'
cut line order=0
a 1 [000] 2.000000: kmem:mm_page_alloc: page=0x1 pfn=0x1 order=0 migratetype=0 gfp_flags=GFP_KERNEL
a 1 [000] 2.000000: kmem:mm_page_alloc: page=(nil) pfn=0x0 order=9 migratetype=0 gfp_flags=GFP_NOWAIT
CPU:1 [LOST 17 EVENTS]
b 2 [001] 1.000000: kmem:mm_page_free: page=0x1 pfn=0x1 order=0
b 2 [001] 1.500000: sched:sched_switch: prev_comm=b ==> next_comm=a
b 2 [001] 3.000000: kmem:mm_page_free: page=0x1 pfn=0x1 or
END
contend trace info odd.txt
status_is 0
out_has "odd.txt: 2 events of 2 CPUs in 1.000000 s"
out_has "1 events of other kinds, 1 allocations that failed, 1 marks of lost events, 1 lines that are no event, 1 events with a field"
out_has "lost while recording: 17 events"
out_has "out of order: 1 stamps, 0 of them on one CPU"

it "a file without any event is no trace, and nothing is written"
echo "no trace" >no-trace.txt
contend trace import no-trace.txt -o no.ctr
status_is 2
err_has "'no-trace.txt' has no event of a page: record kmem:mm_page_alloc"
err_has "1 lines that are no event"
is_absent no.ctr

it "a file that is missing, cut or of a recorder is refused, and an old output stays"
contend trace info missing.txt
status_is 2
err_has "cannot read 'missing.txt': No such file or directory"
head -c 20000 "$traces/kbuild-6.18.perf-script.txt.xz" >cut.xz
cp kbuild.ctr old.ctr
contend trace import cut.xz -o old.ctr
status_is 2
err_has "'cut.xz': "
same_bytes old.ctr kbuild.ctr
head -c 10000 kbuild.ctr >cut.ctr
contend trace info cut.ctr
status_is 2
err_has "'cut.ctr' is cut off"
out_is_empty
printf 'PERFILE2xxxxxxxxxxxx' >perf.data
contend trace info perf.data
status_is 2
err_has "give the output of \`perf script -F comm,tid,cpu,time,event,trace -i perf.data\`"

it "an output that cannot be written is a failure"
contend trace import "$traces/cc-6.18.ftrace.txt" -o nowhere/cc.ctr
status_is 1
err_has "cannot write 'nowhere/cc.ctr': No such file or directory"

it "info draws lifetimes, bursts and orders"
for ending in svg png pdf; do
	contend trace info "$traces/fork-6.18.trace-cmd-7.dat" --plot "fork.$ending"
	status_is 0
	is_there "fork.$ending"
done
file_has fork.svg "freed blocks by lifetime, %"
file_has fork.svg "10890 events of 2 CPUs in 0.113 s"
contend trace info "$traces/fork-6.18.trace-cmd-7.dat" --plot fork.txt
status_is 1
err_has "'fork.txt': charts side by side are drawn as .svg, .png or .pdf alone"
: >empty.txt
contend trace info empty.txt --plot empty.svg
status_is 1
err_has "'empty.txt' has no block to draw"
is_absent empty.svg

it "options are refused where they mean nothing"
contend trace import "$traces/cc-6.18.ftrace.txt"
status_is 2
err_has "say with -o where the binary trace goes"
contend trace info kbuild.ctr -o x
status_is 2
err_has "-o is for import and record; info prints"
contend trace info kbuild.ctr -n 3
status_is 2
err_has "-n is for head"

contend trace head kbuild.ctr --plot x.svg
status_is 2
err_has "--plot is for info and verify"
contend trace info kbuild.ctr --zoneinfo x
status_is 2
err_has "--zoneinfo, --machine and --set are for verify"
contend trace verify -
status_is 2
err_has "verify reads a trace more than once"

it "verify holds the recorded number of blocks against the simulated one, by CPU and over time"
contend trace verify kbuild.ctr --zoneinfo "$traces/kbuild-6.18.zoneinfo.txt"
status_is 0
err_is_empty
out_has "kbuild.ctr on zen5-vm-2cpu-near, pcp_high v6.16, pcp_free bulk: "
recorded=$(xz -dc "$traces/kbuild-6.18.perf-script.txt.xz" | grep -c "kmem:mm_page_alloc_zone_locked:")
grep -qE "^all +$recorded +[0-9]+ " "$work/.case/out" || complain "not $recorded blocks"
[ "$(grep -cE "^ *[0-9.]+s " "$work/.case/out")" -eq 16 ] || complain "no 16 rows over time"

it "verify of another design point and machine"
contend trace verify kbuild.ctr --machine "$source_dir/tests/golden/machines/two-sockets.yaml" --set pcp_high=v6.6
status_is 0
out_has "kbuild.ctr on two-sockets, pcp_high v6.6, pcp_free bulk: "

it "verify names what it cannot use"
contend trace verify kbuild.ctr --zoneinfo nope
status_is 2
err_has "nope"
contend trace verify kbuild.ctr --set workload.pase=none
status_is 2
err_has "did you mean 'workload.pace'?"
for set in workload=pread workload.trace=cc.ctr threads=1; do
	contend trace verify kbuild.ctr --set $set
	status_is 2
	err_has "verify "
done

it "a text of 200 MB is imported in the memory of a small one"
with_command "$max_rss" small.kib "$program" trace import "$traces/iperf3-6.18.perf-script.txt" -o small.ctr
awk '{ lines[NR] = $0 } END { for (i = 0; i < 7000; i++) for (j = 1; j <= NR; j++) print lines[j] }' \
	"$traces/iperf3-6.18.perf-script.txt" |
	"$max_rss" large.kib sh -c "'$program' trace import - -o large.ctr >large.out; echo \$? >large.status"
[ "$(cat large.status)" -eq 0 ] || complain "exit status $(cat large.status)"
file_has large.out "large.ctr: 1400000 events"
[ "$(cat large.kib)" -lt $(($(cat small.kib) + 2048)) ] || complain "$(cat small.kib) KiB became $(cat large.kib) KiB"
