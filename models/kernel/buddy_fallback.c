/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks from the lists of another migratetype: a whole pageblock is claimed
 * when that is worth it, else a single block is stolen and its pageblock stays
 * what it was.
 *
 * Which held pages could migrate is unknown here, so a page counts as movable
 * when the request that took it was: on the LRU or on its way from or to it.
 * ALLOC_NOFRAGMENT (first try all zones without a fallback) does not exist, nor
 * do the watermark boost and kswapd, which a fallback would wake.
 */
#include "models/kernel/buddy_state.h"

static const enum migratetype fallbacks[NR_MIGRATETYPES][NR_MIGRATETYPES - 1] = {
	[MIGRATE_UNMOVABLE] = { MIGRATE_RECLAIMABLE, MIGRATE_MOVABLE },
	[MIGRATE_MOVABLE] = { MIGRATE_RECLAIMABLE, MIGRATE_UNMOVABLE },
	[MIGRATE_RECLAIMABLE] = { MIGRATE_UNMOVABLE, MIGRATE_MOVABLE },
};

/*
 * should_try_claim_block(): a movable page in another's pageblock does no harm for good,
 * so it claims large blocks alone.
 */
static bool should_try_claim_block(unsigned order, enum migratetype migratetype)
{
	return order >= PAGEBLOCK_ORDER / 2 || migratetype != MIGRATE_MOVABLE;
}

/* find_suitable_fallback() of one order: its first block, NO_PAGE when it has none. */
static pfn_t first_fallback(struct buddy_visit *visit, unsigned order, enum migratetype migratetype)
{
	visit_area(visit, order);
	for (int i = 0; i < NR_MIGRATETYPES - 1; i++) {
		const pfn_t pfn = buddy_first_free(visit->buddy, order, fallbacks[migratetype][i]);

		if (pfn != NO_PAGE)
			return pfn;
	}
	return NO_PAGE;
}

/* What prep_move_freepages_block() counts. */
struct pageblock_pages {
	uint32_t nr_free, nr_movable;
};

/* Looks at each struct page that is not inside a free block. */
static struct pageblock_pages count_pages(struct buddy_visit *visit, pfn_t start)
{
	struct buddy_block *block = block_of(visit->buddy, start);
	struct pageblock_pages count = { 0 };
	uint32_t step;

	for (pfn_t pfn = start; pfn < start + PAGEBLOCK_PAGES; pfn += step) {
		const uint8_t state = block->states[pfn % BLOCK_PAGES];

		step = state & HELD_BIT ? 1 : UINT32_C(1) << (state - FREE_HEAD(0));
		visit_page(visit, &block->pages[pfn % BLOCK_PAGES], pfn);
		if (!(state & HELD_BIT))
			count.nr_free += step;
		else if (state == HELD(MIGRATE_MOVABLE))
			count.nr_movable++;
	}
	return count;
}

/* How many pages of a pageblock suit this migratetype, if it were to become the pageblock's. */
static uint32_t count_alike(const struct pageblock_pages *count, enum migratetype migratetype, enum migratetype old)
{
	if (migratetype == MIGRATE_MOVABLE)
		return count->nr_movable;
	/* unmovable and reclaimable pages cannot be told from each other */
	return old == MIGRATE_MOVABLE ? PAGEBLOCK_PAGES - count->nr_free - count->nr_movable : 0;
}

/* __move_freepages_block(): the free blocks of a pageblock to the tails of the lists of its new migratetype. */
static void move_freepages_block(struct buddy_visit *visit, pfn_t start, enum migratetype migratetype)
{
	struct buddy_block *block = block_of(visit->buddy, start);
	enum migratetype *pageblock = &block->pageblocks[start % BLOCK_PAGES / PAGEBLOCK_PAGES];

	for (pfn_t pfn = start; pfn < start + PAGEBLOCK_PAGES; pfn++) {
		const uint8_t state = block->states[pfn % BLOCK_PAGES];

		if (state & HELD_BIT || state == NOT_A_HEAD)
			continue;
		visit_area(visit, state - FREE_HEAD(0));
		del_page_from_free_list(visit, pfn, state - FREE_HEAD(0), *pageblock);
		add_to_free_list(visit, pfn, state - FREE_HEAD(0), migratetype, true);
	}
	*pageblock = migratetype;
}

/* try_to_claim_block() for one below a pageblock. */
static pfn_t claim_pageblock(struct buddy_visit *visit, pfn_t pfn, unsigned order, enum migratetype migratetype)
{
	struct buddy *buddy = visit->buddy;
	const pfn_t start = pfn - pfn % PAGEBLOCK_PAGES;
	struct pageblock_pages count;
	uint32_t nr_alike;

	/* a pageblock that the zone does not hold whole stays what it is */
	if (start + PAGEBLOCK_PAGES > buddy->start_pfn + buddy->nr_pages)
		return NO_PAGE;
	count = count_pages(visit, start);
	nr_alike = count_alike(&count, migratetype, buddy_pageblock_migratetype(buddy, start));
	if (count.nr_free + nr_alike < PAGEBLOCK_PAGES / 2)
		return NO_PAGE;
	move_freepages_block(visit, start, migratetype);
	return buddy_rmqueue_smallest(visit, order, migratetype);
}

pfn_t buddy_rmqueue_claim(struct buddy_visit *visit, unsigned order, enum migratetype migratetype)
{
	for (unsigned high = NR_PAGE_ORDERS; high-- > order;) {
		pfn_t pfn;

		if (!should_try_claim_block(high, migratetype))
			return NO_PAGE;
		pfn = first_fallback(visit, high, migratetype);
		if (pfn == NO_PAGE)
			continue;
		if (high >= PAGEBLOCK_ORDER) {
			buddy_del_and_expand(visit, pfn, high, order, migratetype);
			return pfn;
		}
		pfn = claim_pageblock(visit, pfn, order, migratetype);
		if (pfn != NO_PAGE)
			return pfn;
	}
	return NO_PAGE;
}

pfn_t buddy_rmqueue_steal(struct buddy_visit *visit, unsigned order, enum migratetype migratetype)
{
	for (unsigned high = order; high < NR_PAGE_ORDERS; high++) {
		const pfn_t pfn = first_fallback(visit, high, migratetype);

		if (pfn != NO_PAGE) {
			buddy_del_and_expand(visit, pfn, high, order, buddy_pageblock_migratetype(visit->buddy, pfn));
			return pfn;
		}
	}
	return NO_PAGE;
}
