/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Freeing: to this CPU's pcp and from there, or straight to the zone
 * (mm/page_alloc.c, 6.12).
 */
#include "models/kernel/page_alloc_parts.h"

#define PAGEBLOCK_PAGES (UINT64_C(1) << PAGEBLOCK_ORDER)

/* The next non-empty list from index on, round and round; there is one. */
static int next_list(const struct per_cpu_pages *pcp, int pindex)
{
	while (!pcp->lists[pindex].nr)
		pindex = pindex + 1 < NR_PCP_LISTS ? pindex + 1 : 0;
	return pindex;
}

/* The loop of free_pcppages_bulk() under the lock. Returns how many pages went. */
static int give_blocks(const struct pcp_flush *flush, int nr_pages)
{
	struct zone *zone = flush->zone;
	struct cpu *cpu = flush->task->cpu;
	int pindex = flush->pindex;
	int given = 0;

	while (given < nr_pages) {
		struct pcp_list *list;
		unsigned order;

		pindex = next_list(flush->pcp, pindex);
		list = &flush->pcp->lists[pindex];
		order = pindex_to_order(pindex);
		for (; given < nr_pages && list->nr; given += 1 << order) {
			buddy_free(zone->buddy, cpu, pcp_list_pop_tail(list), order);
			mod_zone_free_pages(zone, cpu, INT64_C(1) << order);
			flush->alloc->cpus[cpu->id].blocks.drained++;
		}
	}
	return given;
}

void free_pcppages_bulk(const struct pcp_flush *flush, int nr_pages)
{
	struct per_cpu_pages *pcp = flush->pcp;
	struct cpu *cpu = flush->task->cpu;
	struct zone_lock_times times;
	int given;

	zone_lock(flush->zone, cpu, &times);
	given = give_blocks(flush, nr_pages < pcp->count ? nr_pages : pcp->count);
	pcp->count -= given;
	page_alloc_unlock_zone(flush->alloc, flush->zone, cpu, &times, flush->kind, (uint64_t)given);
	if (flush->kind == ZONE_HOLD_DECAY)
		flush->alloc->counters.pages_drained += (uint64_t)given;
	else
		flush->alloc->counters.pages_flushed += (uint64_t)given;
}

/* A block on its way back. */
struct freed_block {
	struct zone *zone;
	pfn_t pfn;
	unsigned order;
	bool prepared; /* FPI_PREPARED */
};

/* free_one_page(): one block under one hold. */
static void free_one_page(struct page_alloc *alloc, struct task *task, const struct freed_block *block)
{
	const uint64_t pages = UINT64_C(1) << block->order;
	struct zone *zone = block->zone;
	struct zone_lock_times times;

	zone_lock(zone, task->cpu, &times);
	buddy_free(zone->buddy, task->cpu, block->pfn, block->order);
	for (uint64_t counted = 0; counted < pages; counted += PAGEBLOCK_PAGES) /* split_large_buddy() */
		mod_zone_free_pages(zone, task->cpu, (int64_t)(pages < PAGEBLOCK_PAGES ? pages : PAGEBLOCK_PAGES));
	page_alloc_unlock_zone(alloc, zone, task->cpu, &times, ZONE_HOLD_DIRECT_FREE, pages);
	alloc->counters.direct_frees++;
}

void pcp_free_lost(struct page_alloc *alloc)
{
	alloc->counters.pcp_lost++;
}

/* The flush that the arithmetic asked for. Returns whether the pcp is still locked. */
static bool flush_pcp(const struct pcp_flush *flush, int to_free)
{
	struct page_alloc *alloc = flush->alloc;
	struct zone *zone = flush->zone;
	bool locked;

	alloc->counters.flushes++;
	alloc->counters.flushes_high += flush->kind == ZONE_HOLD_FREE_HIGH;
	zone_read_flags(zone, flush->task->cpu); /* nr_pcp_high() */
	locked = alloc->free->commit(alloc->free_params, flush, to_free);
	if (!alloc->high->design.knows_below_high)
		return locked;
	if ((zone_read_flags(zone, flush->task->cpu) & ZONE_BELOW_HIGH) &&
	    zone_watermark_ok(zone, flush->task->cpu, 0, WMARK_HIGH))
		zone_clear_flag(zone, flush->task->cpu, ZONE_BELOW_HIGH);
	return locked;
}

/* The list of the pcp that a block goes to. */
static int pindex_of(const struct freed_block *block)
{
	return order_to_pindex(buddy_pageblock_migratetype(block->zone->buddy, block->pfn), block->order);
}

/* Returns whether the pcp is still locked. */
static bool free_frozen_page_commit(struct page_alloc *alloc, struct task *task, struct per_cpu_pages *pcp,
				    const struct freed_block *block)
{
	struct pcp_flush flush = { .alloc = alloc, .task = task, .zone = block->zone, .pcp = pcp };
	bool free_high;
	int to_free;

	flush.pindex = pindex_of(block);
	pcp_list_push_head(&pcp->lists[flush.pindex], alloc->site.arena, &block->pfn, 1);
	pcp->count += 1 << block->order;
	task_kernel(task, block->prepared ? alloc->commit_ps : alloc->free_ps);
	buddy_page_used(block->zone->buddy, task->cpu, block->pfn);
	to_free = alloc->high->freed(alloc->high_params, pcp, block->zone->flags, block->order, &free_high);
	if (!to_free)
		return true;
	flush.kind = free_high ? ZONE_HOLD_FREE_HIGH : ZONE_HOLD_FREE;
	return flush_pcp(&flush, to_free);
}

static void free_frozen_pages(struct page_alloc *alloc, struct task *task, const struct freed_block *block)
{
	struct per_cpu_pages *pcp = NULL;

	vmstat_poll(alloc, task);
	alloc->counters.frees++;
	if (pcp_allowed_order(block->order))
		pcp = pcp_spin_trylock(alloc, task, block->zone);
	if (!pcp)
		free_one_page(alloc, task, block);
	else if (free_frozen_page_commit(alloc, task, pcp, block))
		pcp_spin_unlock(alloc, task, pcp);
}

void free_pages(struct page_alloc *alloc, struct task *task, pfn_t pfn, unsigned order)
{
	const struct freed_block block = { .zone = page_zone(alloc, pfn), .pfn = pfn, .order = order };

	free_frozen_pages(alloc, task, &block);
}

void free_pages_past_pcp(struct page_alloc *alloc, struct task *task, pfn_t pfn, unsigned order)
{
	const struct freed_block block = { .zone = page_zone(alloc, pfn), .pfn = pfn, .order = order };

	vmstat_poll(alloc, task);
	alloc->counters.frees++;
	alloc->counters.trylock_failures++;
	free_one_page(alloc, task, &block);
}

void free_prepared_pages(struct page_alloc *alloc, struct task *task, pfn_t pfn, unsigned order)
{
	const struct freed_block block = {
		.zone = page_zone(alloc, pfn), .pfn = pfn, .order = order, .prepared = true
	};

	free_frozen_pages(alloc, task, &block);
}

/* ---- batches of order-0 pages ---- */

/* How many of the pages from the first on go to the same list of the same zone. */
static uint32_t same_list(const struct zone *zone, const pfn_t *pages, uint32_t nr)
{
	const enum migratetype first = buddy_pageblock_migratetype(zone->buddy, pages[0]);
	uint32_t i = 1;

	while (i < nr && zone_has_pfn(zone, pages[i]) && buddy_pageblock_migratetype(zone->buddy, pages[i]) == first)
		i++;
	return i;
}

/* A pcp of the task's CPU, while its lock is held; NULL when it is not. */
struct pcp_hold {
	struct zone *zone;
	struct per_cpu_pages *pcp;
};

/* Commits that do no more than put pages on their list, at once. How many there were; 0 when the next one needs more. */
static uint32_t commit_quietly(struct page_alloc *alloc, struct task *task, const struct pcp_hold *hold,
			       const pfn_t *pages, uint32_t nr)
{
	const struct freed_block first = { .zone = hold->zone, .pfn = pages[0] };

	nr = same_list(hold->zone, pages, nr);
	nr = alloc->high->freed_quietly(alloc->high_params, hold->pcp, hold->zone->flags, nr);
	if (!nr)
		return 0;
	pcp_list_push_head(&hold->pcp->lists[pindex_of(&first)], alloc->site.arena, pages, nr);
	task_kernel(task, nr * alloc->free_ps);
	buddy_pages_used(hold->zone->buddy, task->cpu, pages, nr, 0);
	return nr;
}

/* The pcp for a page: the one that is held, or the right one if nobody else has it. */
static void hold_pcp_of(struct page_alloc *alloc, struct task *task, struct pcp_hold *hold, pfn_t pfn)
{
	if (hold->pcp && zone_has_pfn(hold->zone, pfn))
		return;
	if (hold->pcp)
		pcp_spin_unlock(alloc, task, hold->pcp);
	hold->zone = page_zone(alloc, pfn);
	hold->pcp = pcp_spin_trylock(alloc, task, hold->zone);
}

/* At least the first of the pages. How many. */
static uint32_t free_next(struct page_alloc *alloc, struct task *task, struct pcp_hold *hold, const pfn_t *pages,
			  uint32_t nr)
{
	const struct freed_block block = { .zone = hold->zone, .pfn = pages[0] };
	uint32_t run;

	if (!hold->pcp) {
		free_one_page(alloc, task, &block);
		return 1;
	}
	run = commit_quietly(alloc, task, hold, pages, nr);
	if (run)
		return run;
	if (!free_frozen_page_commit(alloc, task, hold->pcp, &block))
		hold->pcp = NULL;
	return 1;
}

/* free_unref_folios(): one trylock for all, another one where the zone changes or a flush lost the pcp. */
static void free_unref_folios(struct page_alloc *alloc, struct task *task, const pfn_t *pages, uint32_t nr)
{
	struct pcp_hold hold = { .pcp = NULL };

	while (nr) {
		uint32_t done;

		hold_pcp_of(alloc, task, &hold, pages[0]);
		done = free_next(alloc, task, &hold, pages, nr);
		pages += done;
		nr -= done;
	}
	if (hold.pcp)
		pcp_spin_unlock(alloc, task, hold.pcp);
}

void free_pages_burst(struct page_alloc *alloc, struct task *task, const pfn_t *pages, uint32_t nr,
		      const struct page_work *work)
{
	alloc->counters.frees += nr;
	while (nr) {
		const uint32_t batch = nr < alloc->high->design.free_batch ? nr : alloc->high->design.free_batch;

		page_alloc_work(alloc, task, work, batch);
		vmstat_poll(alloc, task);
		free_unref_folios(alloc, task, pages, batch);
		pages += batch;
		nr -= batch;
	}
}
