/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * folio_lock: sleep, as Linux does it.
 *
 * Waiter (folio_wait_bit_common): take the hashed queue's spinlock, set
 * PG_waiters, try once more, queue up, sleep; once woken try again; a sleeper
 * that lost `unfairness` times asks to be handed the lock.
 * Unlocker (folio_wake_bit), having seen PG_waiters: take the spinlock, wake
 * the folio's first sleeper unless the lock is taken again, clear PG_waiters
 * when the queue is empty or nobody in it waits for this folio.
 *
 * A CPU runs one task here, so a sleeping task leaves its CPU idle.
 */
#include "models/kernel/folio_lock.h"

struct sleep_params {
	double slow_path_ns;
	double sleep_ns;
	double wake_ns;
	double wake_latency_ns;
	uint32_t unfairness;
};

/*
 * The three times are what a blocking switch costs on a server CPU; measured
 * ones lie between about 1 and 5 us for the whole round (lmbench lat_ctx class).
 */
static const struct param sleep_params[] = {
	PARAM(struct sleep_params, slow_path_ns, "ns", 50, 0, 1e6,
	      "from the failed try to the last try before sleeping, beside line transfers"),
	PARAM(struct sleep_params, sleep_ns, "ns", 1000, 0, 1e6, "going to sleep: from queueing up to an idle CPU"),
	PARAM(struct sleep_params, wake_ns, "ns", 500, 0, 1e6,
	      "what waking costs the waker (try_to_wake_up and the IPI)"),
	PARAM(struct sleep_params, wake_latency_ns, "ns", 2000, 1, 1e7, "from the wake to the woken task running"),
	PARAM(struct sleep_params, unfairness, "", 5, 0, 1e6,
	      "lost tries before the lock is handed over (sysctl page_lock_unfairness)"),
	PARAM_END,
};

/* Queue up and sleep. True when the lock was handed over. */
static bool sleep_once(const struct sleep_params *params, struct cpu *cpu, struct folio *folio, bool wants_hand_over)
{
	struct wait_queue_entry entry = { .cpu = cpu, .key = folio, .wants_hand_over = wants_hand_over };

	cpu_work(cpu, ns_to_ps(params->slow_path_ns));
	wait_queue_lock(folio->waitqueue, cpu);
	line_fetch_or(cpu, folio->page, FOLIO_FLAGS, PG_WAITERS);
	if (folio_trylock(cpu, folio)) {
		wait_queue_unlock(folio->waitqueue, cpu);
		return true;
	}
	wait_queue_add(folio->waitqueue, cpu, &entry);
	wait_queue_unlock(folio->waitqueue, cpu);
	cpu_work(cpu, ns_to_ps(params->sleep_ns));
	cpu->counters.sleeps++;
	wait_queue_sleep(&entry, "a locked folio");
	return entry.handed_over;
}

static void sleep_lock_slow(const void *params, struct cpu *cpu, struct folio *folio)
{
	const struct sleep_params *sleep = params;
	uint32_t lost = 0;

	while (!sleep_once(sleep, cpu, folio, lost >= sleep->unfairness)) {
		if (folio_trylock(cpu, folio))
			return;
		lost++;
	}
}

/* wake_page_function(): a sleeper stays when somebody has taken the lock meanwhile; that one will wake it. */
static void wake_sleeper(const struct sleep_params *sleep, struct cpu *cpu, struct folio *folio,
			 struct wait_queue_entry *entry)
{
	if (line_read(cpu, folio->page, FOLIO_FLAGS) & PG_LOCKED)
		return;
	if (entry->wants_hand_over && !folio_trylock(cpu, folio))
		return;
	entry->handed_over = entry->wants_hand_over;
	wait_queue_remove(folio->waitqueue, cpu, entry);
	cpu_work(cpu, ns_to_ps(sleep->wake_ns));
	wait_queue_wake(cpu, entry, ns_to_ps(sleep->wake_latency_ns));
}

static void sleep_wake(const void *params, struct cpu *cpu, struct folio *folio)
{
	struct wait_queue_entry *entry;

	wait_queue_lock(folio->waitqueue, cpu);
	entry = wait_queue_find(folio->waitqueue, folio);
	if (entry)
		wake_sleeper(params, cpu, folio, entry);
	if (!entry || !folio->waitqueue->first)
		line_fetch_and(cpu, folio->page, FOLIO_FLAGS, ~PG_WAITERS);
	wait_queue_unlock(folio->waitqueue, cpu);
}

const struct folio_lock_policy folio_lock_sleep = {
	.policy = {
		.name = "sleep",
		.summary = "a CPU that finds the folio locked sleeps on a hashed wait queue",
		.mirrors = "folio_wait_bit_common(), folio_wake_bit() in mm/filemap.c",
		.params = sleep_params,
		.params_size = sizeof(struct sleep_params),
	},
	.lock_slow = sleep_lock_slow,
	.wake = sleep_wake,
};
