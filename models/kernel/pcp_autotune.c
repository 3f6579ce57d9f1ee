/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/pcp_autotune.h"

#define RECLAIM_BATCHES 4 /* that a CPU keeps while kswapd balances its node */

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

/* The lower bound wins over an upper one below it: only overrides can ask for that. */
static int within(int value, int low, int high)
{
	return larger(smaller(value, high), low);
}

/* batch << CONFIG_PCP_BATCH_SCALE_MAX */
static int largest_batch(const struct pcp_autotune_params *autotune, const struct per_cpu_pages *pcp)
{
	return pcp->batch << autotune->batch_scale_max;
}

int pcp_autotune_nr_alloc(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, unsigned order)
{
	const struct pcp_autotune_params *autotune = params;
	int high = pcp->high = within(pcp->high, pcp->high_min, pcp->high_max);
	int base_batch = pcp->batch;
	int batch = order ? base_batch : base_batch << pcp->alloc_factor;

	if (high < base_batch)
		return 1;
	/* room for what is taken, so that freeing it again goes nowhere */
	if (pcp->high_min != pcp->high_max && !(zone_flags & ZONE_BELOW_HIGH))
		high = pcp->high = smaller(high + batch, pcp->high_max);
	if (order == 0) {
		int max_nr_alloc = larger(high - pcp->count - base_batch, base_batch);

		if (batch <= max_nr_alloc && pcp->alloc_factor < autotune->batch_scale_max)
			pcp->alloc_factor++;
		batch = smaller(batch, max_nr_alloc);
	}
	return batch > 1 ? larger(batch >> order, 2) : batch;
}

void pcp_autotune_allocated(const void *params, struct per_cpu_pages *pcp, uint32_t nr)
{
	(void)params;
	pcp->free_count = nr < 31 ? pcp->free_count >> nr : 0;
}

/* Lower high by the run of pages freed, at least by a batch. */
static void lower_high(struct per_cpu_pages *pcp, int high)
{
	pcp->high = larger(high - larger(pcp->free_count, pcp->batch), pcp->high_min);
}

/* The mark that count is held against: high before this call moves it. */
static int nr_pcp_high(const struct pcp_autotune_params *autotune, struct per_cpu_pages *pcp, unsigned zone_flags,
		       bool free_high)
{
	int high = pcp->high = within(pcp->high, pcp->high_min, pcp->high_max);
	int need_high = pcp->free_count + pcp->batch;

	if (!high)
		return 0;
	if (free_high) {
		pcp->high = larger(high - largest_batch(autotune, pcp), pcp->high_min);
		return 0;
	}
	if (zone_flags & ZONE_RECLAIM_ACTIVE) {
		lower_high(pcp, high);
		return smaller(RECLAIM_BATCHES * pcp->batch, pcp->high);
	}
	if (pcp->high_min == pcp->high_max)
		return high;
	if (zone_flags & ZONE_BELOW_HIGH) {
		lower_high(pcp, high);
		return larger(pcp->count, pcp->high_min);
	}
	if (pcp->count >= high && pcp->high < need_high)
		pcp->high = within(need_high, pcp->high_min, pcp->high_max);
	return high;
}

static int nr_pcp_free(const struct pcp_autotune_params *autotune, const struct per_cpu_pages *pcp, int high,
		       bool free_high)
{
	if (free_high)
		return smaller(pcp->count, largest_batch(autotune, pcp));
	if (high < pcp->batch)
		return 1;
	return within(pcp->free_count, pcp->batch, high - pcp->batch);
}

/* Has the run of pages freed come to where a block of order 1 to 3 flushes the list? */
static bool is_long_run(const struct pcp_autotune_params *autotune, const struct per_cpu_pages *pcp)
{
	int64_t threshold = (int64_t)autotune->free_high_batches * pcp->batch +
			    (int64_t)pcp->high_min * autotune->free_high_min_pct / 100;

	return pcp->free_count >= threshold;
}

int pcp_autotune_freed(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, unsigned order,
		       bool *free_high)
{
	const struct pcp_autotune_params *autotune = params;
	int high;

	pcp->alloc_factor >>= 1;
	*free_high = false;
	if (order && order <= PAGE_ALLOC_COSTLY_ORDER) {
		*free_high = is_long_run(autotune, pcp) && (pcp->flags & PCPF_PREV_FREE_HIGH_ORDER) &&
			     (!(pcp->flags & PCPF_FREE_HIGH_BATCH) || pcp->count >= pcp->batch);
		pcp->flags |= PCPF_PREV_FREE_HIGH_ORDER;
	} else {
		pcp->flags &= (uint8_t)~PCPF_PREV_FREE_HIGH_ORDER;
	}
	if (pcp->free_count < largest_batch(autotune, pcp))
		pcp->free_count += 1 << order;
	high = nr_pcp_high(autotune, pcp, zone_flags, *free_high);
	return pcp->count < high ? 0 : nr_pcp_free(autotune, pcp, high, *free_high);
}

/* What nr_pcp_high() returns for order 0 as long as count is below it; 0 while high is on its way down. */
static int steady_mark(const struct per_cpu_pages *pcp, unsigned zone_flags)
{
	int high = within(pcp->high, pcp->high_min, pcp->high_max);
	bool reclaim = zone_flags & ZONE_RECLAIM_ACTIVE;
	bool falling = reclaim || (pcp->high_min != pcp->high_max && (zone_flags & ZONE_BELOW_HIGH));

	if (falling && high > pcp->high_min)
		return 0;
	return reclaim ? smaller(RECLAIM_BATCHES * pcp->batch, high) : high;
}

uint32_t pcp_autotune_freed_quietly(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, uint32_t nr)
{
	int largest = largest_batch(params, pcp);
	int room = steady_mark(pcp, zone_flags) - 1 - pcp->count;

	if (room <= 0 || !nr)
		return 0;
	if (nr > (uint32_t)room)
		nr = (uint32_t)room;
	pcp->alloc_factor = (uint8_t)(nr < 8 ? pcp->alloc_factor >> nr : 0);
	pcp->flags &= (uint8_t)~PCPF_PREV_FREE_HIGH_ORDER;
	if (pcp->free_count < largest)
		pcp->free_count = smaller(pcp->free_count + (int)nr, largest);
	pcp->high = within(pcp->high, pcp->high_min, pcp->high_max);
	pcp->count += (int)nr;
	return nr;
}

int pcp_autotune_decay(const void *params, struct per_cpu_pages *pcp)
{
	if (pcp->high > pcp->high_min) {
		int slower = larger(pcp->count - largest_batch(params, pcp), pcp->high - (pcp->high >> 3));

		pcp->high = larger(slower, pcp->high_min);
	}
	return larger(pcp->count - pcp->high, 0);
}

int pcp_autotune_drain(const void *params, const struct per_cpu_pages *pcp)
{
	return largest_batch(params, pcp);
}
