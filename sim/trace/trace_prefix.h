/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands before the event's name in a line of a trace: task, CPU and time.
 *
 *	COMM PID [CPU] SECONDS.FRACTION:                  perf; PID may be PID/TID
 *	COMM-PID (TGID) [CPU] FLAGS SECONDS.FRACTION:     ftrace; (TGID) and FLAGS not always
 *
 * COMM may hold blanks, dashes and brackets, even what looks like a prefix: of several places that could be [CPU], the last
 * one is right that leaves at most the 15 bytes for the name that a kernel keeps.
 */
#ifndef CONTEND_TRACE_TRACE_PREFIX_H
#define CONTEND_TRACE_TRACE_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace_prefix {
	const char *comm; /* not ended by a NUL */
	size_t comm_bytes;
	int32_t pid; /* -1 when unknown */
	unsigned cpu;
	int64_t time_ns;
	const char *rest; /* behind the time and its colon */
};

/* Find it in a line that starts with no blank. False when there is no [CPU] with a time behind it. */
bool trace_prefix_find(const char *start, const char *end, struct trace_prefix *prefix);

#endif
