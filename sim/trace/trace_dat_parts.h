/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the two processes that read a trace.dat share (trace_dat.h). */
#ifndef CONTEND_TRACE_TRACE_DAT_PARTS_H
#define CONTEND_TRACE_TRACE_DAT_PARTS_H

#include <stdio.h>

#include "sim/trace/trace_event.h"

enum trace_dat_outcome {
	TRACE_DAT_UNFINISHED, /* still reading, or the library took the process down */
	TRACE_DAT_COMPLETE,
	TRACE_DAT_UNREADABLE, /* the library refused the file */
	TRACE_DAT_WITHOUT_KMEM, /* it knows no event of pages */
};

/* In memory that both see; the child writes. */
struct trace_dat_report {
	enum trace_dat_outcome outcome;
	struct trace_skipped skipped;
};

/* In the child: read all of fd and write the events, as they lie in memory, into a stream. Ends early when that fails. */
void trace_dat_translate(int fd, FILE *events, struct trace_dat_report *report);

#endif
