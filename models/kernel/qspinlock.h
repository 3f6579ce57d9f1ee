/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The queued spinlock of Linux (kernel/locking/qspinlock.c, v6.12, native x86).
 * The word:
 *
 *	bits 0..7 locked   bit 8 pending   bits 16..31 tail: the last waiter in the queue
 *
 *	uncontended         0,0,0 -> 0,0,1 -> 0,0,0
 *	one waiter spins on the word as `pending`:   0,1,1 -> 0,1,0 -> 0,0,1
 *	further ones queue, each spinning on a line of its own; the first of the queue spins on the word until locked and
 *	pending are clear:   n,0,0 -> n,0,1, or 0,0,1 when it is also the last
 *
 * The unlock and the promotion of the next waiter go through the store buffer;
 * the store that takes the lock is waited for: a critical section begins once
 * its CPU has the line.
 *
 * Left out: the bound of 512 looks at a word that is only pending (that state
 * lasts one transaction), nesting, prefetchw() of the next node.
 */
#ifndef CONTEND_KERNEL_QSPINLOCK_H
#define CONTEND_KERNEL_QSPINLOCK_H

#include "models/kernel/mcs_spinlock.h"

#define QSPINLOCK_LOCKED UINT64_C(1)
#define QSPINLOCK_LOCKED_MASK UINT64_C(0xff)
#define QSPINLOCK_PENDING UINT64_C(0x100)
#define QSPINLOCK_TAIL_SHIFT 16
#define QSPINLOCK_TAIL_MASK (UINT64_C(0xffff) << QSPINLOCK_TAIL_SHIFT)

/* One that queues. */
struct qspinlock_waiter {
	struct cpu *cpu;
	struct spinlock *lock;
	const void *params; /* of the policy */
	double pause_ns;
	struct line *node;
};

/* Where a kind of queue differs from first come, first served; the kernel's hooks of the same names. */
struct qspinlock_ops {
	/* cna_init_node(): beside locked and next. */
	void (*init_node)(const struct qspinlock_waiter *waiter);

	/* pv_wait_head_or_lock(): now the first of the queue. May return before the lock is free. */
	void (*wait_head)(const struct qspinlock_waiter *waiter);

	/* The tail is this waiter: make `val` locked and empty the queue. False when somebody has queued up. */
	bool (*try_clear_tail)(const struct qspinlock_waiter *waiter, uint64_t val);

	/* Holding the lock: make another the first of the queue. `next` is behind this waiter. */
	void (*lock_handoff)(const struct qspinlock_waiter *waiter, struct line *next);
};

extern const struct qspinlock_ops qspinlock_native_ops;

/* The tail of a CPU, in place, and the CPU of a tail. */
uint64_t qspinlock_tail(int cpu);
int qspinlock_tail_cpu(uint64_t val);

/* For struct spinlock_policy. */
void *qspinlock_create(const void *params, struct arena *arena, struct spinlock *lock);
bool qspinlock_trylock(const void *params, struct cpu *cpu, struct spinlock *lock);
void qspinlock_unlock(const void *params, struct cpu *cpu, struct spinlock *lock);

/* As struct spinlock_policy's lock, with a kind of queue; the node of `waiter` is filled in here. */
void qspinlock_lock(const struct qspinlock_ops *ops, struct qspinlock_waiter *waiter);

/* The node of a CPU that queues or will. */
struct line *qspinlock_node(const struct qspinlock_waiter *waiter, int cpu);

#endif
