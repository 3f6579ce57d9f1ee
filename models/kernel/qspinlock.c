/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/qspinlock.h"

uint64_t qspinlock_tail(int cpu)
{
	return mcs_pointer(cpu) << QSPINLOCK_TAIL_SHIFT;
}

int qspinlock_tail_cpu(uint64_t val)
{
	return mcs_cpu((val & QSPINLOCK_TAIL_MASK) >> QSPINLOCK_TAIL_SHIFT);
}

struct line *qspinlock_node(const struct qspinlock_waiter *waiter, int cpu)
{
	return mcs_node(waiter->lock->queue, waiter->lock, cpu);
}

/* ---- first come, first served ---- */

static void native_init_node(const struct qspinlock_waiter *waiter)
{
	(void)waiter;
}

static void native_wait_head(const struct qspinlock_waiter *waiter)
{
	(void)waiter;
}

/* n,0,0 -> 0,0,1 */
static bool native_try_clear_tail(const struct qspinlock_waiter *waiter, uint64_t val)
{
	return line_cas(waiter->cpu, waiter->lock->line, waiter->lock->word, &val, QSPINLOCK_LOCKED);
}

static void native_lock_handoff(const struct qspinlock_waiter *waiter, struct line *next)
{
	line_post_bits(waiter->cpu, next, MCS_LOCKED, UINT64_MAX, 1);
}

const struct qspinlock_ops qspinlock_native_ops = {
	.init_node = native_init_node,
	.wait_head = native_wait_head,
	.try_clear_tail = native_try_clear_tail,
	.lock_handoff = native_lock_handoff,
};

/* ---- the lock ---- */

void *qspinlock_create(const void *params, struct arena *arena, struct spinlock *lock)
{
	(void)params, (void)lock;
	return mcs_nodes_create(arena);
}

static struct spin_condition condition_on_word(const struct qspinlock_waiter *waiter)
{
	return (struct spin_condition){
		.lock = waiter->lock,
		.line = waiter->lock->line,
		.word = waiter->lock->word,
		.pause_ns = waiter->pause_ns,
	};
}

/* Spin on the word until these bits are clear. */
static uint64_t wait_until_clear(const struct qspinlock_waiter *waiter, uint64_t mask)
{
	struct spin_condition condition = condition_on_word(waiter);

	condition.mask = mask;
	return spin_until(waiter->cpu, &condition);
}

/* 0,1,0 only: the hand-over to the pending CPU is under way. */
static uint64_t wait_for_hand_over(const struct qspinlock_waiter *waiter)
{
	struct spin_condition condition = condition_on_word(waiter);

	condition.mask = UINT64_MAX;
	condition.value = QSPINLOCK_PENDING;
	condition.others = true;
	return spin_until(waiter->cpu, &condition);
}

/* Spin on a word of the own node until it is not 0. */
static uint64_t wait_for_word(const struct qspinlock_waiter *waiter, enum mcs_word word)
{
	return mcs_wait_for_word(waiter->cpu, waiter->lock, waiter->node, word, waiter->pause_ns);
}

/* 0,0,* -> 0,1,* -> 0,1,0 -> 0,0,1; false when somebody else waits: into the queue. */
static bool lock_pending(const struct qspinlock_waiter *waiter)
{
	struct spinlock *lock = waiter->lock;
	struct cpu *cpu = waiter->cpu;
	/* queued_fetch_set_pending_acquire() of x86: bts, then a read */
	const uint64_t pending = line_fetch_or(cpu, lock->line, lock->word, QSPINLOCK_PENDING) & QSPINLOCK_PENDING;
	const uint64_t val = pending | (line_read(cpu, lock->line, lock->word) & ~QSPINLOCK_PENDING);

	if (val & ~QSPINLOCK_LOCKED_MASK) {
		if (!pending)
			line_write_bits(cpu, lock->line, lock->word, QSPINLOCK_PENDING, 0);
		return false;
	}
	if (val & QSPINLOCK_LOCKED_MASK)
		wait_until_clear(waiter, QSPINLOCK_LOCKED_MASK);
	line_write_bits(cpu, lock->line, lock->word, QSPINLOCK_LOCKED_MASK | QSPINLOCK_PENDING, QSPINLOCK_LOCKED);
	return true;
}

/* Behind the former tail, until it makes this waiter the first. */
static void wait_in_queue(const struct qspinlock_waiter *waiter, uint64_t old)
{
	if (!(old & QSPINLOCK_TAIL_MASK))
		return;
	line_write(waiter->cpu, qspinlock_node(waiter, qspinlock_tail_cpu(old)), MCS_NEXT,
		   mcs_pointer(waiter->cpu->id));
	wait_for_word(waiter, MCS_LOCKED);
	line_read(waiter->cpu, waiter->node, MCS_NEXT);
}

static void lock_queued(const struct qspinlock_ops *ops, const struct qspinlock_waiter *waiter)
{
	struct spinlock *lock = waiter->lock;
	struct cpu *cpu = waiter->cpu;
	const uint64_t tail = qspinlock_tail(cpu->id);
	uint64_t val;

	line_write(cpu, waiter->node, MCS_LOCKED, 0);
	line_write(cpu, waiter->node, MCS_NEXT, 0);
	ops->init_node(waiter);
	if (qspinlock_trylock(waiter->params, cpu, lock))
		return;
	/* p,*,* -> n,*,* */
	wait_in_queue(waiter, line_swap_bits(cpu, lock->line, lock->word, QSPINLOCK_TAIL_MASK, tail));
	ops->wait_head(waiter);
	/* *,x,y -> *,0,0 */
	val = wait_until_clear(waiter, QSPINLOCK_LOCKED_MASK | QSPINLOCK_PENDING);
	if ((val & QSPINLOCK_TAIL_MASK) == tail && ops->try_clear_tail(waiter, val))
		return;
	/* n,0,0 -> n,0,1 */
	line_write_bits(cpu, lock->line, lock->word, QSPINLOCK_LOCKED_MASK, QSPINLOCK_LOCKED);
	ops->lock_handoff(waiter, qspinlock_node(waiter, mcs_cpu(wait_for_word(waiter, MCS_NEXT))));
}

void qspinlock_lock(const struct qspinlock_ops *ops, struct qspinlock_waiter *waiter)
{
	struct spinlock *lock = waiter->lock;
	uint64_t val = 0;

	if (line_cas(waiter->cpu, lock->line, lock->word, &val, QSPINLOCK_LOCKED)) /* 0,0,0 -> 0,0,1 */
		return;
	if (val == QSPINLOCK_PENDING)
		val = wait_for_hand_over(waiter);
	if (!(val & ~QSPINLOCK_LOCKED_MASK) && lock_pending(waiter))
		return;
	waiter->node = qspinlock_node(waiter, waiter->cpu->id);
	lock_queued(ops, waiter);
}

bool qspinlock_trylock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	uint64_t val = line_read(cpu, lock->line, lock->word);

	(void)params;
	return !val && line_cas(cpu, lock->line, lock->word, &val, QSPINLOCK_LOCKED);
}

void qspinlock_unlock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	(void)params;
	line_post_bits(cpu, lock->line, lock->word, QSPINLOCK_LOCKED_MASK, 0);
}
