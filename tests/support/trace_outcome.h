/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What came out of a trace file, for tests of its readers. */
#ifndef CONTEND_TESTS_TRACE_OUTCOME_H
#define CONTEND_TESTS_TRACE_OUTCOME_H

#include "sim/trace/trace_reader.h"
#include "tests/support/scratch.h"

struct trace_outcome {
	int nr_events;
	int result; /* 0 at the end of the file */
	uint64_t pfn_sum;
	struct trace_skipped skipped;
	struct error err;
};

/* Reads to the end or to the first error. Every event must be valid: asserts that. */
struct trace_outcome trace_outcome_of(const struct scratch *scratch, const char *path);

#endif
