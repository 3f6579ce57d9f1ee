/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay: a recorded kernel trace once through the page allocator. What each recorded CPU allocated and freed, one simulated
 * CPU does, in the recorded order. A free of a block that another CPU has not yet allocated waits for it. When an event is due
 * says `pace`:
 *
 *	recorded  not before its recorded time: a CPU that falls behind catches up in the gaps, and all stay in step
 *	gaps      the recorded time between two events is the CPU's own work, in full: what holds it up makes the run longer,
 *		  as it would a program that does something with its pages
 *	none      at once
 *
 * With `copies` the machine is one on which that many such loads run side by side. Copy c has the threads
 * [c * threads / copies, (c + 1) * threads / copies), so its CPUs are neighbours by `placement`, and its pages from before
 * are on their node. Were they in step, all would flush at the same instants; so each copy begins elsewhere in the trace - evenly
 * spread over it, with a random part from the seed - plays it to the end and then from its beginning up to where it began.
 * What it frees before it has allocated it, it has from the start. Without copies it begins at the beginning.
 *
 * Fewer threads than recorded CPUs fold the trace: neighbouring CPUs become one, which does what all of them did.
 */
#ifndef CONTEND_WORKLOADS_REPLAY_H
#define CONTEND_WORKLOADS_REPLAY_H

#include <stdint.h>

#include "models/hardware/machine.h"
#include "models/kernel/page_alloc.h"
#include "models/workloads/replay_script.h"
#include "sim/trace/zoneinfo.h"

enum replay_pace {
	REPLAY_RECORDED,
	REPLAY_GAPS,
	REPLAY_NONE,
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
	uint32_t copies;
	uint32_t recorder_pages; /* taken between zoneinfo and the first event */
	uint32_t recorder_cpu; /* there, on this recorded CPU */
	uint32_t
		worker_ms; /* after the first event: first run of the 1 s workers; 0: as the trace tells, else after 1 s */
	struct replay_report
		*report; /* filled by the run, NULL: by nobody. Not in the table: for a caller in the program */
};

/* Where a replay starts. */
struct replay_start {
	struct arena *arena;
	struct page_alloc *alloc;
	const struct replay_script *script;
	const struct machine *machine;
	const int *cpus; /* the simulated CPU of each stream */
	int recorder; /* stream whose lists the recorder uses first; -1: none */
};

/*
 * Zones and pcps as a zoneinfo file has them: the watermarks of each node's Normal zone; batch, high and its bounds of each CPU of the
 * script, and as many pages on its lists: see replay_start_lists(); movable ones on the recorder's, and those of other nodes than
 * the CPU's. Nodes that the file lacks stay as they are. Before the run, free of charge. -1 with err when the file has no Normal zone of node 0 or not every CPU in it, or more pages than there are.
 */
int replay_start_from(const struct replay_start *start, const struct zoneinfo *zoneinfo, struct error *err);

/*
 * What is on the pcp of a stream's CPU gives way to the blocks that were there when the trace began, as its events tell. When nr_pages
 * are more, the rest are on the first list, lowest order first, movable before the others, of which nobody knows all. Free of
 * charge. False when the zone has too few.
 */
bool replay_start_lists(const struct replay_start *start, struct zone *zone, int index, int64_t nr_pages);

#endif
