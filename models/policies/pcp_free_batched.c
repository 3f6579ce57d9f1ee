/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pcp_free: batched, as Linux does it since 6.19 ("mm/page_alloc: batch page
 * freeing in free_frozen_page_commit", linux-mm, 20251014145011.3427205-4):
 * pcp->batch pages at a time, and both locks let go in between, whether anybody
 * waits or not. A qspinlock sends the CPU to the end of the queue each time.
 *
 * Letting go of pcp->lock lets the task be preempted. One that finds the lock
 * taken then, or is on another CPU, gives up: the rest stays on the list until
 * the next free there.
 */
#include "models/kernel/pcp_free.h"

#include "models/kernel/sched.h"

struct batched_params {
	uint32_t chunk_pages;
};

static const struct param batched_params[] = {
	PARAM(struct batched_params, chunk_pages, "pages", 0, 0, 1e6, "pages under one hold; 0: pcp->batch"),
	PARAM_END,
};

static int chunk_of(const struct batched_params *batched, const struct pcp_flush *flush, int to_free)
{
	const int chunk = batched->chunk_pages ? (int)batched->chunk_pages : flush->pcp->batch;

	return to_free < chunk ? to_free : chunk;
}

static bool batched_commit(const void *params, const struct pcp_flush *flush, int to_free)
{
	const struct cpu *cpu = flush->task->cpu;
	struct per_cpu_pages *pcp = flush->pcp;

	while (to_free > 0 && pcp->count > 0) {
		const int to_free_batched = chunk_of(params, flush, to_free);

		free_pcppages_bulk(flush, to_free_batched);
		to_free -= to_free_batched;
		if (to_free <= 0 || pcp->count <= 0)
			break;
		pcp_spin_unlock(flush->alloc, flush->task, pcp);
		task_preempt_point(flush->task);
		pcp = pcp_spin_trylock(flush->alloc, flush->task, flush->zone);
		if (!pcp) {
			pcp_free_lost(flush->alloc);
			return false;
		}
		if (flush->task->cpu != cpu) {
			pcp_spin_unlock(flush->alloc, flush->task, pcp);
			pcp_free_lost(flush->alloc);
			return false;
		}
	}
	return true;
}

static void batched_decay(const void *params, const struct pcp_flush *flush, int to_free)
{
	pcp_decay_in_chunks(flush, to_free, chunk_of(params, flush, to_free));
}

const struct pcp_free_policy pcp_free_batched = {
	.policy = {
		.name = "batched",
		.summary = "a flush goes to the zone in chunks of a batch, both locks let go in between",
		.mirrors = "free_frozen_page_commit(), decay_pcp_high() in mm/page_alloc.c, 6.19",
		.params = batched_params,
		.params_size = sizeof(struct batched_params),
	},
	.commit = batched_commit,
	.decay = batched_decay,
};
