/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figure of `contend trace info --plot`: lifetimes, sizes of bursts, blocks by order. */
#ifndef CONTEND_CLI_TRACE_PLOT_H
#define CONTEND_CLI_TRACE_PLOT_H

#include "sim/trace/trace_summary.h"
#include "sim/util/error.h"

/* Draw it into a file, in the format of its ending (.svg, .png, .pdf). The title names the trace. */
int trace_plot(struct arena *arena, const char *trace, const struct trace_summary *summary, const char *path,
	       struct error *err);

#endif
