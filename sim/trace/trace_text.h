/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line of a trace as text: what `perf script` prints, the tracing files `trace` and `trace_pipe`, and what
 * `trace-cmd report` prints.
 *
 *	PREFIX kmem:EVENT: key=value key=value ...      perf; the prefix is that of trace_prefix.h
 *	PREFIX EVENT: key=value key=value ...           ftrace
 *	CPU:N [LOST M EVENTS]
 *
 * The pfn may be hexadecimal (0x...) or, of older kernels, decimal; page=, which may be hashed, is ignored as are keys that
 * are not known.
 */
#ifndef CONTEND_TRACE_TRACE_TEXT_H
#define CONTEND_TRACE_TRACE_TEXT_H

#include "sim/trace/trace_event.h"

struct trace_line {
	const char *text; /* without its line end */
	size_t bytes;
	bool complete; /* a line end followed: else the last number may be cut */
};

/*
 * Read a line into event. Returns TRACE_SKIP_NONE, or why there is no event in it; event is then undefined. For
 * TRACE_SKIP_LOST, *nr_lost is how many events the line says are lost, 0 when it does not know. Allocates nothing.
 */
enum trace_skip trace_text_parse(const struct trace_line *line, struct trace_event *event, uint64_t *nr_lost);

#endif
