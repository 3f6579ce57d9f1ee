/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The binary trace gives back what was put into it, or says that it cannot. */
#include "sim/trace/trace_binary.h"

#include "sim/trace/trace_codec.h"
#include "sim/util/hash.h"
#include "sim/util/rng.h"
#include "tests/support/scratch.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define NR_RANDOM 30000 /* several frames */
#define HEADER_BYTES 16

static const struct trace_event extremes[] = {
	{ 0, 0, -1, 0, TRACE_PAGE_ALLOC, 0, -1, -1, "" },
	{ INT64_MAX, TRACE_MAX_PFN, INT32_MAX, TRACE_MAX_CPUS - 1, NR_TRACE_TYPES - 1, TRACE_MAX_ORDER,
	  TRACE_MAX_MIGRATETYPE, 1, "0123456789abcde" },
	{ 0, 0, 0, 0, TRACE_PAGE_FREE, 0, 0, 0, "\xff\n" },
	{ 0, TRACE_MAX_PFN, 0, 0, TRACE_PAGE_FREE, 0, 0, 0, "\xff\n" },
	{ 0, 0, 0, 0, TRACE_PAGE_FREE, 0, 0, 0, "\xff\n" },
};

/* An event like the last one in most of its fields, as they are in a trace. */
static void draw(struct rng *rng, struct trace_event *event)
{
	static const char *const names[] = { "", "make", "cc1", "kworker/u8:1-ev" };

	event->time_ns += (int64_t)rng_below(rng, 2000) - 10;
	if (event->time_ns < 0)
		event->time_ns = 0;
	event->pfn = rng_below(rng, 4) ? event->pfn + rng_below(rng, 512) : rng_u64(rng) >> 12;
	event->pfn &= TRACE_MAX_PFN;
	event->type = (uint8_t)rng_below(rng, NR_TRACE_TYPES);
	if (rng_below(rng, 20) == 0)
		event->cpu = (uint16_t)rng_below(rng, TRACE_MAX_CPUS);
	if (rng_below(rng, 20) == 0) {
		memset(event->comm, 0, sizeof(event->comm));
		strcpy(event->comm, names[rng_below(rng, ARRAY_SIZE(names))]);
		event->pid = (int32_t)rng_below(rng, 100000) - 1;
	}
	event->order = (uint8_t)rng_below(rng, 4);
	event->migratetype = (int8_t)((int)rng_below(rng, 4) - 1);
	event->percpu_refill = (int8_t)((int)rng_below(rng, 3) - 1);
}

static const char *write_events(const struct scratch *scratch, const struct trace_event *events, int nr)
{
	const char *path = scratch_path(scratch, "t.ctr");
	struct trace_skipped skipped = { .nr_lost_events = 77 };
	struct trace_writer *writer = trace_writer_open(path, NULL);

	assert_non_null(writer);
	for (int i = 0; i < nr; i++)
		trace_writer_put(writer, &events[i]);
	for (int i = 1; i < NR_TRACE_SKIPS; i++)
		skipped.nr[i] = (uint64_t)i << 40;
	assert_int_equal(trace_writer_commit(writer, &skipped, NULL), 0);
	return path;
}

/* How many events a file gives before its end (then 0 into *result) or an error. */
static int read_events(const struct scratch *scratch, const char *path, const struct trace_event *expected, int *result,
		       struct error *err)
{
	struct trace_file *file = trace_file_open(scratch->arena, path, err);
	struct trace_binary *binary;
	struct trace_event event;
	int nr = 0;

	*result = -1;
	if (!file)
		return 0;
	binary = trace_binary_open(scratch->arena, file, err);
	while (binary && (*result = trace_binary_next(binary, &event, err)) == 1) {
		if (expected)
			assert_true(trace_event_same(&event, &expected[nr]));
		nr++;
	}
	if (*result == 0) { /* and stays there */
		assert_int_equal(trace_binary_next(binary, &event, err), 0);
		assert_int_equal(trace_binary_skipped(binary)->nr_lost_events, 77);
		for (int i = 1; i < NR_TRACE_SKIPS; i++)
			assert_int_equal(trace_binary_skipped(binary)->nr[i], (uint64_t)i << 40);
	}
	trace_file_close(file);
	return nr;
}

static void assert_round_trip(const struct scratch *scratch, const struct trace_event *events, int nr)
{
	const char *path = write_events(scratch, events, nr);
	struct error err = { 0 };
	int result;

	assert_int_equal(read_events(scratch, path, events, &result, &err), nr);
	assert_int_equal(result, 0);
}

static void events_come_back_as_they_were(void **state)
{
	const struct scratch *scratch = *state;
	struct trace_event *events = arena_calloc(scratch->arena, NR_RANDOM, sizeof(*events));
	struct rng rng = rng_stream(1, 1);
	struct trace_event event = { .time_ns = INT64_C(3722812507000), .pid = -1 };

	for (int i = 0; i < NR_RANDOM; i++) {
		draw(&rng, &event);
		events[i] = event;
	}
	assert_round_trip(scratch, events, NR_RANDOM);
}

static void the_largest_and_smallest_fields_come_back_as_they_were(void **state)
{
	assert_round_trip(*state, extremes, ARRAY_SIZE(extremes));
}

static void a_trace_without_events_is_a_trace(void **state)
{
	assert_round_trip(*state, extremes, 0);
}

static void no_event_takes_more_room_than_is_said(void **state)
{
	const struct scratch *scratch = *state;
	struct trace_codec *codec = trace_codec_create(scratch->arena);
	unsigned char out[TRACE_CODEC_MAX_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(extremes); i++)
		assert_in_range(trace_codec_put(codec, &extremes[i], out), 1, TRACE_CODEC_MAX_BYTES);
}

/* Every byte of the format in one place: what another machine has to read. */
static void the_bytes_of_a_small_trace_are_those_that_the_header_describes(void **state)
{
	static const struct trace_event event = { 1000, 300, 5, 2, TRACE_PAGE_ALLOC_ZONE_LOCKED, 3, 1, 1, "ab" };
	static const unsigned char expected[] = {
		0x89, 'C', 'T', 'R', '\r', '\n', 0x1a, '\n', 2, 0,    0,    0,	  0,	0, 0, 0, /* magic, version */
		1,    0,   0,	0,   13,   0,	 0,    0, /* one event in 13 bytes */
		0x3b, 2,   6,	2,   'a',  'b',	 3,    2,    2, 0xd0, 0x0f, 0xd8, 0x04,
	};
	const char *bytes = scratch_read(*state, write_events(*state, &event, 1));
	const unsigned char *hash = (const unsigned char *)bytes + sizeof(expected);
	uint64_t written = 0;

	assert_memory_equal(bytes, expected, sizeof(expected));
	for (int i = 0; i < 8; i++)
		written |= (uint64_t)hash[i] << 8 * i;
	assert_int_equal(written, hash_bytes(expected + HEADER_BYTES, sizeof(expected) - HEADER_BYTES));
}

static const char *small_trace(const struct scratch *scratch, size_t *nr)
{
	const char *path = write_events(scratch, extremes, ARRAY_SIZE(extremes));
	const char *bytes = scratch_read(scratch, path);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*nr = (size_t)ftell(file);
	fclose(file);
	return bytes;
}

static void a_file_cut_anywhere_is_refused_as_cut(void **state)
{
	const struct scratch *scratch = *state;
	size_t nr;
	const char *bytes = small_trace(scratch, &nr);

	for (size_t cut = 0; cut < nr; cut++) {
		const char *path = scratch_write_bytes(scratch, "cut.ctr", bytes, cut);
		struct error err = { 0 };
		int result;

		read_events(scratch, path, extremes, &result, &err);
		assert_int_equal(result, -1);
		assert_non_null(strstr(err.text, "cut.ctr' is cut off: it ends after "));
	}
}

static void a_file_with_any_byte_changed_is_refused(void **state)
{
	const struct scratch *scratch = *state;
	size_t nr;
	char *bytes = arena_alloc(scratch->arena, 4096);
	const char *whole = small_trace(scratch, &nr);

	memcpy(bytes, whole, nr);
	for (size_t i = 0; i < nr; i++) {
		struct error err = { 0 };
		const char *path;
		int result;

		bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
		path = scratch_write_bytes(scratch, "bad.ctr", bytes, nr);
		read_events(scratch, path, NULL, &result, &err);
		bytes[i] = whole[i];
		assert_int_equal(result, -1);
		assert_non_null(strstr(err.text, "bad.ctr' is "));
	}
}

static void what_is_wrong_with_a_file_is_said(void **state)
{
	static const struct {
		size_t at; /* of the byte to change */
		char byte;
		const char *error;
	} cases[] = {
		{ 0, 'x', "is damaged after its event 0: import the trace again" },
		{ 8, 1, "is a trace of version 1 and not 2: import it again with this contend" },
		{ 12, 1, "is damaged after its event 0" },
		{ 22, 1, "is damaged after its event 0" }, /* a frame of more than 64 KiB */
		{ 30, 99, "is damaged after its event 0" },
	};
	const struct scratch *scratch = *state;
	size_t nr;
	char *bytes = arena_alloc(scratch->arena, 4096);
	const char *whole = small_trace(scratch, &nr);
	struct error err = { 0 };
	int result;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		memcpy(bytes, whole, nr);
		bytes[cases[i].at] = cases[i].byte;
		read_events(scratch, scratch_write_bytes(scratch, "bad.ctr", bytes, nr), NULL, &result, &err);
		assert_int_equal(result, -1);
		if (!strstr(err.text, cases[i].error))
			fail_msg("%s", err.text);
	}
	memcpy(bytes, whole, nr);
	read_events(scratch, scratch_write_bytes(scratch, "bad.ctr", bytes, nr + 1), extremes, &result, &err);
	assert_int_equal(result, -1);
	assert_non_null(strstr(err.text, "has more bytes after the end of the trace"));
}

/* A right hash does not make an event right. */
static void bytes_that_are_no_event_are_refused_by_the_codec(void **state)
{
	static const struct {
		unsigned char bytes[16];
		size_t nr;
	} cases[] = {
		{ { 0 }, 0 }, /* nothing */
		{ { 0x07, 0, 0 }, 3 }, /* a type that is none */
		{ { 0x40, 0, 0 }, 3 }, /* a bit that has no meaning */
		{ { 0x80, 0, 0 }, 3 },
		{ { 0x08, 0x80, 0x40, 0, 0 }, 5 }, /* CPU 8192 */
		{ { 0x00, 0x01, 0 }, 3 }, /* a time below 0 */
		{ { 0x00, 0, 0x01 }, 3 }, /* a pfn below 0 */
		{ { 0x00, 0 }, 2 }, /* no pfn */
		{ { 0x00, 0x80 }, 2 }, /* a number that does not end */
		{ { 0x00, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 0 }, 12 }, /* of 65 bits */
		{ { 0x10, 0, 16 }, 3 }, /* a name that is too long */
		{ { 0x10, 0, 2, 'a' }, 4 }, /* a name that is cut */
		{ { 0x10, 0, 2, 'a', 0, 0, 0 }, 7 }, /* a name with a NUL */
		{ { 0x10, 0x81, 0x80, 0x80, 0x80, 0x08, 0, 0, 0 }, 9 }, /* pid 2^31 */
		{ { 0x20, 32, 0, 0, 0, 0 }, 6 }, /* order */
		{ { 0x20, 0, 17, 0, 0, 0 }, 6 }, /* migratetype */
		{ { 0x20, 0, 0, 3, 0, 0 }, 6 }, /* percpu_refill */
		{ { 0x20, 0, 0xff, 0, 0, 0 }, 6 },
	};
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trace_codec *codec = trace_codec_create(scratch->arena);
		const unsigned char *at = cases[i].bytes;
		struct trace_event event;

		if (trace_codec_get(codec, &at, at + cases[i].nr, &event))
			fail_msg("case %zu is taken for an event", i);
		assert_ptr_equal(at, cases[i].bytes);
	}
}

static void what_cannot_be_written_is_an_error_and_leaves_nothing(void **state)
{
	const struct scratch *scratch = *state;
	struct trace_writer *writer;
	struct error err;

	assert_null(trace_writer_open(scratch_path(scratch, "no/where.ctr"), &err));
	assert_non_null(strstr(err.text, "cannot write"));
	writer = trace_writer_open(scratch_path(scratch, "t.ctr"), &err);
	trace_writer_put(writer, &extremes[0]);
	trace_writer_abort(writer);
	trace_writer_abort(NULL);
	assert_int_equal(scratch_count(scratch), 0);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(events_come_back_as_they_were),
		IN_SCRATCH(the_largest_and_smallest_fields_come_back_as_they_were),
		IN_SCRATCH(a_trace_without_events_is_a_trace),
		IN_SCRATCH(no_event_takes_more_room_than_is_said),
		IN_SCRATCH(the_bytes_of_a_small_trace_are_those_that_the_header_describes),
		IN_SCRATCH(a_file_cut_anywhere_is_refused_as_cut),
		IN_SCRATCH(a_file_with_any_byte_changed_is_refused),
		IN_SCRATCH(what_is_wrong_with_a_file_is_said),
		IN_SCRATCH(bytes_that_are_no_event_are_refused_by_the_codec),
		IN_SCRATCH(what_cannot_be_written_is_an_error_and_leaves_nothing),
	};

	return cmocka_run_group_tests_name("trace_binary", tests, NULL, NULL);
}
