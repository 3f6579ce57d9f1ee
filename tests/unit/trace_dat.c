/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of trace-cmd, as recorded, held against what `trace-cmd report -t` prints of them; and damaged ones. */
#include "sim/trace/trace_dat.h"

#include "sim/trace/trace_reader.h"
#include "sim/util/rng.h"
#include "tests/support/scratch.h"
#include "tests/support/trace_outcome.h"
#include "tests/support/unit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define RECORDED(name) CONTEND_SOURCE_DIR "/tests/data/traces/" name
#define V7 RECORDED("fork-6.18.trace-cmd-7.dat")
#define V6 RECORDED("lost-6.18.trace-cmd-6.dat.xz")
#define OURS RECORDED("sleep-6.18.contend.dat.xz") /* as sim/trace/recorder.c writes it */

/* All bytes of a file, unpacked. */
static char *load(const struct scratch *scratch, const char *path, size_t *nr)
{
	struct trace_file *file = trace_file_open(scratch->arena, path, NULL);
	char *bytes = arena_alloc(scratch->arena, (size_t)1 << 20);
	const char *window;
	size_t there;

	*nr = 0;
	assert_non_null(file);
	while (trace_file_peek(file, 1, &window, &there, NULL) == 0 && there) {
		assert_in_range(*nr + there, 1, (size_t)1 << 20);
		memcpy(bytes + *nr, window, there);
		*nr += there;
		trace_file_skip(file, there);
	}
	trace_file_close(file);
	return bytes;
}

static void no_process_is_left(void)
{
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
}

static void its_events_are_those_of_trace_cmds_own_report(void **state)
{
	static const struct {
		const char *file, *report;
		int nr_events;
	} cases[] = {
		{ V7, RECORDED("fork-6.18.trace-cmd-report.txt.xz"), 10890 },
		{ V6, RECORDED("lost-6.18.trace-cmd-report.txt.xz"), 6480 },
		{ OURS, RECORDED("sleep-6.18.trace-cmd-report.txt.xz"), 228 },
	};
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_reader *file = trace_reader_open(scratch->arena, cases[i].file, NULL);
		struct trace_reader *report = trace_reader_open(scratch->arena, cases[i].report, NULL);
		struct trace_event event, reported;
		int nr = 0;

		assert_non_null(file);
		assert_non_null(report);
		while (trace_reader_next(file, &event, NULL) == 1) {
			assert_int_equal(trace_reader_next(report, &reported, NULL), 1);
			assert_true(trace_event_same(&event, &reported));
			nr++;
		}
		assert_int_equal(trace_reader_next(report, &reported, NULL), 0);
		assert_int_equal(nr, cases[i].nr_events);
		trace_reader_close(file);
		trace_reader_close(report);
	}
	no_process_is_left();
}

static void what_gave_no_event_is_counted(void **state)
{
	const struct trace_outcome other = trace_outcome_of(*state, V7);
	const struct trace_outcome lost = trace_outcome_of(*state, V6);

	assert_int_equal(other.result, 0);
	assert_int_equal(other.skipped.nr[TRACE_SKIP_OTHER_EVENT], 14);
	assert_int_equal(other.skipped.nr_lost_events, 0);
	assert_int_equal(lost.result, 0);
	assert_int_equal(lost.skipped.nr[TRACE_SKIP_LOST], 5);
	assert_int_equal(lost.skipped.nr_lost_events, 3667);
}

static void memory_does_not_follow_the_events(void **state)
{
	const struct scratch *scratch = *state;
	const size_t used_bytes = arena_used_bytes(scratch->arena);

	assert_int_equal(trace_outcome_of(scratch, V7).nr_events, 10890);
	assert_in_range(arena_used_bytes(scratch->arena) - used_bytes, 1, 400000);
}

static void reading_may_stop_at_any_event(void **state)
{
	const struct scratch *scratch = *state;

	for (int nr = 0; nr < 3; nr++) {
		struct trace_reader *reader = trace_reader_open(scratch->arena, V7, NULL);
		struct trace_event event;

		for (int i = 0; i < nr; i++)
			assert_int_equal(trace_reader_next(reader, &event, NULL), 1);
		trace_reader_close(reader);
		no_process_is_left();
	}
}

static void a_file_cut_anywhere_is_an_error(void **state)
{
	static const size_t lengths[] = { 10, 11, 12, 17, 18, 100, 1000, 5000, 20000, 60000, 76000 };
	const struct scratch *scratch = *state;
	size_t nr;
	const char *bytes = load(scratch, V7, &nr);

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		const struct trace_outcome outcome =
			trace_outcome_of(scratch, scratch_write_bytes(scratch, "cut.dat", bytes, lengths[i]));

		assert_int_equal(outcome.result, -1);
		assert_non_null(strstr(outcome.err.text, "cannot read '"));
	}
	no_process_is_left();
}

static void a_file_without_events_of_pages_is_an_error(void **state)
{
	const struct scratch *scratch = *state;
	size_t nr;
	char *bytes = load(scratch, V6, &nr);
	char *system = memmem(bytes, nr, "kmem", sizeof("kmem")); /* with its NUL: the name of the formats' system */
	struct trace_outcome outcome;

	assert_non_null(system);
	memcpy(system, "slab", 4);
	outcome = trace_outcome_of(scratch, scratch_write_bytes(scratch, "other.dat", bytes, nr));
	assert_int_equal(outcome.result, -1);
	assert_non_null(strstr(outcome.err.text, "has no event of a page: record kmem:mm_page_alloc, "));
}

/* The library then takes eight letters for the length of what follows. */
static void a_length_made_of_text_is_an_error(void **state)
{
	static const char *const names[] = { "header_page", "header_event" };
	const struct scratch *scratch = *state;
	size_t nr;
	char *bytes = load(scratch, V6, &nr);

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *end = memmem(bytes, nr, names[i], strlen(names[i]) + 1);
		struct trace_outcome outcome;

		assert_non_null(end);
		end += strlen(names[i]);
		*end = 'Y';
		outcome = trace_outcome_of(scratch, scratch_write_bytes(scratch, "length.dat", bytes, nr));
		*end = '\0';
		assert_int_equal(outcome.result, -1);
		assert_int_equal(outcome.nr_events, 0);
		assert_non_null(strstr(outcome.err.text, "length.dat': "));
	}
	no_process_is_left();
}

/* 0 where the kernel does not tell. */
static pid_t only_child(void)
{
	FILE *children = fopen("/proc/thread-self/children", "r");
	int pid = 0;

	if (!children || fscanf(children, "%d", &pid) != 1)
		pid = 0;
	if (children)
		fclose(children);
	return pid;
}

/* The first of these is how the library fails on damage, the second how it is stopped when it never ends. */
static void an_end_by_a_signal_is_an_error_that_names_it(void **state)
{
	static const int signals[] = { SIGSEGV, SIGXCPU };
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		struct trace_reader *reader = trace_reader_open(scratch->arena, V7, NULL);
		struct error err = { 0 };
		struct trace_event event;
		pid_t child = only_child();
		int result;

		if (!child)
			skip();
		assert_int_equal(trace_reader_next(reader, &event, NULL), 1);
		assert_int_equal(kill(child, signals[i]), 0); /* it waits: the pipe is smaller than its events */
		while ((result = trace_reader_next(reader, &event, &err)) == 1)
			;
		assert_int_equal(result, -1);
		assert_non_null(strstr(err.text, "fork-6.18.trace-cmd-7.dat': trace-cmd's library failed on it: "));
		assert_non_null(strstr(err.text, strsignal(signals[i])));
		trace_reader_close(reader);
		no_process_is_left();
	}
}

/* Formats that put pfn where no record reaches: events are refused one by one, none is made up. */
static void a_field_outside_its_record_makes_the_event_malformed(void **state)
{
	static const char here[] = " pfn;\toffset:8;\tsize:8;", outside[] = " pfn;offset:999;size:8;";
	const struct scratch *scratch = *state;
	struct trace_outcome outcome;
	size_t nr;
	char *bytes = load(scratch, V6, &nr);

	for (char *at = bytes; (at = memmem(at, nr - (size_t)(at - bytes), here, sizeof(here) - 1)); at++)
		memcpy(at, outside, sizeof(outside) - 1);
	outcome = trace_outcome_of(scratch, scratch_write_bytes(scratch, "field.dat", bytes, nr));
	assert_int_equal(outcome.result, 0);
	assert_int_equal(outcome.nr_events, 0);
	assert_int_equal(outcome.skipped.nr[TRACE_SKIP_MALFORMED], 6480);
}

/* Whatever the library does on them: no crash of ours, and an event or an error in words. */
static void damage_is_never_more_than_an_error(void **state)
{
	const struct scratch *scratch = *state;
	struct rng rng = rng_stream(1, 1);
	size_t nr;
	char *bytes = load(scratch, V7, &nr);

	for (int i = 0; i < 100; i++) {
		const size_t at = (size_t)rng_below(&rng, i % 2 ? nr : 6000);
		const char before = bytes[at];
		struct trace_outcome outcome;

		bytes[at] = (char)rng_below(&rng, 256);
		outcome = trace_outcome_of(scratch, scratch_write_bytes(scratch, "bad.dat", bytes, nr));
		assert_true(outcome.result == 0 || (outcome.result == -1 && outcome.err.text[0]));
		bytes[at] = before;
	}
	no_process_is_left();
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(its_events_are_those_of_trace_cmds_own_report),
		IN_SCRATCH(what_gave_no_event_is_counted),
		IN_SCRATCH(memory_does_not_follow_the_events),
		IN_SCRATCH(reading_may_stop_at_any_event),
		IN_SCRATCH(a_file_cut_anywhere_is_an_error),
		IN_SCRATCH(a_file_without_events_of_pages_is_an_error),
		IN_SCRATCH(a_length_made_of_text_is_an_error),
		IN_SCRATCH(an_end_by_a_signal_is_an_error_that_names_it),
		IN_SCRATCH(a_field_outside_its_record_makes_the_event_malformed),
		IN_SCRATCH(damage_is_never_more_than_an_error),
	};

	return cmocka_run_group_tests_name("trace_dat", tests, NULL, NULL);
}
