/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The requests that wait for one line, and who is next. For line.c alone.
 *
 * One FIFO per L3 cluster; clusters with waiting requests form a ring in the
 * order of their first request. The machine's `arbitration` picks from these.
 */
#ifndef CONTEND_HARDWARE_LINE_QUEUE_H
#define CONTEND_HARDWARE_LINE_QUEUE_H

#include <stdbool.h>

#include "models/hardware/cpu.h"
#include "models/hardware/machine.h"
#include "sim/util/arena.h"

struct cluster_queue {
	struct line_request *oldest, *newest;
	uint32_t nr;
	int next, prev; /* clusters beside it in the ring */
};

struct line_queue {
	const struct machine *machine;
	struct cluster_queue *clusters;
	int first; /* cluster whose turn it is; -1 when nobody waits */
	int nr_clusters_waiting;
	int turn_cluster; /* whose turn was served last */
	uint32_t turn_writes; /* writes served in it */
	bool turn_over; /* it served reads: they end a turn */
	uint64_t next_ticket;
	struct rng rng; /* for `random` */
};

void line_queue_init(struct line_queue *queue, struct arena *arena, const struct machine *machine, uint64_t seed);

/* Append a request of cpu. It must not wait elsewhere. */
void line_queue_add(struct line_queue *queue, struct cpu *cpu, struct line *line, bool write);

/* The same with any request whose cpu, line and write are filled in. */
void line_queue_append(struct line_queue *queue, struct line_request *request);

void line_queue_remove(struct line_queue *queue, struct line_request *request);

/*
 * The request to serve next, still queued; NULL when nobody waits.
 * `holder` is the cluster that holds the line (or < 0), for `nearest`.
 */
struct line_request *line_queue_pick(struct line_queue *queue, int holder);

/* The oldest waiting request of a cluster; follow ->next for the others. */
struct line_request *line_queue_oldest(const struct line_queue *queue, int cluster);

bool line_queue_other_cluster_waits(const struct line_queue *queue, int cluster);

#endif
