/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recorded trace as work for tasks: what each recorded CPU allocated and freed, in the order of time, with a number for every
 * block from its allocation to its free, for simulated pages are others than recorded ones.
 *
 * A block that is first seen when it is freed was allocated before the trace: it is there from the start, of the migratetype that
 * a later mm_page_pcpu_drain of the page tells, else movable. One that is first seen when it is allocated or drained, and was not
 * taken from the buddy lists before, was on its CPU's pcp list when the trace began. One that is next taken from the buddy lists
 * after its free, and not drained to them, was freed by an interrupt that found the pcp locked. Not everything fires an event (pages of alloc_pages_bulk() do not, and
 * recorders lose some): a page that is freed twice was allocated unseen in between, one that is allocated twice was freed
 * unseen. Nobody knows when. It happens at the last moment; an allocation on the CPU on whose list the page was, a free on the one whose
 * event gives it away.
 *
 * A replay keeps live blocks in slots, fewer than there are blocks. A block that one stream allocates and frees takes a slot which
 * that stream has left before, so no other stream need keep in step; any other that is freed has one of its own.
 *
 * Left out: blocks whose parts are freed one by one (the whole goes with its first page).
 */
#ifndef CONTEND_WORKLOADS_REPLAY_SCRIPT_H
#define CONTEND_WORKLOADS_REPLAY_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "models/kernel/pcp.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"

enum replay_action {
	REPLAY_ALLOCATE,
	REPLAY_FREE,
	REPLAY_VMSTAT_UPDATE, /* of no block */
};

struct replay_step {
	int64_t time_ns; /* since the first event of the trace; does not fall within a stream */
	uint32_t block;
	enum replay_action action;
};

#define REPLAY_NO_SLOT UINT32_MAX

struct replay_block {
	uint32_t slot; /* where a replay keeps it; REPLAY_NO_SLOT: it is never freed */
	uint8_t order;
	uint8_t migratetype; /* enum migratetype */
	bool before; /* allocated before the trace */
	bool elsewhere; /* freed in another stream than allocated in */
	bool past_pcp; /* its free went straight there */
};

/* What one recorded CPU did; folded, what several did. */
struct replay_stream {
	int cpu; /* its number there, the first's */
	struct replay_step *steps;
	int nr_steps, max_steps;
	int64_t decay_ns; /* when its 1 s worker first is known to run; -1: never */
	bool has_vmstat_updates; /* the steps say when it runs each time */
	uint32_t
		nr_listed[NR_PCP_LISTS]; /* blocks that were on its lists when the trace began, as far as events tell */
	bool refilled[NR_PCP_LISTS]; /* so that the events tell all */
};

struct replay_script {
	struct replay_stream *streams; /* by CPU number */
	int nr_streams;
	int nr_cpus; /* that allocated or freed */
	struct replay_block *blocks;
	int nr_blocks, max_blocks;
	uint32_t nr_slots;
	int64_t first_ns; /* stamp of the first event in the trace's clock */
	int64_t length_ns; /* from there to the last */
	uint64_t nr_unseen_allocs, nr_unseen_frees; /* among the steps */
};

/*
 * All of it is the arena's. A stream for each recorded CPU, or with 0 < nr_streams < CPUs that many: neighbouring CPUs are folded
 * into one, as evenly as it goes. NULL when the file cannot be read, or has nothing to replay.
 */
struct replay_script *replay_script_load(struct arena *arena, const char *path, int nr_streams, struct error *err);

/* The first step of a stream at time_ns or later; nr_steps: none. */
int replay_stream_at(const struct replay_stream *stream, int64_t time_ns);

#endif
