/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Queue nodes of the locks that queue (struct mcs_spinlock): one line per CPU
 * and lock, at home in the CPU's node. The kernel has one set for all locks of
 * a CPU; nodes of different locks never meet here, since a CPU that waits in a
 * queue takes no second lock.
 *
 * The line of a node is made when its CPU first queues: most CPUs of a large
 * machine never do.
 */
#ifndef CONTEND_KERNEL_MCS_SPINLOCK_H
#define CONTEND_KERNEL_MCS_SPINLOCK_H

#include "models/kernel/spinlock.h"

enum mcs_word {
	MCS_LOCKED, /* not 0: this waiter's turn */
	MCS_NEXT, /* mcs_pointer() of the next waiter, 0: none */
	NR_MCS_WORDS, /* policies may use those behind */
};

struct mcs_nodes {
	struct line **lines; /* by CPU */
};

struct mcs_nodes *mcs_nodes_create(struct arena *arena);

/* The node of a CPU of the lock's machine. */
struct line *mcs_node(struct mcs_nodes *nodes, const struct spinlock *lock, int cpu);

/* Spin on a word of the own node until it is not 0; returns it. */
uint64_t mcs_wait_for_word(struct cpu *cpu, const struct spinlock *lock, struct line *node, enum mcs_word word,
			   double pause_ns);

/* A CPU as a word: never 0. */
static inline uint64_t mcs_pointer(int cpu)
{
	return (uint64_t)cpu + 1;
}

static inline int mcs_cpu(uint64_t pointer)
{
	return (int)pointer - 1;
}

#endif
