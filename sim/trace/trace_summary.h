/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is in a trace: counts, lifetimes of blocks, bursts. Events are added one by one in the trace's order.
 *
 * A burst is a run of events of one type on one CPU with at most TRACE_BURST_GAP_NS from one to the next. Allocations and
 * frees end each other's; blocks taken from the buddy lists or drained to them (which happens inside an allocation or a
 * free) end those of each other, and any allocation or free ends them, so that such a burst is one hold of the zone lock.
 */
#ifndef CONTEND_TRACE_TRACE_SUMMARY_H
#define CONTEND_TRACE_TRACE_SUMMARY_H

#include "sim/trace/trace_event.h"
#include "sim/util/arena.h"
#include "sim/util/histogram.h"

#define TRACE_BURST_GAP_NS 10000 /* many times what a page costs, less than a time slice */

struct live_blocks;

/* By order of the block. */
struct trace_order {
	uint64_t nr[NR_TRACE_TYPES];
	uint64_t nr_freed_elsewhere; /* of those below: not on the CPU that allocated them */
	struct histogram lifetime_ns; /* of blocks that the trace has allocation and free of */
};

/* Runs of one kind on one CPU. */
struct trace_run {
	int64_t last_ns;
	int64_t nr; /* 0: none */
	enum trace_type type;
};

struct trace_cpu {
	uint64_t nr[NR_TRACE_TYPES];
	int64_t last_ns; /* -1 before the first event */
	struct trace_run pages, zone;
};

struct trace_summary {
	uint64_t nr_events;
	uint64_t nr[NR_TRACE_TYPES];
	uint64_t nr_by_migratetype[NR_TRACE_TYPES][TRACE_MAX_MIGRATETYPE + 1];
	uint64_t nr_percpu_refill; /* blocks taken from the buddy lists for a pcp list */
	int64_t first_ns, last_ns; /* the least and the greatest stamp; 0 without events */
	uint64_t nr_back; /* stamps less than one that came before, of any CPU */
	uint64_t nr_back_on_cpu; /* of the same CPU */
	struct trace_cpu *cpus; /* TRACE_MAX_CPUS */
	int nr_cpus; /* that have events */
	struct trace_order orders[TRACE_MAX_ORDER + 1];
	struct histogram lifetime_ns; /* of all orders */
	uint64_t nr_freed_elsewhere;
	uint64_t nr_unknown_frees; /* of blocks that were allocated before the trace */
	uint64_t nr_missed_frees; /* blocks allocated while they were allocated: a free was lost */
	struct histogram bursts[NR_TRACE_TYPES]; /* sizes */
	struct live_blocks *live; /* at the end: blocks that were not freed */
};

struct trace_summary *trace_summary_create(struct arena *arena);

void trace_summary_add(struct trace_summary *summary, const struct trace_event *event);

/* After the last event: ends the bursts. */
void trace_summary_finish(struct trace_summary *summary);

#endif
