/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What building a replay (replay_setup.c) and running it (replay.c) share. */
#ifndef CONTEND_WORKLOADS_REPLAY_PARTS_H
#define CONTEND_WORKLOADS_REPLAY_PARTS_H

#include "models/workloads/replay.h"
#include "models/workloads/workload.h"

/* In a slot beside pages: the block was asked for in vain. NO_PAGE: it is not allocated yet. */
#define FAILED (NO_PAGE - 1)

struct copy {
	int64_t start_ns; /* where in the trace it begins */
	pfn_t *slots; /* of the script's blocks */
};

/* A thread: one stream of one copy. */
struct player {
	const struct replay_stream *stream;
	struct copy *copy;
	int first; /* step with which it begins */
	int nr_played;
	int64_t last_ns; /* since its beginning: of the step before */
	struct cpu *waiter; /* parked until another player of the copy has allocated ... */
	uint32_t awaited; /* ... the block of this slot */
	struct page_alloc_blocks reported; /* already in the report */
};

struct replay_state {
	const struct replay_params *params;
	struct page_alloc *alloc;
	struct replay_script *script;
	struct copy *copies;
	struct player *players; /* by task, copy by copy */
	int nr_players;
	struct replay_start start;
	uint64_t nr_held_pages;
	uint64_t nr_freed, nr_freed_elsewhere;
};

/* Loads the trace and takes what was there before it: create() of the workload. */
void *replay_create(const struct workload_site *site, const void *arg);

#endif
