/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Zones that a run does not find fresh: aged by a random stream, or with the
 * free blocks of a line of /proc/buddyinfo.
 */
#include "models/kernel/buddy_state.h"

#include <assert.h>
#include <inttypes.h>

/*
 * Of 256 requests that age a zone, so many are ... and the others movable.
 * Nobody measured it: models/README.md, "Buddy".
 */
#define AGE_UNMOVABLE 32
#define AGE_RECLAIMABLE 24

struct taken {
	pfn_t pfn;
	unsigned order;
};

static pfn_t take(struct buddy *buddy, unsigned order, enum migratetype migratetype)
{
	enum rmqueue_mode mode = RMQUEUE_NORMAL;

	return buddy_rmqueue(buddy, NULL, order, migratetype, &mode);
}

/* Order k comes half as often as k - 1, so each order gets about as many pages. */
static struct taken take_random(struct buddy *buddy, struct rng *rng)
{
	const uint64_t kind = rng_below(rng, 256);
	enum migratetype migratetype = MIGRATE_MOVABLE;
	struct taken taken;

	if (kind < AGE_UNMOVABLE)
		migratetype = MIGRATE_UNMOVABLE;
	else if (kind < AGE_UNMOVABLE + AGE_RECLAIMABLE)
		migratetype = MIGRATE_RECLAIMABLE;
	taken.order = (unsigned)__builtin_ctzll(rng_u64(rng) | UINT64_C(1) << MAX_PAGE_ORDER);
	taken.pfn = take(buddy, taken.order, migratetype);
	while (taken.pfn == NO_PAGE && taken.order > 0)
		taken.pfn = take(buddy, --taken.order, migratetype);
	return taken;
}

/* All that is free, into an array of `nr`. */
static struct taken *take_everything(struct buddy *buddy, struct rng *rng, struct arena *arena, int *nr)
{
	struct taken *all = NULL;
	int max = 0;

	*nr = 0;
	while (buddy->nr_free_pages) {
		all = arena_grow(arena, all, *nr, &max, sizeof(*all));
		all[(*nr)++] = take_random(buddy, rng);
	}
	return all;
}

void buddy_age(struct buddy *buddy, struct rng *rng, uint64_t touched_pages, uint32_t used_pct)
{
	const uint64_t nr_fresh = buddy->fresh_end - buddy->next_fresh;
	const uint64_t wanted = touched_pages / BLOCK_PAGES + (touched_pages % BLOCK_PAGES != 0);
	const uint32_t untouched = (uint32_t)(wanted < nr_fresh ? nr_fresh - wanted : 0);
	struct arena *arena = arena_create();
	uint64_t left_pages;
	struct taken *all;
	int nr;

	/* the untouched part is out of reach meanwhile */
	buddy->fresh_end -= untouched;
	buddy->nr_free_pages -= (uint64_t)untouched * BLOCK_PAGES;
	left_pages = buddy->nr_free_pages - buddy->nr_free_pages * used_pct / 100;
	all = take_everything(buddy, rng, arena, &nr);
	while (nr > 0 && buddy->nr_free_pages < left_pages) {
		struct taken *chosen = &all[rng_below(rng, (uint64_t)nr)];

		buddy_free(buddy, NULL, chosen->pfn, chosen->order);
		*chosen = all[--nr];
	}
	buddy->fresh_end += untouched;
	buddy->nr_free_pages += (uint64_t)untouched * BLOCK_PAGES;
	arena_destroy(arena);
}

/* Blocks still to be set free, by order. */
struct wanted {
	uint64_t nr_blocks[MAX_PAGE_ORDER];
};

static bool wants_below(const struct wanted *wanted, unsigned order)
{
	for (unsigned below = 0; below < order; below++)
		if (wanted->nr_blocks[below])
			return true;
	return false;
}

/*
 * Free parts of a held block, largest first, and always keep some of it: of two halves one stays at least partly held, so
 * nothing merges. Whatever a zone of this size can have, fits: each free block needs a partly held parent, and how many of
 * these there are does not depend on where the free blocks are.
 */
static void free_parts(struct buddy *buddy, struct wanted *wanted, pfn_t pfn, unsigned order)
{
	while (order > 0 && wants_below(wanted, order)) {
		order--;
		if (wanted->nr_blocks[order]) {
			wanted->nr_blocks[order]--;
			buddy_free(buddy, NULL, pfn, order);
		} else {
			free_parts(buddy, wanted, pfn, order);
		}
		pfn += UINT32_C(1) << order;
	}
}

/* A part of the incomplete block at the zone's end, which has at most one of each order: no buddy to merge with. */
static void set_last_block(struct buddy *buddy, struct wanted *wanted, unsigned order)
{
	if (wanted->nr_blocks[order])
		wanted->nr_blocks[order]--;
	else
		free_parts(buddy, wanted, take(buddy, order, MIGRATE_MOVABLE), order);
}

int buddy_set_free_blocks(struct buddy *buddy, const uint64_t nr_blocks[NR_PAGE_ORDERS], struct error *err)
{
	const uint64_t nr_whole = nr_blocks[MAX_PAGE_ORDER];
	struct wanted wanted;
	uint32_t nr_held;

	assert(buddy->next_fresh == 0);
	if (nr_whole > buddy->fresh_end)
		return error_plain(err, "%" PRIu64 " free blocks of order %d do not fit in a zone of %" PRIu64 " pages",
				   nr_whole, MAX_PAGE_ORDER, buddy->nr_pages);
	for (unsigned order = 0; order < MAX_PAGE_ORDER; order++)
		wanted.nr_blocks[order] = nr_blocks[order];
	for (unsigned order = 0; order < MAX_PAGE_ORDER; order++)
		if (buddy->areas[order].nr_free)
			set_last_block(buddy, &wanted, order);
	while (wants_below(&wanted, MAX_PAGE_ORDER)) {
		if (buddy->fresh_end - buddy->next_fresh == nr_whole)
			return error_plain(err, "the free blocks do not fit in a zone of %" PRIu64 " pages",
					   buddy->nr_pages);
		free_parts(buddy, &wanted, take(buddy, MAX_PAGE_ORDER, MIGRATE_MOVABLE), MAX_PAGE_ORDER);
	}
	nr_held = buddy->fresh_end - buddy->next_fresh - (uint32_t)nr_whole;
	buddy->fresh_end -= nr_held;
	buddy->nr_free_pages -= (uint64_t)nr_held * BLOCK_PAGES;
	return 0;
}
