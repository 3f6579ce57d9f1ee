/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A wait queue with its spinlock, as folio_waitqueue() hashes them: sleepers
 * in FIFO order, protected by a queued spinlock on a line of its own.
 *
 * The spinlock is reduced to what it costs in line transfers (MCS): entering
 * is one atomic on the lock word; a CPU that finds it taken spins on a line of
 * its own and gets the lock one transfer after the holder lets go; letting go
 * is one store when nobody waits.
 */
#ifndef CONTEND_KERNEL_WAIT_QUEUE_H
#define CONTEND_KERNEL_WAIT_QUEUE_H

#include <stdbool.h>

#include "models/hardware/line.h"
#include "sim/util/arena.h"

/* One sleeper, on its own stack while it sleeps. */
struct wait_queue_entry {
	struct wait_queue_entry *next;
	struct cpu *cpu;
	const void *key; /* what it waits for: a hashed queue has sleepers of several */
	bool asleep;
	bool woken;
	sim_ps woken_at;
	bool wants_hand_over; /* for the owner of the queue: give the lock to this sleeper */
	bool handed_over;
};

struct wait_queue_head {
	struct line *lock; /* word 0: spinlock; word 1: head of the list */
	struct wait_queue_entry *spinners_first, *spinners_last; /* MCS queue of the spinlock */
	bool locked;
	struct wait_queue_entry *first, *last; /* the sleepers */
};

struct wait_queue_head *wait_queue_create(struct arena *arena, const struct machine *machine, struct engine *engine,
					  int home_node, uint64_t seed);

/* The queue's spinlock. Both block. */
void wait_queue_lock(struct wait_queue_head *head, struct cpu *cpu);
void wait_queue_unlock(struct wait_queue_head *head, struct cpu *cpu);

/* Under the lock: append, take out. One store to the list head each. */
void wait_queue_add(struct wait_queue_head *head, struct cpu *cpu, struct wait_queue_entry *entry);
void wait_queue_remove(struct wait_queue_head *head, struct cpu *cpu, struct wait_queue_entry *entry);

/* Under the lock: the first sleeper that waits for `key`, NULL when there is none. */
struct wait_queue_entry *wait_queue_find(const struct wait_queue_head *head, const void *key);

/* Sleep until wait_queue_wake; returns at once when that has happened already. Not under the lock. */
void wait_queue_sleep(struct wait_queue_entry *entry, const char *waits_for);

/* Let the sleeper of an entry that was taken go on `latency` (>= 1 ps) from now. */
void wait_queue_wake(struct cpu *cpu, struct wait_queue_entry *entry, sim_ps latency);

#endif
