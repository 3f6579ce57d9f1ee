/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines of traces: every shape that is known, and what must not pass for one. */
#include "sim/trace/trace_text.h"

#include "tests/support/unit.h"

#include <string.h>

#define ALLOC TRACE_PAGE_ALLOC
#define FREE TRACE_PAGE_FREE

static enum trace_skip parse(const char *text, bool complete, struct trace_event *event, uint64_t *nr_lost)
{
	const struct trace_line line = { .text = text, .bytes = strlen(text), .complete = complete };

	return trace_text_parse(&line, event, nr_lost);
}

/* A line and the event in it. */
struct event_case {
	const char *line;
	struct trace_event event;
};

static void assert_events(const struct event_case *cases, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct trace_event *expected = &cases[i].event;
		struct trace_event event;
		uint64_t nr_lost;

		if (parse(cases[i].line, true, &event, &nr_lost) != TRACE_SKIP_NONE)
			fail_msg("no event: %s", cases[i].line);
		if (!trace_event_same(&event, expected))
			fail_msg(
				"another event: %s\n%lld %llx %d cpu %d type %d order %d migratetype %d refill %d '%s'",
				cases[i].line, (long long)event.time_ns, (unsigned long long)event.pfn, event.pid,
				event.cpu, event.type, event.order, event.migratetype, event.percpu_refill, event.comm);
		assert_true(trace_event_is_valid(&event));
	}
}

static void lines_of_perf_and_ftrace_give_the_event_that_the_kernel_printed(void **state)
{
	static const struct event_case cases[] = {
		/* as recorded by kernel 6.18 */
		{ "            perf 26642 [001]  3746.827888:             kmem:mm_page_alloc: page=0x119f66 "
		  "pfn=0x119f66 "
		  "order=0 migratetype=0 gfp_flags=GFP_HIGHUSER|__GFP_ACCOUNT",
		  { 3746827888000, 0x119f66, 26642, 1, ALLOC, 0, 0, -1, "perf" } },
		{ "          iperf3 26643 [001]  3747.461010:              kmem:mm_page_free: page=0x302930 "
		  "pfn=0x302930 "
		  "order=3",
		  { 3747461010000, 0x302930, 26643, 1, FREE, 3, -1, -1, "iperf3" } },
		{ "            des2-26250   [000] .....  2522.651930: mm_page_alloc: page=000000006650b6a1 "
		  "pfn=0x164260 "
		  "order=0 migratetype=1 gfp_flags=GFP_HIGHUSER_MOVABLE|__GFP_COMP",
		  { 2522651930000, 0x164260, 26250, 0, ALLOC, 0, 1, -1, "des2" } },
		/* the other events */
		{ "a 1 [002] 1.5: kmem:mm_page_alloc_zone_locked: page=0x10 pfn=0x10 order=2 migratetype=2 "
		  "percpu_refill=1",
		  { 1500000000, 0x10, 1, 2, TRACE_PAGE_ALLOC_ZONE_LOCKED, 2, 2, 1, "a" } },
		{ "a 1 [002] 1.5: kmem:mm_page_alloc_zone_locked: page=0x10 pfn=0x10 order=4 migratetype=2 "
		  "percpu_refill=0",
		  { 1500000000, 0x10, 1, 2, TRACE_PAGE_ALLOC_ZONE_LOCKED, 4, 2, 0, "a" } },
		{ "a-1 [002] .... 1.5: mm_page_pcpu_drain: page=0x10 pfn=0x10 order=1 migratetype=0",
		  { 1500000000, 0x10, 1, 2, TRACE_PAGE_PCPU_DRAIN, 1, 0, -1, "a" } },
		{ "a-1 [002] .... 1.5: mm_page_free_batched: page=0x10 pfn=0x10 order=0",
		  { 1500000000, 0x10, 1, 2, TRACE_PAGE_FREE_BATCHED, 0, -1, -1, "a" } },
		{ "a-1 [002] .... 1.5: mm_page_free_batched: page=0x10 pfn=0x10 cold=0",
		  { 1500000000, 0x10, 1, 2, TRACE_PAGE_FREE_BATCHED, 0, -1, -1, "a" } },
		{ "a-1 [002] .... 1.5: mm_page_alloc_extfrag: page=0x10 pfn=0x10 alloc_order=3 fallback_order=10 "
		  "pageblock_order=9 alloc_migratetype=0 fallback_migratetype=1 fragmenting=0 change_ownership=1",
		  { 1500000000, 0x10, 1, 2, TRACE_PAGE_ALLOC_EXTFRAG, 3, 0, -1, "a" } },
		{ "kworker/1:0-13778   [001] ..... 37496.027751: workqueue_execute_start: work struct "
		  "00000000abd331bd: "
		  "function vmstat_update",
		  { 37496027751000, 0, 13778, 1, TRACE_VMSTAT_UPDATE, 0, -1, -1, "kworker/1:0" } },
		/* very old and very new: decimal, no flags, TGID, PID/TID, nanoseconds, period, no system, unknown keys */
		{ "a-1 [002] 1.5: mm_page_alloc: page=ffffea0000000400 pfn=16 order=0 migratetype=0 "
		  "gfp_flags=GFP_KERNEL",
		  { 1500000000, 16, 1, 2, ALLOC, 0, 0, -1, "a" } },
		{ "bash-1977    ( 1970) [002] d..1. 1.5: mm_page_free: page=(____ptrval____) pfn=0x1A order=0",
		  { 1500000000, 0x1a, 1977, 2, FREE, 0, -1, -1, "bash" } },
		{ "bash-1977    (-----) [002] d..1. 1.5: mm_page_free: page=0 pfn=0x1a order=0",
		  { 1500000000, 0x1a, 1977, 2, FREE, 0, -1, -1, "bash" } },
		{ "make 12/34    [002] 1.000000001: kmem:mm_page_free: pfn=0x1a order=0",
		  { 1000000001, 0x1a, 34, 2, FREE, 0, -1, -1, "make" } },
		{ "make 34 [002] 1.123456789:          1 kmem:mm_page_free: pfn=0x1a order=0",
		  { 1123456789, 0x1a, 34, 2, FREE, 0, -1, -1, "make" } },
		{ "make 34 [002] 1.5: kmem:mm_page_free: [FAILED TO PARSE] order=0 node=7 pfn=26 odd [3] 4.5: x=",
		  { 1500000000, 26, 34, 2, FREE, 0, -1, -1, "make" } },
		{ "\t make 34 [8191] 0.0:\tkmem:mm_page_free:\tpfn=0xfffffffffffff\torder=10 \t",
		  { 0, 0xfffffffffffff, 34, 8191, FREE, 10, -1, -1, "make" } },
		{ "[002] 1.5: mm_page_free: pfn=0x1a order=0", { 1500000000, 0x1a, -1, 2, FREE, 0, -1, -1, "" } },
		{ "34 [002] 1.5: mm_page_free: pfn=0x1a order=0", { 1500000000, 0x1a, 34, 2, FREE, 0, -1, -1, "" } },
		{ "make [002] 1.5: mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, -1, 2, FREE, 0, -1, -1, "make" } },
		{ "<...>-99999999999 [002] .... 1.5: mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, -1, 2, FREE, 0, -1, -1, "<...>" } },
		{ "a 1 [0] 9223372035.999999999: mm_page_free: pfn=0x1a order=0",
		  { 9223372035999999999, 0x1a, 1, 0, FREE, 0, -1, -1, "a" } },
		/* a carriage return before the line feed */
		{ "make 34 [002] 1.5: kmem:mm_page_free: pfn=0x1a order=0\r",
		  { 1500000000, 0x1a, 34, 2, FREE, 0, -1, -1, "make" } },
		/* a key that the event does not have */
		{ "make 34 [002] 1.5: kmem:mm_page_free: migratetype=99 pfn=0x1a percpu_refill=1 order=0",
		  { 1500000000, 0x1a, 34, 2, FREE, 0, -1, -1, "make" } },
		/* the first of a key that comes twice */
		{ "make 34 [002] 1.5: kmem:mm_page_free: pfn=0x1a pfn=0x1b order=0",
		  { 1500000000, 0x1a, 34, 2, FREE, 0, -1, -1, "make" } },
	};

	(void)state;
	assert_events(cases, ARRAY_SIZE(cases));
}

static void names_of_tasks_may_hold_blanks_dashes_brackets_and_even_a_prefix(void **state)
{
	static const struct event_case cases[] = {
		{ "Web Content  77 [001] 1.5: kmem:mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 77, 1, FREE, 0, -1, -1, "Web Content" } },
		{ "Web Content-77 [001] .... 1.5: mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 77, 1, FREE, 0, -1, -1, "Web Content" } },
		{ "kworker/u8:1-ev-77 [001] .... 1.5: mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 77, 1, FREE, 0, -1, -1, "kworker/u8:1-ev" } },
		{ "x--77 [001] .... 1.5: mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 77, 1, FREE, 0, -1, -1, "x-" } },
		{ "a [3] b 77 [001] 1.5: kmem:mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 77, 1, FREE, 0, -1, -1, "a [3] b" } },
		{ "a]b[-77 [001] .... 1.5: mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 77, 1, FREE, 0, -1, -1, "a]b[" } },
		{ "(sd-pam) 77 [001] 1.5: kmem:mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 77, 1, FREE, 0, -1, -1, "(sd-pam)" } },
		{ "swapper 0 [001] 1.5: kmem:mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 0, 1, FREE, 0, -1, -1, "swapper" } },
		{ "a-1 [0] 1.0: b: 77 [001] 1.5: kmem:mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 77, 1, FREE, 0, -1, -1, "a-1 [0] 1.0: b:" } },
		{ "a-1 [0] 1.0: b:-77 ( 70) [001] d.... 1.5: mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 77, 1, FREE, 0, -1, -1, "a-1 [0] 1.0: b:" } },
		/* an older perf, or several files: more than a kernel's name in front */
		{ "trace.dat:        bash-77 [001] 1.5: mm_page_free: pfn=0x1a order=0",
		  { 1500000000, 0x1a, 77, 1, FREE, 0, -1, -1, "trace.dat:     " } },
	};

	(void)state;
	assert_events(cases, ARRAY_SIZE(cases));
}

static void what_gives_no_event_says_why(void **state)
{
	static const struct {
		const char *line;
		enum trace_skip skip;
	} cases[] = {
		{ "", TRACE_SKIP_HEADING },
		{ " \t\r", TRACE_SKIP_HEADING },
		{ "# tracer: nop", TRACE_SKIP_HEADING },
		{ "#      | |  [000] 1.5: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_HEADING },
		{ "cpus=2", TRACE_SKIP_HEADING },
		{ "CPU 1 is empty", TRACE_SKIP_HEADING },
		{ "##### CPU 1 buffer started ####", TRACE_SKIP_HEADING },
		{ "a 1 [000] 1.5: sched:sched_switch: prev_comm=a pfn=1 order=0", TRACE_SKIP_OTHER_EVENT },
		{ "a 1 [000] 1.5: mm_page_freed: pfn=0x1a order=0", TRACE_SKIP_OTHER_EVENT },
		{ "a 1 [000] 1.5: workqueue_execute_start: work struct 0x1: function vmstat_updated",
		  TRACE_SKIP_OTHER_EVENT },
		{ "a 1 [000] 1.5: workqueue_execute_start: work struct 0x1: function 0xffffffff815d3eb0",
		  TRACE_SKIP_OTHER_EVENT },
		{ "a 1 [000] 1.5: workqueue_execute_start:", TRACE_SKIP_OTHER_EVENT },
		{ "a 1 [000] 1.5: mm_page_fre: pfn=0x1a order=0", TRACE_SKIP_OTHER_EVENT },
		{ "a 1 [000] 1.5: mm_page_free pfn=0x1a order=0", TRACE_SKIP_OTHER_EVENT },
		{ "a-1 [000] .... 1.5: do_exit <-x64_sys_call", TRACE_SKIP_OTHER_EVENT },
		{ "a-1 [000] .... 1.5: bprint: b-2 [001] 1.5: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_OTHER_EVENT },
		{ "a 1 [000] 1.5:", TRACE_SKIP_OTHER_EVENT },
		{ "a 1 [000] 1.5: 17", TRACE_SKIP_OTHER_EVENT },
		{ "a 1 [000] 1.5: mm_page_alloc: page=0000000000000000 pfn=0x0 order=9 migratetype=1 "
		  "gfp_flags=GFP_NOWAIT",
		  TRACE_SKIP_FAILED_ALLOC },
		{ "a 1 [000] 1.5: mm_page_alloc: page=(null) pfn=0 order=9 migratetype=1", TRACE_SKIP_FAILED_ALLOC },
		{ "make: Entering directory '/tmp' [x]", TRACE_SKIP_NO_EVENT },
		{ "a 1 1.5: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_NO_EVENT },
		{ "a 1 [] 1.5: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_NO_EVENT },
		{ "a 1 [0x1] 1.5: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_NO_EVENT },
		{ "a 1 [123456] 1.5: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_NO_EVENT },
		{ "a 1 [000] 15: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_NO_EVENT },
		{ "a 1 [000] 1.: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_NO_EVENT },
		{ "a 1 [000] 1.1234567890: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_NO_EVENT },
		{ "a 1 [000] 9999999999.5: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_NO_EVENT },
		{ "a 1 [000] 99999999999.5: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_NO_EVENT },
		{ "kmem:mm_page_free: page=0x1a pfn=0x1a order=0", TRACE_SKIP_NO_EVENT },
		{ "der=0 migratetype=1 gfp_flags=GFP_KERNEL", TRACE_SKIP_NO_EVENT },
		{ "[", TRACE_SKIP_NO_EVENT },
		{ "[1", TRACE_SKIP_NO_EVENT },
		{ "[1]", TRACE_SKIP_NO_EVENT },
		{ "a 1 [8192] 1.5: mm_page_free: pfn=0x1a order=0", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free: page=0x1a order=0", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free: pfn=0x1a", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free:", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free: pfn= order=0", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free: pfn=0x order=0", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free: pfn=1a order=0", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free: pfn=-1 order=0", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free: pfn=0x10000000000000 order=0", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free: pfn=0x00000000000000001 order=0", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free: pfn=00000000000000000001 order=0", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_free: pfn=0x1a order=32", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_alloc: pfn=0x1a order=0 migratetype=16", TRACE_SKIP_MALFORMED },
		{ "a 1 [000] 1.5: mm_page_alloc_zone_locked: pfn=0x1a order=0 migratetype=1 percpu_refill=2",
		  TRACE_SKIP_MALFORMED },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_event event;
		uint64_t nr_lost;
		const enum trace_skip skip = parse(cases[i].line, true, &event, &nr_lost);

		if (skip != cases[i].skip)
			fail_msg("'%s': %s", cases[i].line, trace_skip_texts[skip]);
		assert_int_equal(nr_lost, 0);
	}
}

static void marks_of_lost_events_are_counted_as_far_as_they_know(void **state)
{
	static const struct {
		const char *line;
		uint64_t nr_lost;
	} cases[] = {
		{ "CPU:1 [LOST 123 EVENTS]", 123 },
		{ "CPU:1 [LOST EVENTS]", 0 },
		{ "CPU:1 [LOST 123 EVENTS]\r", 123 },
		{ "CPU:12 [17 EVENTS DROPPED]", 17 },
		{ "CPU:12 [EVENTS DROPPED]", 0 },
		{ "make 7 [001] 3.5: PERF_RECORD_LOST lost 42", 42 },
		{ "make 7 [001] 3.5: PERF_RECORD_LOST_SAMPLES lost 43", 43 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_event event;
		uint64_t nr_lost;

		assert_int_equal(parse(cases[i].line, true, &event, &nr_lost), TRACE_SKIP_LOST);
		assert_int_equal(nr_lost, cases[i].nr_lost);
	}
}

/* The only number that may have lost digits is the last one. */
static void a_last_line_without_its_end_gives_an_event_only_when_nothing_of_it_can_be_missing(void **state)
{
	static const char line[] =
		"make 34 [002] 1.5: kmem:mm_page_alloc: page=0x1a pfn=0x1a order=10 migratetype=1 gfp_flags=X";
	static const char needed[] =
		"make 34 [002] 1.5: kmem:mm_page_alloc: page=0x1a pfn=0x1a order=10 migratetype=1 ";
	struct trace_event event;
	uint64_t nr_lost;
	char part[sizeof(line)];

	(void)state;
	for (size_t bytes = 1; bytes < sizeof(line); bytes++) {
		const bool whole = bytes > sizeof(needed) - 1;

		memcpy(part, line, bytes);
		part[bytes] = '\0';
		assert_int_equal(parse(part, false, &event, &nr_lost), whole ? TRACE_SKIP_NONE : TRACE_SKIP_CUT);
	}
	assert_int_equal(event.order, 10);
	assert_int_equal(parse("make 34 [002] 1.5: mm_page_free: pfn=0x1a order=1", false, &event, &nr_lost),
			 TRACE_SKIP_CUT);
	assert_int_equal(parse("# a heading", false, &event, &nr_lost), TRACE_SKIP_HEADING);
}

static void a_name_with_a_nul_byte_ends_there(void **state)
{
	static const char text[] = "a\0b 34 [002] 1.5: mm_page_free: pfn=0x1a order=0";
	const struct trace_line line = { .text = text, .bytes = sizeof(text) - 1, .complete = true };
	struct trace_event event;
	uint64_t nr_lost;

	(void)state;
	assert_int_equal(trace_text_parse(&line, &event, &nr_lost), TRACE_SKIP_NONE);
	assert_string_equal(event.comm, "a");
	assert_true(trace_event_is_valid(&event));
}

static void every_reason_and_every_type_has_a_text(void **state)
{
	(void)state;
	for (int type = 0; type < NR_TRACE_TYPES; type++)
		assert_true(strlen(trace_type_names[type]) > 5);
	for (int skip = TRACE_SKIP_NONE + 1; skip < NR_TRACE_SKIPS; skip++)
		assert_true(strlen(trace_skip_texts[skip]) > 5);
}

static void an_event_with_any_field_out_of_its_limits_is_not_valid(void **state)
{
	static const struct trace_event good = { 1, 2, 3, 4, ALLOC, 5, 6, 1, "abc" };
	static const struct trace_event bad[] = {
		{ -1, 2, 3, 4, ALLOC, 5, 6, 1, "abc" },
		{ 1, TRACE_MAX_PFN + 1, 3, 4, ALLOC, 5, 6, 1, "abc" },
		{ 1, 2, -2, 4, ALLOC, 5, 6, 1, "abc" },
		{ 1, 2, 3, TRACE_MAX_CPUS, ALLOC, 5, 6, 1, "abc" },
		{ 1, 2, 3, 4, NR_TRACE_TYPES, 5, 6, 1, "abc" },
		{ 1, 2, 3, 4, ALLOC, TRACE_MAX_ORDER + 1, 6, 1, "abc" },
		{ 1, 2, 3, 4, ALLOC, 5, TRACE_MAX_MIGRATETYPE + 1, 1, "abc" },
		{ 1, 2, 3, 4, ALLOC, 5, -2, 1, "abc" },
		{ 1, 2, 3, 4, ALLOC, 5, 6, 2, "abc" },
		{ 1, 2, 3, 4, ALLOC, 5, 6, -2, "abc" },
		{ 1, 2, 3, 4, ALLOC, 5, 6, 1, "ab\0d" },
		{ 1, 2, 3, 4, ALLOC, 5, 6, 1, "0123456789abcdef" },
	};

	(void)state;
	assert_true(trace_event_is_valid(&good));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_false(trace_event_is_valid(&bad[i]));
		assert_false(trace_event_same(&bad[i], &good));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_perf_and_ftrace_give_the_event_that_the_kernel_printed),
		cmocka_unit_test(names_of_tasks_may_hold_blanks_dashes_brackets_and_even_a_prefix),
		cmocka_unit_test(what_gives_no_event_says_why),
		cmocka_unit_test(marks_of_lost_events_are_counted_as_far_as_they_know),
		cmocka_unit_test(a_last_line_without_its_end_gives_an_event_only_when_nothing_of_it_can_be_missing),
		cmocka_unit_test(a_name_with_a_nul_byte_ends_there),
		cmocka_unit_test(every_reason_and_every_type_has_a_text),
		cmocka_unit_test(an_event_with_any_field_out_of_its_limits_is_not_valid),
	};

	return cmocka_run_group_tests_name("trace_text", tests, NULL, NULL);
}
