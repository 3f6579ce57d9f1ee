/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zone_lock: cna, the compact NUMA-aware lock as a slow path of qspinlock.
 *
 * The head of the queue, while it waits for the lock, looks at who is behind it
 * and moves waiters of other nodes to a secondary queue, so that the lock stays
 * in one node. The secondary queue is a ring whose last node's tail word stands
 * in the head's `locked` word and is handed on with the lock. It comes back to
 * the front when the primary queue is empty or when its first waiter has been
 * there for threshold_ns.
 *
 *	head.locked <= 1    no secondary queue          head.locked = tail word    its last waiter; ->next is its first
 *
 * Dice and Kogan, Compact NUMA-aware locks, EuroSys 2019 (arxiv 1810.05600);
 * the kernel form is Kogan's "Add NUMA-awareness to qspinlock" v15, May 2021,
 * never merged, whose numbers are the defaults here. Left out: waiters in
 * interrupts, who keep their place there (nobody takes the zone lock in one
 * here). The kernel's head goes on looking behind it until the lock is free;
 * ours stops at the first look that moves nobody, so it does not see waiters
 * of other nodes that come later.
 */
#include "models/kernel/qspinlock.h"
#include "sim/util/rng.h"

#define SHUFFLE_RNG_STREAM (UINT64_C(4) << 32) /* apart from the streams of CPUs, lines and other policies */
#define FLUSH_SECONDARY_QUEUE UINT64_C(1)

/* On a waiter's node, behind enum mcs_word. */
enum cna_word {
	CNA_NUMA_NODE = NR_MCS_WORDS, /* whose waiters the head prefers */
	CNA_START_TIME, /* since when there is a secondary queue; 0: none */
};

struct cna_params {
	double pause_ns;
	double threshold_ns;
	uint32_t shuffle_bits;
};

static const struct param cna_params[] = {
	SPIN_PAUSE_PARAM(struct cna_params),
	PARAM(struct cna_params, threshold_ns, "ns", 1e6, 0, 1e12,
	      "age of the secondary queue at which the lock leaves its node (qspinlock.numa_spinlock_threshold_ns)"),
	PARAM(struct cna_params, shuffle_bits, "", 7, 0, 31,
	      "while there is no secondary queue a head looks behind it once in 2^n times "
	      "(SHUFFLE_REDUCTION_PROB_ARG)"),
	PARAM_END,
};

struct cna_queue {
	struct mcs_nodes nodes; /* first: qspinlock's own */
	struct rng rng;
};

static void *cna_create(const void *params, struct arena *arena, struct spinlock *lock)
{
	struct cna_queue *queue = arena_alloc(arena, sizeof(*queue));

	(void)params;
	queue->rng = rng_stream(lock->site.seed, SHUFFLE_RNG_STREAM);
	return queue;
}

static uint64_t read_word(const struct qspinlock_waiter *waiter, struct line *node, int word)
{
	return line_read(waiter->cpu, node, word);
}

static void write_word(const struct qspinlock_waiter *waiter, struct line *node, int word, uint64_t value)
{
	line_write(waiter->cpu, node, word, value);
}

/* The node that a `next` word, or a `locked` word that is a tail, stands for. */
static struct line *node_of_next(const struct qspinlock_waiter *waiter, uint64_t next)
{
	return qspinlock_node(waiter, mcs_cpu(next));
}

static struct line *node_of_tail(const struct qspinlock_waiter *waiter, uint64_t tail)
{
	return qspinlock_node(waiter, qspinlock_tail_cpu(tail));
}

static void cna_init_node(const struct qspinlock_waiter *waiter)
{
	write_word(waiter, waiter->node, CNA_NUMA_NODE, (uint64_t)waiter->cpu->place->node);
	write_word(waiter, waiter->node, CNA_START_TIME, 0);
}

/* cna_splice_next(): the waiter behind leaves the queue for the end of the secondary one. */
static void splice_next(const struct qspinlock_waiter *waiter, uint64_t next, uint64_t nnext)
{
	const uint64_t tail_2nd = read_word(waiter, waiter->node, MCS_LOCKED);
	uint64_t head_2nd = next;

	write_word(waiter, waiter->node, MCS_NEXT, nnext);
	if (tail_2nd <= 1) {
		write_word(waiter, waiter->node, CNA_START_TIME,
			   (uint64_t)waiter->cpu->date | 2); /* neither 0 nor FLUSH */
	} else {
		head_2nd = read_word(waiter, node_of_tail(waiter, tail_2nd), MCS_NEXT);
		write_word(waiter, node_of_tail(waiter, tail_2nd), MCS_NEXT, next);
	}
	write_word(waiter, node_of_next(waiter, next), MCS_NEXT, head_2nd);
	write_word(waiter, waiter->node, MCS_LOCKED, qspinlock_tail(mcs_cpu(next)));
}

/* cna_order_queue(): true when it has moved the waiter behind; not one of this node, nor the last of the queue. */
static bool order_queue(const struct qspinlock_waiter *waiter)
{
	const uint64_t next = read_word(waiter, waiter->node, MCS_NEXT);
	uint64_t nnext;

	if (!next || read_word(waiter, node_of_next(waiter, next), CNA_NUMA_NODE) ==
			     read_word(waiter, waiter->node, CNA_NUMA_NODE))
		return false;
	nnext = read_word(waiter, node_of_next(waiter, next), MCS_NEXT);
	if (nnext)
		splice_next(waiter, next, nnext);
	return nnext;
}

static bool lock_is_busy(const struct qspinlock_waiter *waiter)
{
	return line_read(waiter->cpu, waiter->lock->line, waiter->lock->word) &
	       (QSPINLOCK_LOCKED_MASK | QSPINLOCK_PENDING);
}

/* intra_node_threshold_reached() */
static bool threshold_reached(const struct qspinlock_waiter *waiter, uint64_t start_time)
{
	const struct cna_params *cna = waiter->params;

	return waiter->cpu->date - (sim_ps)start_time > ns_to_ps(cna->threshold_ns);
}

static void cna_wait_head(const struct qspinlock_waiter *waiter)
{
	const struct cna_params *cna = waiter->params;
	struct cna_queue *queue = waiter->lock->queue;
	uint64_t start_time;

	if (read_word(waiter, waiter->node, MCS_LOCKED) <= 1 &&
	    rng_below(&queue->rng, UINT64_C(1) << cna->shuffle_bits))
		return;
	start_time = read_word(waiter, waiter->node, CNA_START_TIME);
	if (start_time && threshold_reached(waiter, start_time)) {
		write_word(waiter, waiter->node, CNA_START_TIME, FLUSH_SECONDARY_QUEUE);
		return;
	}
	while (lock_is_busy(waiter) && order_queue(waiter))
		;
}

/* Nobody behind: the secondary queue, if there is one, becomes the queue. */
static bool cna_try_clear_tail(const struct qspinlock_waiter *waiter, uint64_t val)
{
	struct spinlock *lock = waiter->lock;
	const uint64_t tail_2nd = read_word(waiter, waiter->node, MCS_LOCKED);
	uint64_t head_2nd;

	if (tail_2nd <= 1)
		return qspinlock_native_ops.try_clear_tail(waiter, val);
	head_2nd = read_word(waiter, node_of_tail(waiter, tail_2nd), MCS_NEXT);
	write_word(waiter, node_of_tail(waiter, tail_2nd), MCS_NEXT, 0);
	if (line_cas(waiter->cpu, lock->line, lock->word, &val, tail_2nd | QSPINLOCK_LOCKED)) {
		qspinlock_native_ops.lock_handoff(waiter, node_of_next(waiter, head_2nd));
		return true;
	}
	write_word(waiter, node_of_tail(waiter, tail_2nd), MCS_NEXT, head_2nd);
	return false;
}

/* The secondary queue goes before `next`; its first is the head. */
static struct line *splice_head(const struct qspinlock_waiter *waiter)
{
	const uint64_t next = read_word(waiter, waiter->node, MCS_NEXT);
	struct line *tail_2nd = node_of_tail(waiter, read_word(waiter, waiter->node, MCS_LOCKED));
	const uint64_t head_2nd = read_word(waiter, tail_2nd, MCS_NEXT);

	write_word(waiter, tail_2nd, MCS_NEXT, next);
	return node_of_next(waiter, head_2nd);
}

static void post_word(const struct qspinlock_waiter *waiter, struct line *node, int word, uint64_t value)
{
	line_post_bits(waiter->cpu, node, word, UINT64_MAX, value);
}

static void cna_lock_handoff(const struct qspinlock_waiter *waiter, struct line *next)
{
	const uint64_t start_time = read_word(waiter, waiter->node, CNA_START_TIME);
	const uint64_t tail_2nd = read_word(waiter, waiter->node, MCS_LOCKED);

	if (start_time == FLUSH_SECONDARY_QUEUE) {
		qspinlock_native_ops.lock_handoff(waiter, splice_head(waiter));
	} else if (tail_2nd >
		   1) { /* the next one, of whatever node, prefers the same node and keeps the secondary queue */
		post_word(waiter, next, CNA_NUMA_NODE, read_word(waiter, waiter->node, CNA_NUMA_NODE));
		post_word(waiter, next, CNA_START_TIME, start_time);
		post_word(waiter, next, MCS_LOCKED, tail_2nd);
	} else {
		qspinlock_native_ops.lock_handoff(waiter, next);
	}
}

static const struct qspinlock_ops cna_ops = {
	.init_node = cna_init_node,
	.wait_head = cna_wait_head,
	.try_clear_tail = cna_try_clear_tail,
	.lock_handoff = cna_lock_handoff,
};

static void cna_lock(const void *params, struct cpu *cpu, struct spinlock *lock)
{
	const struct cna_params *cna = params;
	struct qspinlock_waiter waiter = { .cpu = cpu, .lock = lock, .params = params, .pause_ns = cna->pause_ns };

	qspinlock_lock(&cna_ops, &waiter);
}

const struct spinlock_policy zone_lock_cna = {
	.policy = {
		.name = "cna",
		.summary = "qspinlock whose queue keeps to a NUMA node until a threshold (compact NUMA-aware lock)",
		.mirrors = "kernel/locking/qspinlock_cna.h of the series \"Add NUMA-awareness to qspinlock\" v15",
		.params = cna_params,
		.params_size = sizeof(struct cna_params),
	},
	.create = cna_create,
	.lock = cna_lock,
	.trylock = qspinlock_trylock,
	.unlock = qspinlock_unlock,
};
