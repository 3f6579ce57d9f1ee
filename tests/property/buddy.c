/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random allocations and frees of all orders and migratetypes, the same ones
 * against a second, naive allocator: every block, count and pageblock must
 * agree, and the invariants hold after each step. Whatever comes about can be
 * made again in a fresh zone from the numbers of free blocks.
 */
#include "models/kernel/buddy.h"

#include "sim/util/arena.h"
#include "sim/util/rng.h"
#include "tests/support/naive_buddy.h"
#include "tests/support/unit.h"

#include <stdio.h>

#define START_PFN (3 * 1024)
#define NR_SEEDS 8
#define NR_STEPS 3000
#define COPY_STEPS 100
#define MOST_HELD 8192

/* What a run is like. */
struct shape {
	const char *what;
	uint32_t nr_pages;
	unsigned max_order; /* smaller ones come more often */
	uint32_t full_pct; /* allocations prevail until so much is held, then frees */
	uint32_t movable_pct;
};

static const struct shape shapes[] = {
	{ "small blocks in a zone that is never full", 8 * 1024, 3, 60, 80 },
	{ "all orders, whole blocks", 8 * 1024, MAX_PAGE_ORDER, 90, 50 },
	{ "single pages to the last one", 2 * 1024, 0, 120, 60 },
	{ "all orders to the last page, incomplete pageblocks", 4 * 1024 + 700, MAX_PAGE_ORDER, 120, 40 },
	{ "hardly a movable page", 3 * 1024 + 513, 5, 100, 10 },
	{ "less than a largest block", 300, 4, 110, 70 },
};

struct held {
	pfn_t pfn;
	unsigned order;
};

struct pair {
	const struct shape *shape;
	struct rng rng;
	struct buddy *buddy;
	struct naive_buddy *naive;
	struct held held[MOST_HELD];
	uint32_t nr_held;
	uint64_t held_pages;
};

/* As rmqueue_bulk() does, several blocks of a kind come one after the other with one mode. */
static void allocate(struct pair *pair)
{
	const unsigned order = (unsigned)__builtin_ctzll(rng_u64(&pair->rng) | UINT64_C(1) << pair->shape->max_order);
	const bool movable = rng_below(&pair->rng, 100) < pair->shape->movable_pct;
	const bool reclaimable = rng_below(&pair->rng, 2) == 0;
	const enum migratetype migratetype = movable	   ? MIGRATE_MOVABLE
					     : reclaimable ? MIGRATE_RECLAIMABLE
							   : MIGRATE_UNMOVABLE;
	enum rmqueue_mode mode = RMQUEUE_NORMAL, naive_mode = RMQUEUE_NORMAL;

	for (uint64_t left = 1 + rng_below(&pair->rng, 8); left > 0 && pair->nr_held < MOST_HELD; left--) {
		const pfn_t pfn = buddy_rmqueue(pair->buddy, NULL, order, migratetype, &mode);

		assert_int_equal(pfn, naive_buddy_rmqueue(pair->naive, order, migratetype, &naive_mode));
		assert_int_equal(mode, naive_mode);
		if (pfn == NO_PAGE)
			return;
		assert_int_equal(pfn % (1u << order), 0);
		pair->held[pair->nr_held++] = (struct held){ pfn, order };
		pair->held_pages += UINT64_C(1) << order;
	}
}

static void release(struct pair *pair)
{
	for (uint64_t left = 1 + rng_below(&pair->rng, 8); left > 0 && pair->nr_held; left--) {
		struct held *chosen = &pair->held[rng_below(&pair->rng, pair->nr_held)];

		buddy_free(pair->buddy, NULL, chosen->pfn, chosen->order);
		naive_buddy_free(pair->naive, chosen->pfn, chosen->order);
		pair->held_pages -= UINT64_C(1) << chosen->order;
		*chosen = pair->held[--pair->nr_held];
	}
}

static void compare(const struct pair *pair)
{
	struct error err;

	if (buddy_check(pair->buddy, &err) != 0)
		fail_msg("%s", err.text);
	assert_int_equal(buddy_nr_free_pages(pair->buddy) + pair->held_pages, pair->shape->nr_pages);
	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++)
		assert_int_equal(buddy_nr_free_blocks(pair->buddy, order),
				 naive_buddy_nr_free_blocks(pair->naive, order));
}

static void compare_pages(const struct pair *pair)
{
	for (pfn_t pfn = START_PFN; pfn < START_PFN + pair->shape->nr_pages; pfn++) {
		assert_int_equal(buddy_is_free(pair->buddy, pfn), naive_buddy_is_free(pair->naive, pfn));
		assert_int_equal(buddy_pageblock_migratetype(pair->buddy, pfn),
				 naive_buddy_pageblock_migratetype(pair->naive, pfn));
	}
}

/* A fresh zone takes over whatever free blocks the other has come to. */
static void compare_with_a_copy(const struct pair *pair)
{
	struct arena *arena = arena_create();
	const struct buddy_site site = { .arena = arena };
	struct buddy *copy = buddy_create(&site, START_PFN, pair->shape->nr_pages);
	uint64_t nr_blocks[NR_PAGE_ORDERS];
	struct error err;

	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++)
		nr_blocks[order] = buddy_nr_free_blocks(pair->buddy, order);
	if (buddy_set_free_blocks(copy, nr_blocks, &err) != 0 || buddy_check(copy, &err) != 0)
		fail_msg("%s", err.text);
	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++)
		assert_int_equal(buddy_nr_free_blocks(copy, order), nr_blocks[order]);
	assert_int_equal(buddy_nr_free_pages(copy), buddy_nr_free_pages(pair->buddy));
	arena_destroy(arena);
}

static void run_pair(const struct shape *shape, uint64_t seed)
{
	struct arena *arena = arena_create();
	const struct buddy_site site = { .arena = arena };
	struct pair *pair = arena_alloc(arena, sizeof(*pair));

	pair->shape = shape;
	pair->rng = rng_stream(seed, shape->nr_pages);
	pair->buddy = buddy_create(&site, START_PFN, shape->nr_pages);
	pair->naive = naive_buddy_create(arena, START_PFN, shape->nr_pages);
	for (int step = 0; step < NR_STEPS; step++) {
		const bool full = pair->held_pages * 100 >= (uint64_t)shape->nr_pages * shape->full_pct;

		if (rng_below(&pair->rng, 100) < (full ? 20 : 60))
			allocate(pair);
		else
			release(pair);
		compare(pair);
		if (step % COPY_STEPS == 0)
			compare_with_a_copy(pair);
	}
	compare_pages(pair);
	while (pair->nr_held)
		release(pair);
	compare(pair);
	compare_pages(pair);
	arena_destroy(arena);
}

static void two_allocators_agree_on_every_block_and_a_third_on_every_count(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		for (uint64_t seed = 1; seed <= NR_SEEDS; seed++) {
			print_message("%s, seed %d\n", shapes[i].what, (int)seed);
			run_pair(&shapes[i], seed);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_allocators_agree_on_every_block_and_a_third_on_every_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
