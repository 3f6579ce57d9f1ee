/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The events of a trace, one after another in the file's order, whatever the file is: text of perf script or ftrace,
 * trace-cmd's trace.dat, or our own binary, each plain or compressed. Memory does not depend on the length of the trace.
 *
 * Stamps of different CPUs may be out of order, as `trace_pipe` writes them; nothing is sorted but what a trace.dat
 * has by CPU.
 */
#ifndef CONTEND_TRACE_TRACE_READER_H
#define CONTEND_TRACE_TRACE_READER_H

#include "sim/trace/trace_event.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"

struct trace_reader;

/* Open a file, "-" for standard input. The memory is the arena's, the rest trace_reader_close's. NULL on failure. */
struct trace_reader *trace_reader_open(struct arena *arena, const char *path, struct error *err);

/* The next event: 1, 0 at the end of the file, -1 when the file cannot be read or is damaged. */
int trace_reader_next(struct trace_reader *reader, struct trace_event *event, struct error *err);

/* What gave no event so far; of a binary trace, what its importer skipped, once trace_reader_next has returned 0. */
const struct trace_skipped *trace_reader_skipped(const struct trace_reader *reader);

void trace_reader_close(struct trace_reader *reader); /* NULL is fine */

#endif
