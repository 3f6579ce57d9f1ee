/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zone_lock: qspinlock, what Linux has had on x86 since v4.2: one atomic when
 * free, a pending waiter that spins on the word, and an MCS queue behind.
 */
#include "models/kernel/qspinlock.h"

struct qspinlock_params {
	double pause_ns;
};

static const struct param qspinlock_params[] = {
	SPIN_PAUSE_PARAM(struct qspinlock_params),
	PARAM_END,
};

static void native_lock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	const struct qspinlock_params *qspinlock = params;
	struct qspinlock_waiter waiter = {
		.cpu = cpu, .lock = lock, .params = params, .pause_ns = qspinlock->pause_ns
	};

	qspinlock_lock(&qspinlock_native_ops, &waiter);
}

const struct spinlock_policy zone_lock_qspinlock = {
	.policy = {
		.name = "qspinlock",
		.summary = "queued spinlock: a pending waiter, then a first come, first served queue on lines of their own",
		.mirrors = "queued_spin_lock_slowpath() in kernel/locking/qspinlock.c",
		.params = qspinlock_params,
		.params_size = sizeof(struct qspinlock_params),
	},
	.create = qspinlock_create,
	.lock = native_lock,
	.trylock = qspinlock_trylock,
	.unlock = qspinlock_unlock,
};
