/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trace files: compressors, line ends, what is no trace, and memory that does not grow. */
#include "sim/trace/trace_reader.h"

#include "sim/trace/trace_binary.h"
#include "tests/support/scratch.h"
#include "tests/support/trace_outcome.h"
#include "tests/support/unit.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE(pfn) "make 34 [001] 1.5: kmem:mm_page_free: page=" pfn " pfn=" pfn " order=0"

static struct trace_outcome read_text(const struct scratch *scratch, const char *text)
{
	return trace_outcome_of(scratch, scratch_write(scratch, "t.txt", text));
}

static uint64_t nr_skipped(const struct trace_outcome *outcome)
{
	uint64_t nr = 0;

	for (int i = 0; i < NR_TRACE_SKIPS; i++)
		nr += outcome->skipped.nr[i];
	return nr;
}

static void every_line_gives_an_event_or_counts_as_skipped(void **state)
{
	static const struct {
		const char *text;
		int nr_events;
		enum trace_skip skip; /* of the one line that is skipped, if any */
	} cases[] = {
		{ "", 0, TRACE_SKIP_NONE },
		{ "\n", 0, TRACE_SKIP_HEADING },
		{ LINE("0x1") "\n" LINE("0x2") "\n", 2, TRACE_SKIP_NONE },
		{ LINE("0x1") "\r\n" LINE("0x2") "\r\n", 2, TRACE_SKIP_NONE },
		{ "0x7 order=0\n" LINE("0x1") "\n", 1, TRACE_SKIP_NO_EVENT },
		{ LINE("0x1") "\n" LINE("0x2"), 1, TRACE_SKIP_CUT },
		{ LINE("0x1") "\nmake 34 [0", 1, TRACE_SKIP_CUT },
		{ "# tracer: nop\n" LINE("0x1") "\n", 1, TRACE_SKIP_HEADING },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct trace_outcome outcome = read_text(*state, cases[i].text);

		assert_int_equal(outcome.result, 0);
		assert_int_equal(outcome.nr_events, cases[i].nr_events);
		assert_int_equal(nr_skipped(&outcome), cases[i].skip != TRACE_SKIP_NONE);
		if (cases[i].skip != TRACE_SKIP_NONE)
			assert_int_equal(outcome.skipped.nr[cases[i].skip], 1);
	}
}

static void lost_events_add_up(void **state)
{
	const struct trace_outcome outcome =
		read_text(*state,
			  "CPU:0 [LOST 3 EVENTS]\n" LINE("0x1") "\nCPU:1 [LOST 40 EVENTS]\nCPU:1 [LOST EVENTS]\n");

	assert_int_equal(outcome.skipped.nr[TRACE_SKIP_LOST], 3);
	assert_int_equal(outcome.skipped.nr_lost_events, 43);
	assert_int_equal(outcome.nr_events, 1);
}

/* Lines of every length round the limit and round the window, with an event behind each. */
static void a_line_that_is_too_long_is_passed_over_whole(void **state)
{
	static const size_t lengths[] = { 16383, 16384, 16385, 40000, 262143, 262144, 262145, 1000000 };
	const struct scratch *scratch = *state;
	char *text = arena_alloc(scratch->arena, 1100000);

	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct trace_outcome outcome;

		memset(text, '[', lengths[i]);
		strcpy(text + lengths[i], "\n" LINE("0x1") "\n");
		outcome = read_text(scratch, text);
		assert_int_equal(outcome.result, 0);
		assert_int_equal(outcome.nr_events, 1);
		assert_int_equal(nr_skipped(&outcome), 1);
		assert_int_equal(outcome.skipped.nr[TRACE_SKIP_TOO_LONG], lengths[i] >= 16384);
		text[lengths[i]] = '\0'; /* no line end at all */
		outcome = read_text(scratch, text);
		assert_int_equal(outcome.nr_events, 0);
		assert_int_equal(outcome.skipped.nr[TRACE_SKIP_TOO_LONG], lengths[i] >= 16384);
		assert_int_equal(outcome.skipped.nr[TRACE_SKIP_CUT], lengths[i] < 16384);
	}
}

/* 40 MiB of lines of all lengths: every line straddles the window's end sooner or later. */
static void a_long_text_is_read_whole_in_memory_that_does_not_grow(void **state)
{
	enum { NR_LINES = 300000 };
	const struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "long.txt");
	FILE *out = fopen(path, "w");
	struct trace_outcome outcome;
	size_t used_bytes;
	uint64_t sum = 0;

	assert_non_null(out);
	for (int i = 1; i <= NR_LINES; i++) {
		fprintf(out, "%*s 34 [001] 1.5: kmem:mm_page_free: pfn=%d order=0 x=%*d\n", i % 15, "m", i, i % 97, i);
		sum += (uint64_t)i;
	}
	assert_int_equal(fclose(out), 0);
	used_bytes = arena_used_bytes(scratch->arena);
	outcome = trace_outcome_of(scratch, path);
	assert_int_equal(outcome.nr_events, NR_LINES);
	assert_int_equal(outcome.pfn_sum, sum);
	assert_int_equal(nr_skipped(&outcome), 0);
	assert_in_range(arena_used_bytes(scratch->arena) - used_bytes, 1, 300000);
}

#define RECORDED(name) CONTEND_SOURCE_DIR "/tests/data/traces/" name

static const int filters[] = { ARCHIVE_FILTER_NONE, ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_ZSTD };

/* The text in a file whose name says nothing of how it is packed. */
static const char *pack(const struct scratch *scratch, int filter, const char *text)
{
	const char *path = scratch_path(scratch, "packed");
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_filetype(entry, AE_IFREG);
	assert_int_equal(archive_write_set_format_raw(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_add_filter(archive, filter), ARCHIVE_OK);
	assert_int_equal(archive_write_set_bytes_in_last_block(archive, 1), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, text, strlen(text)), strlen(text));
	assert_int_equal(archive_write_free(archive), ARCHIVE_OK);
	archive_entry_free(entry);
	return path;
}

static void compressed_files_give_what_they_hold(void **state)
{
	const char *text = scratch_read(*state, RECORDED("iperf3-6.18.perf-script.txt"));

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		const struct trace_outcome outcome = trace_outcome_of(*state, pack(*state, filters[i], text));

		assert_int_equal(outcome.result, 0);
		assert_int_equal(outcome.nr_events, 200);
		assert_int_equal(nr_skipped(&outcome), 0);
	}
}

static void compressed_files_that_are_cut_off_are_errors(void **state)
{
	const struct scratch *scratch = *state;
	const char *text = scratch_read(scratch, RECORDED("iperf3-6.18.perf-script.txt"));

	for (size_t i = 1; i < ARRAY_SIZE(filters); i++) {
		const char *path = pack(scratch, filters[i], text);
		struct trace_outcome outcome;

		assert_int_equal(truncate(path, 1000), 0);
		outcome = trace_outcome_of(scratch, path);
		assert_int_equal(outcome.result, -1);
		assert_non_null(strstr(outcome.err.text, "packed': "));
	}
}

static void recorded_traces_are_read_without_a_line_that_is_not_understood(void **state)
{
	const struct trace_outcome perf = trace_outcome_of(*state, RECORDED("kbuild-6.18.perf-script.txt.xz"));
	const struct trace_outcome ftrace = trace_outcome_of(*state, RECORDED("cc-6.18.ftrace.txt"));

	assert_int_equal(perf.nr_events, 5000);
	assert_int_equal(nr_skipped(&perf), 0);
	assert_int_equal(ftrace.nr_events, 120);
	assert_int_equal(nr_skipped(&ftrace), 12);
	assert_int_equal(ftrace.skipped.nr[TRACE_SKIP_HEADING], 12);
}

static void a_damaged_compressed_file_is_an_error(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = RECORDED("kbuild-6.18.perf-script.txt.xz");
	char *bytes = arena_alloc(scratch->arena, 20000);
	struct trace_outcome outcome;

	memcpy(bytes, scratch_read(scratch, path), 20000);
	bytes[10000] = (char)(bytes[10000] ^ 1);
	outcome = trace_outcome_of(scratch, scratch_write_bytes(scratch, "bad.xz", bytes, 20000));
	assert_int_equal(outcome.result, -1);
	assert_non_null(strstr(outcome.err.text, "cannot read '"));
}

static void a_binary_trace_is_recognized_by_its_bytes(void **state)
{
	static const struct trace_event event = { 1, 2, 3, 4, TRACE_PAGE_FREE, 0, -1, -1, "a" };
	static const struct trace_skipped skipped = { .nr = { [TRACE_SKIP_OTHER_EVENT] = 9 }, .nr_lost_events = 8 };
	const struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "trace.txt");
	struct trace_writer *writer = trace_writer_open(path, NULL);
	struct trace_outcome outcome;

	trace_writer_put(writer, &event);
	assert_int_equal(trace_writer_commit(writer, &skipped, NULL), 0);
	outcome = trace_outcome_of(scratch, path);
	assert_int_equal(outcome.nr_events, 1);
	assert_int_equal(outcome.skipped.nr[TRACE_SKIP_OTHER_EVENT], 9);
	assert_int_equal(outcome.skipped.nr_lost_events, 8);
}

static void a_file_of_perf_record_is_refused_with_the_command_that_makes_text_of_it(void **state)
{
	const struct trace_outcome outcome = read_text(*state, "PERFILE2 and more");

	assert_int_equal(outcome.result, -1);
	assert_non_null(strstr(outcome.err.text, "a file of perf record: give the output of `perf script "));
}

static void what_cannot_be_opened_says_why(void **state)
{
	const struct scratch *scratch = *state;
	struct trace_outcome missing = trace_outcome_of(scratch, scratch_path(scratch, "missing"));
	struct trace_outcome directory = trace_outcome_of(scratch, scratch->dir);

	assert_int_equal(missing.result, -1);
	assert_string_equal(missing.err.text,
			    arena_printf(scratch->arena, "cannot read '%s/missing': No such file or directory",
					 scratch->dir));
	assert_int_equal(directory.result, -1);
	assert_string_equal(directory.err.text,
			    arena_printf(scratch->arena, "cannot read '%s': Is a directory", scratch->dir));
	trace_reader_close(NULL);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(every_line_gives_an_event_or_counts_as_skipped),
		IN_SCRATCH(lost_events_add_up),
		IN_SCRATCH(a_line_that_is_too_long_is_passed_over_whole),
		IN_SCRATCH(a_long_text_is_read_whole_in_memory_that_does_not_grow),
		IN_SCRATCH(compressed_files_give_what_they_hold),
		IN_SCRATCH(recorded_traces_are_read_without_a_line_that_is_not_understood),
		IN_SCRATCH(compressed_files_that_are_cut_off_are_errors),
		IN_SCRATCH(a_damaged_compressed_file_is_an_error),
		IN_SCRATCH(a_binary_trace_is_recognized_by_its_bytes),
		IN_SCRATCH(a_file_of_perf_record_is_refused_with_the_command_that_makes_text_of_it),
		IN_SCRATCH(what_cannot_be_opened_says_why),
	};

	return cmocka_run_group_tests_name("trace_reader", tests, NULL, NULL);
}
