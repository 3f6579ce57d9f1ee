/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pcp_high: v6.6, before autotuning. high is fixed, refills are one batch, and
 * flushes double from one to the next while nothing is allocated
 * (free_factor). Once one has doubled, a block of order 1 to 3 empties the
 * whole pcp: at the exit of a process the pages go first, the PGD after them.
 *
 * high_min stands for v6.6's only mark. v6.6.45 caps free_factor at 5
 * (batch_scale_max); a cap of 0 is the fixed batch of up to v5.13.
 */
#include "models/kernel/pcp.h"

#define RECLAIM_BATCHES 4 /* that a CPU keeps while kswapd balances its node */
#define NO_LIMIT 7

struct v6_6_params {
	struct pcp_limits limits;
	uint32_t batch_scale_max;
};

/* clang-format off */
static const struct param v6_6_params[] = {
	PCP_LIMIT_PARAMS(struct v6_6_params),
	PARAM(struct v6_6_params, batch_scale_max, "", NO_LIMIT, 0, NO_LIMIT, "a flush is not doubled beyond batch * 2^this (CONFIG_PCP_BATCH_SCALE_MAX, 5, in v6.6.45); 7 is no limit"),
	PARAM_END,
};
/* clang-format on */

static int v6_6_nr_pcp_alloc(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, unsigned order)
{
	int batch = pcp->batch;

	(void)params, (void)zone_flags;
	pcp->high = pcp->high_min;
	if (batch > 1)
		batch = batch >> order > 2 ? batch >> order : 2;
	return batch;
}

static void v6_6_allocated(const void *params, struct per_cpu_pages *pcp, uint32_t nr)
{
	(void)params;
	pcp->free_factor = nr < 31 ? pcp->free_factor >> nr : 0;
}

static int nr_pcp_high(const struct per_cpu_pages *pcp, unsigned zone_flags, bool free_high)
{
	if (free_high)
		return 0;
	if (zone_flags & ZONE_RECLAIM_ACTIVE && RECLAIM_BATCHES * pcp->batch < pcp->high_min)
		return RECLAIM_BATCHES * pcp->batch;
	return pcp->high_min;
}

static bool may_double(const struct v6_6_params *v6_6, const struct per_cpu_pages *pcp)
{
	return v6_6->batch_scale_max == NO_LIMIT || (uint32_t)pcp->free_factor < v6_6->batch_scale_max;
}

static int nr_pcp_free(const struct v6_6_params *v6_6, struct per_cpu_pages *pcp, int high, bool free_high)
{
	int max_nr_free = high - pcp->batch;
	int batch = pcp->batch << pcp->free_factor;

	if (free_high)
		return pcp->count;
	if (high < pcp->batch)
		return 1;
	if (batch < max_nr_free && may_double(v6_6, pcp))
		pcp->free_factor++;
	if (batch > max_nr_free)
		batch = max_nr_free;
	return batch > pcp->batch ? batch : pcp->batch;
}

static int v6_6_freed(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, unsigned order,
		      bool *free_high)
{
	int high;

	pcp->high = pcp->high_min;
	*free_high = pcp->free_factor && order && order <= PAGE_ALLOC_COSTLY_ORDER;
	high = nr_pcp_high(pcp, zone_flags, *free_high);
	return pcp->count < high ? 0 : nr_pcp_free(params, pcp, high, *free_high);
}

static uint32_t v6_6_freed_quietly(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, uint32_t nr)
{
	int room = nr_pcp_high(pcp, zone_flags, false) - 1 - pcp->count;

	(void)params;
	if (room <= 0 || !nr)
		return 0;
	if (nr > (uint32_t)room)
		nr = (uint32_t)room;
	pcp->high = pcp->high_min;
	pcp->count += (int)nr;
	return nr;
}

static int v6_6_decay(const void *params, struct per_cpu_pages *pcp)
{
	(void)params, (void)pcp;
	return 0;
}

/* All at once: the limit came with 6.10 ("mm: page_alloc: control latency caused by zone PCP draining"). */
static int v6_6_drain(const void *params, const struct per_cpu_pages *pcp)
{
	(void)params;
	return pcp->count;
}

const struct pcp_high_policy pcp_high_v6_6 = {
	.policy = {
		.name = "v6.6",
		.summary = "fixed high; flushes double, and then one block of order 1 to 3 empties the list",
		.mirrors = "nr_pcp_high(), nr_pcp_free(), free_unref_page_commit() in mm/page_alloc.c, v5.14 to v6.6",
		.params = v6_6_params,
		.params_size = sizeof(struct v6_6_params),
		.check = pcp_limits_check,
	},
	.design = { .free_batch = SWAP_CLUSTER_MAX, .refill_counts_once = true },
	.nr_pcp_alloc = v6_6_nr_pcp_alloc,
	.allocated = v6_6_allocated,
	.freed = v6_6_freed,
	.freed_quietly = v6_6_freed_quietly,
	.decay = v6_6_decay,
	.drain = v6_6_drain,
};
