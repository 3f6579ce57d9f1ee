/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/naive_buddy.h"

#include <assert.h>
#include <string.h>

enum holder {
	FREE,
	HELD_UNMOVABLE,
	HELD_MOVABLE,
	HELD_RECLAIMABLE,
};

struct naive_list {
	pfn_t *pfns; /* the head is element 0 */
	uint32_t nr;
};

struct naive_buddy {
	pfn_t start_pfn;
	uint32_t nr_pages;
	enum holder *holders; /* by page */
	enum migratetype *pageblocks;
	struct naive_list lists[NR_PAGE_ORDERS][NR_MIGRATETYPES];
};

static uint32_t pages_of(unsigned order)
{
	return UINT32_C(1) << order;
}

static enum migratetype *pageblock_of(const struct naive_buddy *buddy, pfn_t pfn)
{
	return &buddy->pageblocks[(pfn - buddy->start_pfn) / pages_of(PAGEBLOCK_ORDER)];
}

static void insert(struct naive_list *list, uint32_t at, pfn_t pfn)
{
	memmove(list->pfns + at + 1, list->pfns + at, (list->nr - at) * sizeof(pfn_t));
	list->pfns[at] = pfn;
	list->nr++;
}

static void delete (struct naive_list *list, uint32_t at)
{
	memmove(list->pfns + at, list->pfns + at + 1, (list->nr - at - 1) * sizeof(pfn_t));
	list->nr--;
}

/* Where a block is on a list, list->nr when it is not. */
static uint32_t find(const struct naive_list *list, pfn_t pfn)
{
	uint32_t at = 0;

	while (at < list->nr && list->pfns[at] != pfn)
		at++;
	return at;
}

/* The list that holds this free block, NULL when it is not free in this order. */
static struct naive_list *list_holding(struct naive_buddy *buddy, pfn_t pfn, unsigned order)
{
	for (int mt = 0; mt < NR_MIGRATETYPES; mt++) {
		struct naive_list *list = &buddy->lists[order][mt];

		if (find(list, pfn) < list->nr)
			return list;
	}
	return NULL;
}

struct naive_buddy *naive_buddy_create(struct arena *arena, pfn_t start_pfn, uint32_t nr_pages)
{
	struct naive_buddy *buddy = arena_alloc(arena, sizeof(*buddy));
	unsigned order = MAX_PAGE_ORDER;
	uint32_t page = 0;

	buddy->start_pfn = start_pfn;
	buddy->nr_pages = nr_pages;
	buddy->holders = arena_calloc(arena, nr_pages, sizeof(*buddy->holders));
	buddy->pageblocks = arena_calloc(arena, nr_pages / pages_of(PAGEBLOCK_ORDER) + 1, sizeof(*buddy->pageblocks));
	for (uint32_t i = 0; i <= nr_pages / pages_of(PAGEBLOCK_ORDER); i++)
		buddy->pageblocks[i] = MIGRATE_MOVABLE;
	for (unsigned k = 0; k < NR_PAGE_ORDERS; k++)
		for (int mt = 0; mt < NR_MIGRATETYPES; mt++)
			buddy->lists[k][mt].pfns = arena_calloc(arena, nr_pages / pages_of(k) + 1, sizeof(pfn_t));
	while (page < nr_pages) {
		struct naive_list *list;

		while (page + pages_of(order) > nr_pages)
			order--;
		list = &buddy->lists[order][MIGRATE_MOVABLE];
		insert(list, list->nr, start_pfn + page);
		page += pages_of(order);
	}
	return buddy;
}

/* Take the head of a list of order `high`, and give all but its first part back to lists of `rest`. */
static pfn_t take(struct naive_buddy *buddy, struct naive_list *list, unsigned high, unsigned order,
		  enum migratetype rest)
{
	const pfn_t pfn = list->pfns[0];

	delete (list, 0);
	for (unsigned k = high; k-- > order;)
		insert(&buddy->lists[k][rest], 0, pfn + pages_of(k));
	return pfn;
}

static pfn_t smallest(struct naive_buddy *buddy, unsigned order, enum migratetype migratetype)
{
	for (unsigned high = order; high <= MAX_PAGE_ORDER; high++)
		if (buddy->lists[high][migratetype].nr)
			return take(buddy, &buddy->lists[high][migratetype], high, order, migratetype);
	return NO_PAGE;
}

/* The other migratetypes in the order in which they are asked. */
static enum migratetype other(enum migratetype migratetype, int nth)
{
	switch (migratetype) {
	case MIGRATE_MOVABLE:
		return nth == 0 ? MIGRATE_RECLAIMABLE : MIGRATE_UNMOVABLE;
	case MIGRATE_RECLAIMABLE:
		return nth == 0 ? MIGRATE_UNMOVABLE : MIGRATE_MOVABLE;
	default:
		return nth == 0 ? MIGRATE_RECLAIMABLE : MIGRATE_MOVABLE;
	}
}

static struct naive_list *fallback(struct naive_buddy *buddy, unsigned order, enum migratetype migratetype)
{
	for (int nth = 0; nth < 2; nth++) {
		struct naive_list *list = &buddy->lists[order][other(migratetype, nth)];

		if (list->nr)
			return list;
	}
	return NULL;
}

static bool worth_claiming(const struct naive_buddy *buddy, pfn_t start, enum migratetype migratetype)
{
	const enum migratetype old = *pageblock_of(buddy, start);
	uint32_t nr[4] = { 0 };

	for (uint32_t i = 0; i < pages_of(PAGEBLOCK_ORDER); i++)
		nr[buddy->holders[start - buddy->start_pfn + i]]++;
	if (migratetype == MIGRATE_MOVABLE)
		return nr[FREE] + nr[HELD_MOVABLE] >= 256;
	if (old == MIGRATE_MOVABLE)
		return nr[FREE] + nr[HELD_UNMOVABLE] + nr[HELD_RECLAIMABLE] >= 256;
	return nr[FREE] >= 256;
}

/* Free blocks go over by ascending pfn, each to the tail. */
static void convert(struct naive_buddy *buddy, pfn_t start, enum migratetype migratetype)
{
	const enum migratetype old = *pageblock_of(buddy, start);

	for (pfn_t pfn = start; pfn < start + pages_of(PAGEBLOCK_ORDER); pfn++) {
		for (unsigned order = 0; order < PAGEBLOCK_ORDER; order++) {
			struct naive_list *from = &buddy->lists[order][old];
			struct naive_list *to = &buddy->lists[order][migratetype];
			const uint32_t at = find(from, pfn);

			if (at < from->nr) {
				delete (from, at);
				insert(to, to->nr, pfn);
			}
		}
	}
	*pageblock_of(buddy, start) = migratetype;
}

static pfn_t claim_at(struct naive_buddy *buddy, unsigned high, unsigned order, enum migratetype migratetype)
{
	struct naive_list *list = fallback(buddy, high, migratetype);
	pfn_t start;

	if (!list)
		return NO_PAGE;
	start = list->pfns[0] / pages_of(PAGEBLOCK_ORDER) * pages_of(PAGEBLOCK_ORDER);
	if (high >= PAGEBLOCK_ORDER) {
		for (uint32_t i = 0; i < pages_of(high); i += pages_of(PAGEBLOCK_ORDER))
			*pageblock_of(buddy, start + i) = migratetype;
		return take(buddy, list, high, order, migratetype);
	}
	if (start - buddy->start_pfn + pages_of(PAGEBLOCK_ORDER) > buddy->nr_pages ||
	    !worth_claiming(buddy, start, migratetype))
		return NO_PAGE;
	convert(buddy, start, migratetype);
	return smallest(buddy, order, migratetype);
}

static pfn_t claim(struct naive_buddy *buddy, unsigned order, enum migratetype migratetype)
{
	const unsigned lowest = migratetype == MIGRATE_MOVABLE && order < 4 ? 4 : order;
	pfn_t pfn = NO_PAGE;

	for (unsigned high = MAX_PAGE_ORDER + 1; pfn == NO_PAGE && high-- > lowest;)
		pfn = claim_at(buddy, high, order, migratetype);
	return pfn;
}

static pfn_t steal(struct naive_buddy *buddy, unsigned order, enum migratetype migratetype)
{
	for (unsigned high = order; high <= MAX_PAGE_ORDER; high++) {
		struct naive_list *list = fallback(buddy, high, migratetype);

		if (list)
			return take(buddy, list, high, order, *pageblock_of(buddy, list->pfns[0]));
	}
	return NO_PAGE;
}

static pfn_t find_block(struct naive_buddy *buddy, unsigned order, enum migratetype migratetype,
			enum rmqueue_mode *mode)
{
	pfn_t pfn = NO_PAGE;

	if (*mode == RMQUEUE_NORMAL)
		pfn = smallest(buddy, order, migratetype);
	if (pfn == NO_PAGE && *mode != RMQUEUE_STEAL) {
		pfn = claim(buddy, order, migratetype);
		if (pfn != NO_PAGE)
			*mode = RMQUEUE_NORMAL;
	}
	if (pfn == NO_PAGE) {
		pfn = steal(buddy, order, migratetype);
		if (pfn != NO_PAGE)
			*mode = RMQUEUE_STEAL;
	}
	return pfn;
}

pfn_t naive_buddy_rmqueue(struct naive_buddy *buddy, unsigned order, enum migratetype migratetype,
			  enum rmqueue_mode *mode)
{
	static const enum holder holders[NR_MIGRATETYPES] = {
		[MIGRATE_UNMOVABLE] = HELD_UNMOVABLE,
		[MIGRATE_MOVABLE] = HELD_MOVABLE,
		[MIGRATE_RECLAIMABLE] = HELD_RECLAIMABLE,
	};
	const pfn_t pfn = find_block(buddy, order, migratetype, mode);

	if (pfn == NO_PAGE)
		return NO_PAGE;
	for (uint32_t i = 0; i < pages_of(order); i++) {
		enum holder *holder = &buddy->holders[pfn - buddy->start_pfn + i];

		assert(*holder == FREE);
		*holder = holders[migratetype];
	}
	return pfn;
}

static void free_part(struct naive_buddy *buddy, pfn_t pfn, unsigned order)
{
	const enum migratetype migratetype = *pageblock_of(buddy, pfn);
	struct naive_list *list;
	bool to_tail = false;

	for (; order < MAX_PAGE_ORDER; order++) {
		list = list_holding(buddy, pfn ^ pages_of(order), order);
		if (!list)
			break;
		delete (list, find(list, pfn ^ pages_of(order)));
		if (order >= PAGEBLOCK_ORDER)
			*pageblock_of(buddy, pfn ^ pages_of(order)) = migratetype;
		pfn &= ~pages_of(order);
	}
	if (order < MAX_PAGE_ORDER - 1)
		to_tail = list_holding(buddy, (pfn & ~pages_of(order)) ^ pages_of(order + 1), order + 1);
	list = &buddy->lists[order][migratetype];
	insert(list, to_tail ? list->nr : 0, pfn);
}

void naive_buddy_free(struct naive_buddy *buddy, pfn_t pfn, unsigned order)
{
	for (uint32_t i = 0; i < pages_of(order); i++) {
		enum holder *holder = &buddy->holders[pfn - buddy->start_pfn + i];

		assert(*holder != FREE);
		*holder = FREE;
	}
	if (order <= PAGEBLOCK_ORDER) {
		free_part(buddy, pfn, order);
		return;
	}
	for (uint32_t i = 0; i < pages_of(order); i += pages_of(PAGEBLOCK_ORDER))
		free_part(buddy, pfn + i, PAGEBLOCK_ORDER);
}

enum migratetype naive_buddy_pageblock_migratetype(const struct naive_buddy *buddy, pfn_t pfn)
{
	return *pageblock_of(buddy, pfn);
}

uint64_t naive_buddy_nr_free_blocks(const struct naive_buddy *buddy, unsigned order)
{
	uint64_t nr = 0;

	for (int mt = 0; mt < NR_MIGRATETYPES; mt++)
		nr += buddy->lists[order][mt].nr;
	return nr;
}

bool naive_buddy_is_free(const struct naive_buddy *buddy, pfn_t pfn)
{
	return buddy->holders[pfn - buddy->start_pfn] == FREE;
}
