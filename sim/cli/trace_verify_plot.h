/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figure of `contend trace verify --plot`: recorded and simulated blocks over time. */
#ifndef CONTEND_CLI_TRACE_VERIFY_PLOT_H
#define CONTEND_CLI_TRACE_VERIFY_PLOT_H

#include "models/kernel/page_alloc.h"
#include "models/workloads/replay_script.h"
#include "sim/util/error.h"

#define VERIFY_NR_BINS 16

/* Recorded and simulated, VERIFY_NR_BINS for each stream. */
struct comparison {
	const struct replay_script *script;
	int64_t bin_ns;
	struct page_alloc_blocks *recorded, *simulated;
};

/*
 * Draw blocks taken from the buddy lists and blocks drained to them since the start, each CPU's while they are no more than two,
 * else those of all. Into a file, in the format of its ending (.svg, .png, .pdf).
 */
int trace_verify_plot(struct arena *arena, const char *trace, const struct comparison *comparison, const char *path,
		      struct error *err);

#endif
