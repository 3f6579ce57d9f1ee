# SPDX-License-Identifier: GPL-3.0-or-later
# contend trace verify holds the page allocator against kernel 6.18 itself, on traces that it recorded: docs/trace-verify.md.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

traces=$source_dir/tests/data/traces

# within CPU BLOCKS: what the last verify simulated there is no farther from what was recorded than so many blocks; nor 5 % or BLOCKS,
# whichever is more, for "all"
within() {
	awk -v cpu="$1" -v blocks="$2" '
		function off(a, b) { return a > b ? a - b : b - a }
		function limit(recorded) { return cpu == "all" && recorded / 20 > blocks ? recorded / 20 : blocks }
		$1 == cpu { seen = 1; bad = off($2, $3) > limit($2) || off($5, $6) > limit($5); exit }
		END { exit !seen || bad }' "$work/.case/out" || complain "CPU $1 is off by more than $2 blocks"
}

# verify TRACE ARGUMENT...
verify() {
	trace=$1
	shift
	contend trace verify "$trace" "$@"
	status_is 0
	err_is_empty
}

it "page cache that is written, read and removed: every refill is the recorded one"
verify "$traces/stream-6.18.ctr.xz" --zoneinfo "$traces/stream-6.18.zoneinfo.txt" --plot stream.svg
within 0 1
within 1 0
for words in "CPU 0, kernel" "CPU 1, model" "drained to them, thousands"; do
	grep -q "$words" stream.svg || complain "the figure does not say $words"
done

it "free_high fires as recorded, with lists of 252 pages"
verify "$traces/fraction-6.18.ctr.xz" --zoneinfo "$traces/fraction-6.18.zoneinfo.txt"
within 0 126
within 1 10
within all 126

it "a kernel that knows its caches would have fired otherwise"
verify "$traces/fraction-6.18.ctr.xz" --zoneinfo "$traces/fraction-6.18.zoneinfo.txt" \
	--set kernel.page_alloc.cacheinfo=true
awk '$1 == 1 && $2 - $3 > 500 { found = 1 } END { exit !found }' "$work/.case/out" || complain "it did not"

it "a compiler, recorded by contend itself: every refill is the recorded one, and every flush but for some pages"
verify "$traces/compiler-6.18.ctr.xz" --zoneinfo "$traces/compiler-6.18.zoneinfo.txt"
within 0 6
within 1 0

it "iperf3 as perf recorded it, whose buffers came after zoneinfo: every refill of the sender, drains within 5 %"
verify "$source_dir/configs/traces/iperf3-6.18.ctr.xz" --zoneinfo "$traces/iperf3-6.18.zoneinfo.txt" \
	--set workload.recorder_pages=16386
within 1 0
within all 126

it "iperf3 as contend recorded it: every refill of both CPUs"
verify "$source_dir/configs/traces/iperf3-6.18-emptied.ctr.xz" --zoneinfo "$traces/iperf3-6.18-emptied.zoneinfo.txt"
within 0 68
within 1 0
awk '$1 == "all" && $2 == 12063 && $3 == $2 { found = 1 } END { exit !found }' "$work/.case/out" || complain "refills differ"

it "the kernel before tells itself apart"
verify "$source_dir/configs/traces/iperf3-6.18.ctr.xz" --zoneinfo "$traces/iperf3-6.18.zoneinfo.txt" \
	--set workload.recorder_pages=16386 --set pcp_high=v6.7
awk '$1 == "all" && $6 > 1.2 * $5 { found = 1 } END { exit !found }' "$work/.case/out" || complain "drains are as under v6.16"
