/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay: a recorded kernel trace once through the page allocator. What each recorded CPU allocated and freed, one simulated
 * CPU does, in the recorded order and, with `pace: recorded`, never before its time.
 *
 * The gap before an event is local work up to the recorded date of the event, so a CPU that falls behind catches up in the gaps
 * and the CPUs stay in step with each other. A free of a block that another CPU has not yet allocated waits for it.
 */
#ifndef CONTEND_WORKLOADS_REPLAY_H
#define CONTEND_WORKLOADS_REPLAY_H

#include <stdint.h>

#include "models/kernel/page_alloc.h"
#include "models/workloads/replay_script.h"
#include "sim/trace/zoneinfo.h"

enum replay_pace {
	REPLAY_RECORDED,
	REPLAY_NONE, /* as fast as the allocator allows */
};

/* What the CPUs moved under zone locks, by the recorded time of the event that they were at. */
struct replay_report {
	int64_t bin_ns;
	int nr_bins; /* later events count in the last */
	struct page_alloc_blocks *bins; /* nr_bins for each stream */
};

struct replay_params {
	const char *trace;
	const char *zoneinfo; /* "": zones and pcps as after boot */
	int pace; /* enum replay_pace */
	uint32_t recorder_pages; /* taken between zoneinfo and the first event */
	uint32_t recorder_cpu; /* there, on this recorded CPU */
	struct replay_report
		*report; /* filled by the run, NULL: by nobody. Not in the table: for a caller in the program */
};

/* Where a replay starts. */
struct replay_start {
	struct arena *arena;
	struct page_alloc *alloc;
	const struct replay_script *script;
	const int *cpus; /* the simulated CPU of each stream */
};

/*
 * Zones and pcps as a zoneinfo file has them: the watermarks of each node's Normal zone; batch, high and its bounds of each CPU of the
 * script, and as many pages on its list, movable ones. Nodes that the file lacks stay as they are. Before the run, free
 * of charge. -1 with err when the file has no Normal zone of node 0 or not every CPU in it, or more pages than there are.
 */
int replay_start_from(const struct replay_start *start, const struct zoneinfo *zoneinfo, struct error *err);

#endif
