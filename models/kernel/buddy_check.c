/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/buddy_state.h"

#include <inttypes.h>

/* What the page map holds, against which the lists are checked. */
struct census {
	uint64_t nr_heads[NR_PAGE_ORDERS];
	uint64_t free_pages;
};

static pfn_t block_start(const struct buddy *buddy, uint32_t index)
{
	return buddy->start_pfn + (index << MAX_PAGE_ORDER);
}

/* How many pages of a block the zone has. */
static uint32_t block_pages(const struct buddy *buddy, uint32_t index)
{
	const uint64_t left = buddy->nr_pages - (uint64_t)index * BLOCK_PAGES;

	return left < BLOCK_PAGES ? (uint32_t)left : BLOCK_PAGES;
}

/* A free block of the map: does it end in the zone, aligned, with nothing else in it, its buddy not free? */
static int check_free_block(const struct buddy *buddy, uint32_t index, uint32_t at, struct error *err)
{
	const struct buddy_block *block = buddy->blocks[index];
	const unsigned order = block->states[at] - FREE_HEAD(0);
	const uint32_t nr = UINT32_C(1) << order;
	const pfn_t pfn = block_start(buddy, index) + at;

	if (order > MAX_PAGE_ORDER || at % nr != 0 || at + nr > block_pages(buddy, index))
		return error_plain(err, "a free block of order %u cannot start at page %" PRIu32, order, pfn);
	for (uint32_t i = at + 1; i < at + nr; i++)
		if (block->states[i] != NOT_A_HEAD)
			return error_plain(err, "page %" PRIu32 " is held or a head inside the free block at %" PRIu32,
					   block_start(buddy, index) + i, pfn);
	if (order < MAX_PAGE_ORDER && block->states[at ^ nr] == block->states[at])
		return error_plain(err, "the buddies of order %u at %" PRIu32 " and %" PRIu32 " are both free", order,
				   pfn, pfn ^ nr);
	return 0;
}

/* Every page of a block is held or in one free block. */
static int check_block(const struct buddy *buddy, uint32_t index, struct census *census, struct error *err)
{
	const struct buddy_block *block = buddy->blocks[index];
	uint32_t at = 0;

	while (at < block_pages(buddy, index)) {
		const uint8_t state = block->states[at];

		if (state == NOT_A_HEAD)
			return error_plain(err, "page %" PRIu32 " is neither held nor free",
					   block_start(buddy, index) + at);
		if (state & HELD_BIT) {
			at++;
			continue;
		}
		if (check_free_block(buddy, index, at, err) != 0)
			return -1;
		census->nr_heads[state - FREE_HEAD(0)]++;
		census->free_pages += UINT64_C(1) << (state - FREE_HEAD(0));
		at += UINT32_C(1) << (state - FREE_HEAD(0));
	}
	return 0;
}

static int check_map(const struct buddy *buddy, struct census *census, struct error *err)
{
	const bool incomplete = buddy->nr_pages % BLOCK_PAGES != 0;

	if (buddy->next_fresh > buddy->fresh_end || buddy->fresh_end > buddy->nr_pages / BLOCK_PAGES)
		return error_plain(err, "the untouched blocks %" PRIu32 " .. %" PRIu32 " are none of the zone",
				   buddy->next_fresh, buddy->fresh_end);
	for (uint32_t index = 0; index < buddy->nr_blocks; index++) {
		const bool touched = index < buddy->next_fresh || (incomplete && index == buddy->nr_blocks - 1);

		if (touched != (buddy->blocks[index] != NULL))
			return error_plain(err, "block %" PRIu32 " is %s", index,
					   touched ? "lost" : "untouched, but has page records");
		if (touched && check_block(buddy, index, census, err) != 0)
			return -1;
	}
	census->free_pages += (uint64_t)(buddy->fresh_end - buddy->next_fresh) * BLOCK_PAGES;
	return 0;
}

/* An entry of a list: a free head of this order, linked back? */
static int check_entry(const struct buddy *buddy, pfn_t pfn, pfn_t prev, unsigned order, struct error *err)
{
	const struct buddy_block *block = NULL;

	if (pfn >= buddy->start_pfn && pfn - buddy->start_pfn < buddy->nr_pages)
		block = block_of(buddy, pfn);
	if (!block || block->states[pfn % BLOCK_PAGES] != FREE_HEAD(order))
		return error_plain(err, "page %" PRIu32 " on a list of order %u is no free block of that order", pfn,
				   order);
	if (block->pages[pfn % BLOCK_PAGES].prev != prev)
		return error_plain(err, "page %" PRIu32 " on a list of order %u does not lead back", pfn, order);
	return 0;
}

static bool in_pageblocks_of(const struct buddy *buddy, pfn_t pfn, unsigned order, enum migratetype migratetype)
{
	for (uint32_t at = 0; at < UINT32_C(1) << order; at += PAGEBLOCK_PAGES)
		if (buddy_pageblock_migratetype(buddy, pfn + at) != migratetype)
			return false;
	return true;
}

/* Adds its blocks to *nr. A list that runs in circles comes to an end at nr_free. */
static int check_list(const struct buddy *buddy, unsigned order, enum migratetype migratetype, uint64_t *nr,
		      struct error *err)
{
	const struct free_area *area = &buddy->areas[order];
	const struct free_list *list = &area->lists[migratetype];
	pfn_t prev = NO_PAGE;

	for (pfn_t pfn = list->first; pfn != NO_PAGE; pfn = page_of(buddy, pfn)->next) {
		if (check_entry(buddy, pfn, prev, order, err) != 0)
			return -1;
		if (!in_pageblocks_of(buddy, pfn, order, migratetype))
			return error_plain(err, "page %" PRIu32 " is on a list of another migratetype", pfn);
		if (++*nr > area->nr_free)
			return error_plain(err, "the lists of order %u hold more than nr_free says", order);
		prev = pfn;
	}
	if (list->last != prev)
		return error_plain(err, "a list of order %u does not end at its tail", order);
	return 0;
}

int buddy_check(const struct buddy *buddy, struct error *err)
{
	struct census census = { 0 };

	if (check_map(buddy, &census, err) != 0)
		return -1;
	if (census.free_pages != buddy->nr_free_pages)
		return error_plain(err, "%" PRIu64 " pages are free, the count says %" PRIu64, census.free_pages,
				   buddy->nr_free_pages);
	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++) {
		uint64_t nr = 0;

		for (int mt = 0; mt < NR_MIGRATETYPES; mt++)
			if (check_list(buddy, order, (enum migratetype)mt, &nr, err) != 0)
				return -1;
		if (nr != buddy->areas[order].nr_free || nr != census.nr_heads[order])
			return error_plain(err,
					   "order %u: %" PRIu64 " blocks on the lists, %" PRIu64
					   " in the map, nr_free %" PRIu64,
					   order, nr, census.nr_heads[order], buddy->areas[order].nr_free);
	}
	return 0;
}
