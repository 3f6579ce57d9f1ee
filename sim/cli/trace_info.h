/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `contend trace` prints about a trace. */
#ifndef CONTEND_CLI_TRACE_INFO_H
#define CONTEND_CLI_TRACE_INFO_H

#include <stdio.h>

#include "sim/trace/trace_summary.h"

/* "N events of M CPUs in S s" and, where there were any, lines of what was skipped, lost or out of order. */
void trace_info_head(FILE *out, const char *path, const struct trace_summary *summary,
		     const struct trace_skipped *skipped);

/* The tables: by type and CPU, order, migratetype; lifetimes, also drawn; bursts. */
void trace_info_tables(FILE *out, const struct trace_summary *summary);

/* One event as a row, and the row above it. */
void trace_info_event_title(FILE *out);
void trace_info_event(FILE *out, const struct trace_event *event);

#endif
