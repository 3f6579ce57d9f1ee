/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `contend trace` prints about a trace. */
#ifndef CONTEND_CLI_TRACE_INFO_H
#define CONTEND_CLI_TRACE_INFO_H

#include <stdio.h>

#include "sim/trace/trace_summary.h"

/* The types that tables and figures show, in the order of their columns. */
#define NR_TRACE_COLUMNS 4
extern const struct trace_column {
	enum trace_type type;
	const char *title; /* short enough for a column */
} trace_columns[NR_TRACE_COLUMNS];

#define TRACE_TIME_BYTES 40

/* Lifetimes are drawn in bins that end at 2^FIRST ns and then after every 2^STEP times as much. */
#define TRACE_FIRST_EDGE_BITS 10
#define TRACE_EDGE_STEP_BITS 2

/* A time in the unit that shows it best, three digits or so, into out of TRACE_TIME_BYTES. Returns out. */
const char *trace_time_text(uint64_t ns, char *out);

/* "N events of M CPUs in S s" and, where there were any, lines of what was skipped, lost or out of order. */
void trace_info_head(FILE *out, const char *path, const struct trace_summary *summary,
		     const struct trace_skipped *skipped);

/* The tables: by type and CPU, order, migratetype; lifetimes, also drawn; bursts. */
void trace_info_tables(FILE *out, const struct trace_summary *summary);

/* One event as a row, and the row above it. */
void trace_info_event_title(FILE *out);
void trace_info_event(FILE *out, const struct trace_event *event);

#endif
