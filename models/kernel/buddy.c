/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/buddy.h"

#include "models/kernel/buddy_state.h"

#include <assert.h>
#include <string.h>

/* How far ahead to fetch records of pages that are visited one after the other. */
#define PREFETCH_PAGES 8

/*
 * What the same code costs besides cache misses;
 * where the values come from stands in models/README.md, "Cost of work under zone->lock".
 */
const struct param buddy_cost_params[] = {
	PARAM(struct buddy_costs, free_page_ns, "ns", 14.5, 0, 1e4,
	      "work under the zone lock per block freed, beside struct pages, list heads and merging"),
	PARAM(struct buddy_costs, rmqueue_ns, "ns", 10, 0, 1e4,
	      "work under the zone lock per block taken, beside struct pages, list heads and splitting"),
	PARAM(struct buddy_costs, level_ns, "ns", 2, 0, 1e4, "work under the zone lock per order merged or split"),
	PARAM(struct buddy_costs, work_pct, "pct", 100, 1, 1e4,
	      "of these three: what the machine's cores take, against those of the machine that was calibrated on"),
	PARAM(struct buddy_costs, hold_ns, "ns", 450, 0, 1e5,
	      "each hold of the zone lock, whatever is done under it: interrupts off and on, cold code, tracing"),
	PARAM_END,
};

/* The blocks at hand at the zone's end that are no largest block: explicit from the start. */
static void free_incomplete_block(struct buddy *buddy)
{
	struct buddy_visit visit = visit_begin(buddy, NULL);
	const pfn_t end = (pfn_t)(buddy->start_pfn + buddy->nr_pages);
	pfn_t pfn = end - end % BLOCK_PAGES;

	for (unsigned order = MAX_PAGE_ORDER; order-- > 0;) {
		if (!(end & (UINT32_C(1) << order)))
			continue;
		add_to_free_list(&visit, pfn, order, MIGRATE_MOVABLE, true);
		pfn += UINT32_C(1) << order;
	}
}

static struct buddy_block *block_create(struct buddy *buddy, uint32_t index)
{
	struct buddy_block *block = arena_alloc(buddy->site.arena, sizeof(*block));

	for (unsigned i = 0; i < BLOCK_PAGES / PAGEBLOCK_PAGES; i++)
		block->pageblocks[i] = MIGRATE_MOVABLE;
	buddy->blocks[index] = block;
	return block;
}

struct buddy *buddy_create(const struct buddy_site *site, pfn_t start_pfn, uint64_t nr_pages)
{
	struct buddy *buddy = arena_alloc(site->arena, sizeof(*buddy));

	assert(start_pfn % BLOCK_PAGES == 0 && start_pfn + nr_pages <= NO_PAGE);
	buddy->site = *site;
	buddy->start_pfn = start_pfn;
	buddy->nr_pages = buddy->nr_free_pages = nr_pages;
	buddy->nr_blocks = (uint32_t)((nr_pages + BLOCK_PAGES - 1) / BLOCK_PAGES);
	buddy->fresh_end = (uint32_t)(nr_pages / BLOCK_PAGES);
	buddy->blocks = arena_calloc(site->arena, buddy->nr_blocks, sizeof(struct buddy_block *));
	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++)
		for (int mt = 0; mt < NR_MIGRATETYPES; mt++)
			buddy->areas[order].lists[mt] = (struct free_list){ NO_PAGE, NO_PAGE };
	if (site->costs) {
		const double work = site->costs->work_pct / 100;

		buddy->free_page_ps = ns_to_ps(site->costs->free_page_ns * work);
		buddy->rmqueue_ps = ns_to_ps(site->costs->rmqueue_ns * work);
		buddy->level_ps = ns_to_ps(site->costs->level_ns * work);
	}
	if (buddy->fresh_end < buddy->nr_blocks) {
		block_create(buddy, buddy->fresh_end);
		free_incomplete_block(buddy);
	}
	return buddy;
}

/* Fresh blocks are the tail of the largest movable list: the first of them becomes a list entry. */
static pfn_t block_touch(struct buddy *buddy)
{
	struct buddy_visit visit = visit_begin(buddy, NULL);
	const pfn_t pfn = buddy->start_pfn + (buddy->next_fresh << MAX_PAGE_ORDER);

	block_create(buddy, buddy->next_fresh++);
	add_to_free_list(&visit, pfn, MAX_PAGE_ORDER, MIGRATE_MOVABLE, true);
	return pfn;
}

pfn_t buddy_first_free(struct buddy *buddy, unsigned order, enum migratetype migratetype)
{
	const pfn_t first = buddy->areas[order].lists[migratetype].first;

	if (first == NO_PAGE && order == MAX_PAGE_ORDER && migratetype == MIGRATE_MOVABLE &&
	    buddy->next_fresh < buddy->fresh_end)
		return block_touch(buddy);
	return first;
}

void buddy_del_and_expand(struct buddy_visit *visit, pfn_t pfn, unsigned high, unsigned order, enum migratetype rest)
{
	struct buddy *buddy = visit->buddy;
	struct buddy_block *block = block_of(buddy, pfn);

	visit_page(visit, &block->pages[pfn % BLOCK_PAGES], pfn);
	del_page_from_free_list(visit, pfn, high, block->pageblocks[pfn % BLOCK_PAGES / PAGEBLOCK_PAGES]);
	if (high >= PAGEBLOCK_ORDER)
		for (uint32_t at = 0; at < UINT32_C(1) << high; at += PAGEBLOCK_PAGES)
			block->pageblocks[(pfn % BLOCK_PAGES + at) / PAGEBLOCK_PAGES] = rest;
	while (high > order) {
		pfn_t half;

		high--;
		half = pfn + (UINT32_C(1) << high);
		glance_page(visit, &block->pages[half % BLOCK_PAGES], half);
		add_to_free_list(visit, half, high, rest, false);
		visit->price_ps += buddy->level_ps;
	}
}

pfn_t buddy_rmqueue_smallest(struct buddy_visit *visit, unsigned order, enum migratetype migratetype)
{
	for (unsigned high = order; high < NR_PAGE_ORDERS; high++) {
		pfn_t pfn;

		visit_area(visit, high);
		pfn = buddy_first_free(visit->buddy, high, migratetype);
		if (pfn != NO_PAGE) {
			buddy_del_and_expand(visit, pfn, high, order, migratetype);
			return pfn;
		}
	}
	return NO_PAGE;
}

static pfn_t rmqueue(struct buddy_visit *visit, unsigned order, enum migratetype migratetype, enum rmqueue_mode *mode)
{
	pfn_t pfn;

	switch (*mode) {
	case RMQUEUE_NORMAL:
		pfn = buddy_rmqueue_smallest(visit, order, migratetype);
		if (pfn != NO_PAGE)
			return pfn;
		/* fall through */
	case RMQUEUE_CLAIM:
		pfn = buddy_rmqueue_claim(visit, order, migratetype);
		if (pfn != NO_PAGE) {
			/* the wanted list has blocks again */
			*mode = RMQUEUE_NORMAL;
			return pfn;
		}
		/* fall through */
	case RMQUEUE_STEAL:
		pfn = buddy_rmqueue_steal(visit, order, migratetype);
		if (pfn != NO_PAGE)
			*mode = RMQUEUE_STEAL;
		return pfn;
	}
	return NO_PAGE;
}

pfn_t buddy_rmqueue(struct buddy *buddy, struct cpu *cpu, unsigned order, enum migratetype migratetype,
		    enum rmqueue_mode *mode)
{
	struct buddy_visit visit = visit_begin(buddy, cpu);
	const pfn_t pfn = rmqueue(&visit, order, migratetype, mode);

	if (pfn != NO_PAGE) {
		memset(&block_of(buddy, pfn)->states[pfn % BLOCK_PAGES], HELD(migratetype), (size_t)1 << order);
		buddy->nr_free_pages -= UINT64_C(1) << order;
		visit.price_ps += buddy->rmqueue_ps;
	}
	if (cpu)
		cpu_work(cpu, visit.price_ps);
	return pfn;
}

/* buddy_merge_likely(): is the buddy of what this block and its own buddy would make up free? */
static bool merge_likely(struct buddy_visit *visit, struct buddy_block *block, pfn_t pfn, unsigned order)
{
	pfn_t higher_buddy;

	if (order >= MAX_PAGE_ORDER - 1)
		return false;
	higher_buddy = (pfn & ~(UINT32_C(1) << order)) ^ (UINT32_C(2) << order);
	glance_page(visit, &block->pages[higher_buddy % BLOCK_PAGES], higher_buddy);
	return block->states[higher_buddy % BLOCK_PAGES] == FREE_HEAD(order + 1);
}

/* __free_one_page() for a block within a pageblock. */
static void free_one_page(struct buddy_visit *visit, pfn_t pfn, unsigned order)
{
	struct buddy *buddy = visit->buddy;
	struct buddy_block *block = block_of(buddy, pfn);
	const enum migratetype migratetype = block->pageblocks[pfn % BLOCK_PAGES / PAGEBLOCK_PAGES];
	bool to_tail;

	visit->price_ps += buddy->free_page_ps;
	visit_page(visit, &block->pages[pfn % BLOCK_PAGES], pfn);
	for (; order < MAX_PAGE_ORDER; order++) {
		const pfn_t other = pfn ^ (UINT32_C(1) << order);
		enum migratetype *pageblock = &block->pageblocks[other % BLOCK_PAGES / PAGEBLOCK_PAGES];

		if (block->states[other % BLOCK_PAGES] != FREE_HEAD(order)) {
			glance_page(visit, &block->pages[other % BLOCK_PAGES], other);
			break;
		}
		visit_page(visit, &block->pages[other % BLOCK_PAGES], other);
		visit_area(visit, order);
		del_page_from_free_list(visit, other, order, *pageblock);
		/* these migratetypes all merge with each other: a whole pageblock takes over ours */
		if (order >= PAGEBLOCK_ORDER)
			*pageblock = migratetype;
		pfn &= other;
		visit->price_ps += buddy->level_ps;
	}
	to_tail = merge_likely(visit, block, pfn, order);
	visit_area(visit, order);
	add_to_free_list(visit, pfn, order, migratetype, to_tail);
}

void buddy_free(struct buddy *buddy, struct cpu *cpu, pfn_t pfn, unsigned order)
{
	const uint32_t nr_pages = UINT32_C(1) << order;
	const unsigned part = order < PAGEBLOCK_ORDER ? order : PAGEBLOCK_ORDER;
	struct buddy_visit visit = visit_begin(buddy, cpu);
	uint8_t *states = &block_of(buddy, pfn)->states[pfn % BLOCK_PAGES];

	assert(pfn % nr_pages == 0 && states[0] & HELD_BIT && states[nr_pages - 1] & HELD_BIT);
	memset(states, NOT_A_HEAD, nr_pages);
	buddy->nr_free_pages += nr_pages;
	/* split_large_buddy() */
	for (uint32_t at = 0; at < nr_pages; at += UINT32_C(1) << part)
		free_one_page(&visit, pfn + at, part);
	if (cpu)
		cpu_work(cpu, visit.price_ps);
}

enum migratetype buddy_pageblock_migratetype(const struct buddy *buddy, pfn_t pfn)
{
	const struct buddy_block *block = block_of(buddy, pfn);

	return block ? block->pageblocks[pfn % BLOCK_PAGES / PAGEBLOCK_PAGES] : MIGRATE_MOVABLE;
}

void buddy_page_used(struct buddy *buddy, const struct cpu *cpu, pfn_t pfn)
{
	struct buddy_visit visit = visit_begin(buddy, cpu);

	visit_page(&visit, page_of(buddy, pfn), pfn);
}

void buddy_pages_used(struct buddy *buddy, const struct cpu *cpu, const pfn_t *pages, uint32_t nr, uint32_t lines)
{
	struct buddy_visit visit = visit_begin(buddy, cpu);

	if (!visit.cpu)
		return;
	for (uint32_t i = 0; i < nr; i++) {
		if (i + PREFETCH_PAGES < nr)
			__builtin_prefetch(page_of(buddy, pages[i + PREFETCH_PAGES]), 1);
		memory_pass(buddy->site.memory, cpu, lines);
		visit_page(&visit, page_of(buddy, pages[i]), pages[i]);
	}
}

sim_ps buddy_page_touch(struct buddy *buddy, const struct cpu *cpu, pfn_t pfn)
{
	struct buddy_visit visit = visit_begin(buddy, cpu);

	visit_page(&visit, page_of(buddy, pfn), pfn);
	return visit.price_ps;
}

void buddy_get_page(struct buddy *buddy, pfn_t pfn)
{
	uint8_t *state = &block_of(buddy, pfn)->states[pfn % BLOCK_PAGES];

	assert(*state & HELD_BIT && !(*state & SHARED_BIT));
	*state |= SHARED_BIT;
}

bool buddy_put_page(struct buddy *buddy, pfn_t pfn)
{
	uint8_t *state = &block_of(buddy, pfn)->states[pfn % BLOCK_PAGES];
	const bool shared = *state & SHARED_BIT;

	assert(*state & HELD_BIT);
	*state &= (uint8_t)~SHARED_BIT;
	return !shared;
}

uint64_t buddy_nr_free_pages(const struct buddy *buddy)
{
	return buddy->nr_free_pages;
}

uint64_t buddy_nr_free_blocks(const struct buddy *buddy, unsigned order)
{
	const uint32_t nr_fresh = order == MAX_PAGE_ORDER ? buddy->fresh_end - buddy->next_fresh : 0;

	return buddy->areas[order].nr_free + nr_fresh;
}

bool buddy_is_free(const struct buddy *buddy, pfn_t pfn)
{
	const pfn_t at = pfn - buddy->start_pfn;
	const struct buddy_block *block;

	if (pfn < buddy->start_pfn || at >= buddy->nr_pages)
		return false;
	block = block_of(buddy, pfn);
	return block ? !(block->states[pfn % BLOCK_PAGES] & HELD_BIT) : at >> MAX_PAGE_ORDER < buddy->fresh_end;
}
