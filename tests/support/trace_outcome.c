/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/trace_outcome.h"

#include "tests/support/unit.h"

struct trace_outcome trace_outcome_of(const struct scratch *scratch, const char *path)
{
	struct trace_outcome outcome = { .result = -1 };
	struct trace_reader *reader = trace_reader_open(scratch->arena, path, &outcome.err);
	struct trace_event event;

	while (reader && (outcome.result = trace_reader_next(reader, &event, &outcome.err)) == 1) {
		assert_true(trace_event_is_valid(&event));
		outcome.nr_events++;
		outcome.pfn_sum += event.pfn;
	}
	if (reader)
		outcome.skipped = *trace_reader_skipped(reader);
	trace_reader_close(reader);
	return outcome;
}
