/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as lines of a trace. Every line gives a valid event or a reason;
 * an event printed as perf prints it is the same event again.
 */
#include "tests/fuzz/fuzz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/trace/trace_text.h"

#define NS_PER_S INT64_C(1000000000)

#define MUST(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

/* Exactly the line's bytes, so that the sanitizer sees a read beyond them. */
static enum trace_skip parse(const char *text, size_t bytes, bool complete, struct trace_event *event)
{
	char *exact = malloc(bytes ? bytes : 1);
	const struct trace_line line = { .text = exact, .bytes = bytes, .complete = complete };
	enum trace_skip skip;
	uint64_t nr_lost;

	MUST(exact);
	memcpy(exact, text, bytes);
	skip = trace_text_parse(&line, event, &nr_lost);
	MUST(skip >= TRACE_SKIP_NONE && skip < NR_TRACE_SKIPS);
	MUST(skip == TRACE_SKIP_LOST || nr_lost == 0);
	free(exact);
	return skip;
}

/* What perf prints behind the name, at line. Returns how many bytes. */
static int print_fields(const struct trace_event *event, char *line, size_t size)
{
	const char *asked = event->type == TRACE_PAGE_ALLOC_EXTFRAG ? "alloc_" : "";
	int bytes;

	if (event->type == TRACE_VMSTAT_UPDATE)
		return snprintf(line, size, " work struct 0x1: function vmstat_update");
	bytes = snprintf(line, size, " pfn=0x%" PRIx64 " %sorder=%d", event->pfn, asked, event->order);
	if (event->migratetype >= 0)
		bytes += snprintf(line + bytes, size - (size_t)bytes, " %smigratetype=%d", asked, event->migratetype);
	if (event->percpu_refill >= 0)
		bytes += snprintf(line + bytes, size - (size_t)bytes, " percpu_refill=%d", event->percpu_refill);
	return bytes;
}

/* The event without its task, whose name may hold anything, as a line. */
static void check_again(const struct trace_event *event)
{
	struct trace_event nameless = *event;
	struct trace_event again;
	char line[256];
	int bytes;

	memset(nameless.comm, 0, sizeof(nameless.comm));
	nameless.pid = 7;
	bytes = snprintf(line, sizeof(line), "7 [%03d] %" PRId64 ".%09" PRId64 ": kmem:%s:", event->cpu,
			 event->time_ns / NS_PER_S, event->time_ns % NS_PER_S, trace_type_names[event->type]);
	bytes += print_fields(event, line + bytes, sizeof(line) - (size_t)bytes);
	MUST(parse(line, (size_t)bytes, true, &again) == TRACE_SKIP_NONE);
	MUST(trace_event_same(&again, &nameless));
}

static void check_line(const char *text, size_t bytes, bool complete)
{
	struct trace_event event;

	if (parse(text, bytes, complete, &event) != TRACE_SKIP_NONE)
		return;
	MUST(trace_event_is_valid(&event));
	check_again(&event);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *line = (const char *)data;
	const char *end = line + size;

	while (line < end) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));

		check_line(line, (size_t)((stop ? stop : end) - line), stop != NULL);
		line = stop ? stop + 1 : end;
	}
	return 0;
}
