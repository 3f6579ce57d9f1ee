/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of a line, for the line_*.c files alone: line.c makes the accesses, line_serve.c the transactions,
 * line_cost.c their price, line_copies.c knows who may access, line_spin.c who waits for a change,
 * line_store.c what is in store buffers.
 *
 * Copies are valid by epoch: a write request starts a new epoch, which
 * invalidates every older copy at once, whatever their number.
 *
 *	home -> exclusive        any access of a line that nobody holds
 *	exclusive -> exclusive   write request of another core: new epoch
 *	exclusive -> shared      read by another core: the owner keeps a copy
 *	shared -> shared         read by a further core
 *	shared -> exclusive      write request: all other copies invalidated, new epoch
 *
 * State changes when a transaction is served, for dates in the future: the old
 * holders' rights end at `lose`, the new holder's begin at `arrive`. Since
 * occupancy >= snoop, at most one older epoch still has rights at any date.
 */
#ifndef CONTEND_HARDWARE_LINE_STATE_H
#define CONTEND_HARDWARE_LINE_STATE_H

#include "models/hardware/line.h"
#include "models/hardware/line_queue.h"
#include "models/hardware/machine_tables.h"
#include "sim/util/rng.h"

#define NOBODY (-1)
#define SEVERAL (-2)

struct copy {
	sim_ps from; /* when it arrives */
	uint32_t epoch;
};

/* The right to write: one core, from one date until another. */
struct tenure {
	int core; /* NOBODY when the line is shared or at home */
	sim_ps from, until;
};

struct line {
	const struct machine *machine;
	struct engine *engine;
	const char *name;
	uint64_t words[LINE_WORDS];
	int home_node;

	uint32_t epoch;
	struct copy *copies; /* by core */
	struct copy *cluster_copies; /* by cluster: its first copy */
	sim_ps old_copies_until; /* until when copies of epoch - 1 may be read */
	struct tenure owner, old_owner;
	int last_writer; /* CPU: a sibling's next write costs a transfer inside the core */
	bool written; /* by the owner: an exclusive copy that was only read does not migrate */

	int nr_copies; /* of this epoch */
	int copies_cluster; /* the one cluster that has them, or SEVERAL */
	uint64_t copies_nodes; /* mask */

	sim_ps hold_until; /* an atomic in progress at the holder */
	sim_ps busy_until; /* the ordering point */
	sim_ps far_until; /* when the last far atomic so far takes effect */
	bool serve_called; /* a call to serve is pending */
	struct rng rng; /* of the jitter */
	struct line_queue queue;
	struct line_request *spinners; /* CPUs in line_await_change, newest first */
};

/* May a core write, or read, when it starts at this date? A write needs the line for `commit` longer. */
bool line_may_write(const struct line *line, int core, sim_ps start, sim_ps commit);
bool line_may_read(const struct line *line, int core, sim_ps start);

/* A copy in the same cluster serves a read without a transaction, unless the line is exclusive. */
bool line_cluster_may_read(const struct line *line, int cluster, sim_ps start);

/*
 * Until which date the holder's accesses surely hit, whatever others do from now on: a request served later than now
 * takes the line no sooner than snoop_min from now.
 */
sim_ps line_safe_until(const struct line *line, int core);

/* A core has a copy of this epoch from a date on. Nothing happens when it has one already. */
void line_add_copy(struct line *line, int core, sim_ps from);

/* The owner may write until `lose`, then nobody. */
void line_end_tenure(struct line *line, sim_ps lose);

/* Invalidate every copy at `lose`; `core` (or NOBODY) owns the line from `arrive`. */
void line_new_epoch(struct line *line, int core, sim_ps lose, sim_ps arrive);

/*
 * CPUs that spin on the line look at it again from `date` on: those of all cores but `keeper` (or NOBODY), whose copy
 * stays and which sees the change when it takes effect.
 */
void line_wake_spinners(struct line *line, int keeper, sim_ps date);

/* The cost of the transaction that serves a request now: its class, with jitter; and the longest leg through the home. */
struct transfer_cost line_cost(struct line *line, const struct line_request *request);
const struct transfer_cost *line_routed_cost(const struct line *line, int node);

/* What a CPU wants of a line. */
enum line_want {
	WANT_COPY,
	WANT_OWNERSHIP,
	WANT_ATOMIC, /* ownership too, unless atomics execute at the home */
};

/* Queue a request of the CPU, whose clock is the engine's, and block it until it is granted. */
void line_wait(struct cpu *cpu, struct line *line, enum line_want want);

/* Queue the request of the CPU's store buffer, at the date of its clock, which is the engine's. Does not block. */
void line_post_request(struct cpu *cpu, struct line *line);

/*
 * Put a store into the CPU's store buffer, whose clock is the engine's.
 * Blocks while the buffer is full or of another line.
 */
void line_post(struct cpu *cpu, struct line *line, struct line_store_entry entry);

/* A call: the line of a CPU's posted store is here, and the store takes effect. */
void line_complete_store(void *cpu);

/* Block until the CPU's store buffer is empty. */
void line_drain_store(struct cpu *cpu);

#endif
