/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/buddy.h"

#include "models/kernel/buddy_state.h"
#include "tests/support/param_rules.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <stdio.h>

/* ---- scripts: rows of requests and what they must give ---- */

enum verb {
	TAKE, /* rmqueue in a new hold of the lock: mode normal; must give `pfn` */
	MORE, /* rmqueue that keeps the mode */
	FREE, /* pfn, order */
	BLOCKS, /* so many free blocks of the order: pfn */
	TYPE, /* the pageblock of pfn has this migratetype */
};

struct step {
	enum verb verb;
	unsigned order;
	enum migratetype migratetype;
	pfn_t pfn;
};

struct script {
	const char *what;
	uint64_t nr_pages;
	const struct step *steps;
	size_t nr_steps;
};

#define U MIGRATE_UNMOVABLE
#define M MIGRATE_MOVABLE
#define R MIGRATE_RECLAIMABLE
#define SCRIPT(what_, nr_pages_, ...) \
	{ \
		.what = what_, .nr_pages = nr_pages_, .steps = (const struct step[]){ __VA_ARGS__ }, \
		.nr_steps = ARRAY_SIZE(((const struct step[]){ __VA_ARGS__ })) \
	}

static void run_step(struct buddy *buddy, const struct step *step, enum rmqueue_mode *mode)
{
	switch (step->verb) {
	case TAKE:
		*mode = RMQUEUE_NORMAL;
		/* fall through */
	case MORE:
		assert_int_equal(buddy_rmqueue(buddy, NULL, step->order, step->migratetype, mode), step->pfn);
		break;
	case FREE:
		buddy_free(buddy, NULL, step->pfn, step->order);
		break;
	case BLOCKS:
		assert_int_equal(buddy_nr_free_blocks(buddy, step->order), step->pfn);
		break;
	case TYPE:
		assert_int_equal(buddy_pageblock_migratetype(buddy, step->pfn), step->migratetype);
		break;
	}
}

static void check(const struct buddy *buddy)
{
	struct error err;

	if (buddy_check(buddy, &err) != 0)
		fail_msg("%s", err.text);
}

static void run_scripts(const struct script *scripts, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct arena *arena = arena_create();
		const struct buddy_site site = { .arena = arena };
		struct buddy *buddy = buddy_create(&site, 0, scripts[i].nr_pages);
		enum rmqueue_mode mode = RMQUEUE_NORMAL;

		for (size_t k = 0; k < scripts[i].nr_steps; k++) {
			print_message("%s, step %zu\n", scripts[i].what, k);
			run_step(buddy, &scripts[i].steps[k], &mode);
			check(buddy);
		}
		arena_destroy(arena);
	}
}

/* ---- splitting, merging, order of the lists ---- */

/* clang-format off */
static const struct script placement_scripts[] = {
	SCRIPT("a split leaves one block of each order below", 2048,
		{ TAKE, 0, M, 0 }, { BLOCKS, 0, M, 1 }, { BLOCKS, 5, M, 1 }, { BLOCKS, 9, M, 1 }, { BLOCKS, 10, M, 1 }),
	SCRIPT("the lowest part is returned, the smallest block that fits is split", 1024,
		{ TAKE, 0, M, 0 }, { TAKE, 0, M, 1 }, { TAKE, 0, M, 2 }, { TAKE, 3, M, 8 }, { TAKE, 2, M, 4 },
		{ TAKE, 1, M, 16 }, { TAKE, 9, M, 512 }),
	SCRIPT("a block merges as far as its buddies are free", 2048,
		{ TAKE, 0, M, 0 }, { TAKE, 0, M, 1 }, { TAKE, 1, M, 2 }, { FREE, 0, M, 0 }, { BLOCKS, 0, M, 1 },
		{ FREE, 0, M, 1 }, { BLOCKS, 0, M, 0 }, { BLOCKS, 1, M, 1 }, { FREE, 1, M, 2 }, { BLOCKS, 1, M, 0 },
		{ BLOCKS, 9, M, 0 }, { BLOCKS, 10, M, 2 }),
	SCRIPT("what was freed last is taken first", 1024,
		{ TAKE, 3, M, 0 }, { FREE, 0, M, 0 }, { FREE, 0, M, 4 }, { FREE, 0, M, 2 }, { TAKE, 0, M, 2 },
		{ TAKE, 0, M, 4 }, { TAKE, 0, M, 0 }),
	SCRIPT("a block whose next larger one could merge soon goes to the tail", 1024,
		{ TAKE, 3, M, 0 }, { FREE, 1, M, 2 }, { FREE, 0, M, 4 }, { FREE, 0, M, 0 }, { TAKE, 0, M, 4 },
		{ TAKE, 0, M, 0 }),
	SCRIPT("... but not at the second largest order: its buddy is another's", 4096,
		{ TAKE, 10, M, 0 }, { TAKE, 10, M, 1024 }, { FREE, 9, M, 0 }, { FREE, 9, M, 1536 },
		{ TAKE, 9, M, 1536 }, { TAKE, 9, M, 0 }),
	SCRIPT("largest blocks go to the head as well, in front of untouched ones", 4096,
		{ TAKE, 10, M, 0 }, { TAKE, 10, M, 1024 }, { FREE, 10, M, 0 }, { FREE, 10, M, 1024 }, { BLOCKS, 10, M, 4 },
		{ TAKE, 10, M, 1024 }, { TAKE, 10, M, 0 }, { TAKE, 10, M, 2048 }, { TAKE, 10, M, 3072 },
		{ TAKE, 10, M, NO_PAGE }),
	SCRIPT("a largest block is freed per pageblock, and merges", 1024,
		{ TAKE, 10, M, 0 }, { BLOCKS, 10, M, 0 }, { FREE, 10, M, 0 }, { BLOCKS, 9, M, 0 }, { BLOCKS, 10, M, 1 }),
	SCRIPT("an incomplete largest block at the end is there from the start and split first", 2048 + 700,
		{ BLOCKS, 10, M, 2 }, { BLOCKS, 9, M, 1 }, { BLOCKS, 8, M, 0 }, { BLOCKS, 7, M, 1 }, { BLOCKS, 6, M, 0 },
		{ BLOCKS, 5, M, 1 }, { BLOCKS, 4, M, 1 }, { BLOCKS, 3, M, 1 }, { BLOCKS, 2, M, 1 }, { BLOCKS, 1, M, 0 },
		{ TAKE, 0, M, 2744 }, { FREE, 0, M, 2744 }, { BLOCKS, 2, M, 1 }, { TAKE, 9, M, 2048 }, { TAKE, 9, M, 0 }),
	SCRIPT("a zone without a page too many gives nothing twice", 3,
		{ TAKE, 0, M, 2 }, { TAKE, 1, M, 0 }, { TAKE, 0, M, NO_PAGE }, { FREE, 1, M, 0 }, { TAKE, 1, U, 0 }),
};
/* clang-format on */

static void blocks_are_split_merged_and_listed_as_the_kernel_does(void **state)
{
	(void)state;
	run_scripts(placement_scripts, ARRAY_SIZE(placement_scripts));
}

/* ---- fallbacks ---- */

/* clang-format off */
static const struct script fallback_scripts[] = {
	SCRIPT("a whole block is taken over, with its pageblocks and its rest", 2048,
		{ TAKE, 0, U, 0 }, { TYPE, 0, U, 0 }, { TYPE, 0, U, 512 }, { TYPE, 0, M, 1024 }, { TAKE, 0, M, 1024 },
		{ TAKE, 0, U, 1 }),
	SCRIPT("untouched blocks are movable, whoever asks", 3072,
		{ TAKE, 0, M, 0 }, { TAKE, 0, U, 1024 }, { TAKE, 0, R, 2048 }),
	SCRIPT("the largest block is claimed: a pageblock of the one list before smaller ones of the other", 1024,
		{ TAKE, 0, U, 0 }, { TAKE, 0, R, 512 }, { TYPE, 0, R, 512 }, { TYPE, 0, U, 0 }),
	SCRIPT("movable asks reclaimable first", 1024,
		{ TAKE, 0, U, 0 }, { TAKE, 0, R, 512 }, { TAKE, 0, M, 513 }, { TYPE, 0, M, 512 }, { TYPE, 0, U, 0 }),
	SCRIPT("unmovable asks reclaimable first", 2048,
		{ TAKE, 9, M, 0 }, { TAKE, 10, R, 1024 }, { FREE, 9, R, 1024 }, { TAKE, 9, U, 1024 }, { TAKE, 9, U, 512 }),
	SCRIPT("reclaimable asks unmovable first", 2048,
		{ TAKE, 9, M, 0 }, { TAKE, 10, U, 1024 }, { FREE, 9, U, 1024 }, { TAKE, 9, R, 1024 }, { TAKE, 9, R, 512 }),
	SCRIPT("half a pageblock free: it is claimed", 1024,
		{ TAKE, 9, M, 0 }, { TAKE, 8, M, 512 }, { TAKE, 0, U, 768 }, { TYPE, 0, U, 512 }),
	SCRIPT("a page less: one block is stolen, the smallest, and the pageblock stays", 1024,
		{ TAKE, 9, M, 0 }, { TAKE, 8, M, 512 }, { TAKE, 0, M, 768 }, { TAKE, 0, U, 769 }, { TYPE, 0, M, 512 }),
	SCRIPT("held pages that are not movable make up for it", 1024,
		{ TAKE, 9, M, 0 }, { TAKE, 8, M, 512 }, { TAKE, 0, M, 768 }, { TAKE, 0, U, 769 }, { FREE, 0, M, 768 },
		{ TAKE, 0, U, 768 }, { TYPE, 0, U, 512 }),
	SCRIPT("unmovable and reclaimable pages do not count as alike", 1024,
		{ TAKE, 9, M, 0 }, { TAKE, 9, R, 512 }, { FREE, 7, R, 512 }, { TAKE, 0, U, 512 }, { TYPE, 0, R, 512 }),
	SCRIPT("held movable pages count for a movable request", 1024,
		{ TAKE, 10, U, 0 }, { FREE, 3, U, 512 }, { TAKE, 3, M, 512 }, { FREE, 7, U, 640 }, { MORE, 7, M, 640 },
		{ FREE, 7, U, 768 }, { MORE, 7, M, 768 }, { FREE, 4, U, 528 }, { TAKE, 0, M, 528 }, { TYPE, 0, M, 512 }),
	SCRIPT("... for a block of order 4 at least", 1024,
		{ TAKE, 10, U, 0 }, { FREE, 3, U, 512 }, { TAKE, 3, M, 512 }, { FREE, 7, U, 640 }, { MORE, 7, M, 640 },
		{ FREE, 7, U, 768 }, { MORE, 7, M, 768 }, { FREE, 3, U, 528 }, { TAKE, 0, M, 528 }, { TYPE, 0, U, 512 }),
	SCRIPT("the rest of a stolen block stays with its migratetype", 1024,
		{ TAKE, 10, U, 0 }, { FREE, 3, M, 0 }, { TAKE, 0, M, 0 }, { TAKE, 0, U, 1 }, { TYPE, 0, U, 0 }),
	SCRIPT("claimed blocks keep their order by pfn", 1024,
		{ TAKE, 9, R, 0 }, { TAKE, 9, R, 512 }, { FREE, 8, R, 768 }, { FREE, 0, R, 600 }, { FREE, 0, R, 520 },
		{ FREE, 0, R, 610 }, { TAKE, 0, U, 520 }, { TYPE, 0, U, 512 }, { TAKE, 0, U, 600 }, { TAKE, 0, U, 610 }),
	SCRIPT("stealing is remembered for the rest of the hold, claiming is not", 1024,
		{ TAKE, 10, U, 0 }, { FREE, 1, U, 8 }, { TAKE, 0, M, 8 }, { FREE, 9, U, 512 }, { MORE, 0, M, 9 },
		{ MORE, 0, M, 512 }, { TYPE, 0, U, 512 }, { FREE, 0, M, 512 }, { TAKE, 0, M, 512 }, { TYPE, 0, M, 512 },
		{ MORE, 0, M, 513 }),
	SCRIPT("pageblocks of two migratetypes merge; the one freed last decides", 1024,
		{ TAKE, 9, M, 0 }, { TAKE, 9, U, 512 }, { TYPE, 0, M, 0 }, { TYPE, 0, U, 512 }, { FREE, 9, M, 0 },
		{ FREE, 9, U, 512 }, { BLOCKS, 10, M, 1 }, { TYPE, 0, U, 0 }, { TYPE, 0, U, 512 }),
	SCRIPT("a pageblock that is not whole is never claimed", 512 + 384,
		{ TAKE, 9, M, 0 }, { TAKE, 0, U, 768 }, { TYPE, 0, M, 512 }),
	SCRIPT("a page goes back to the list of its pageblock", 1024,
		{ TAKE, 10, U, 0 }, { FREE, 0, U, 4 }, { TAKE, 0, M, 4 }, { FREE, 0, M, 4 }, { TAKE, 0, R, 4 },
		{ FREE, 0, R, 4 }, { TAKE, 0, U, 4 }),
};
/* clang-format on */

static void other_migratetypes_give_blocks_as_the_kernel_does(void **state)
{
	(void)state;
	run_scripts(fallback_scripts, ARRAY_SIZE(fallback_scripts));
}

/* ---- what is implicit ---- */

/* 754 GiB, of the machine with 316 CPUs of the batched freeing series */
#define LARGE_ZONE_PAGES (UINT64_C(754) << 18)

static void memory_follows_the_pages_touched(void **state)
{
	struct arena *arena = arena_create();
	const struct buddy_site site = { .arena = arena };
	struct buddy *buddy = buddy_create(&site, 1024, LARGE_ZONE_PAGES);
	const size_t fresh_bytes = arena_used_bytes(arena);
	enum rmqueue_mode mode = RMQUEUE_NORMAL;

	(void)state;
	assert_int_equal(buddy_nr_free_pages(buddy), LARGE_ZONE_PAGES);
	assert_int_equal(buddy_nr_free_blocks(buddy, 10), LARGE_ZONE_PAGES / 1024);
	assert_true(fresh_bytes < 2 << 20);
	for (pfn_t i = 0; i < 5000; i++)
		assert_int_equal(buddy_rmqueue(buddy, NULL, 0, MIGRATE_MOVABLE, &mode), 1024 + i);
	assert_true(arena_used_bytes(arena) - fresh_bytes < 5 * (20 << 10));
	assert_int_equal(buddy_nr_free_blocks(buddy, 10), LARGE_ZONE_PAGES / 1024 - 5);
	check(buddy);
	arena_destroy(arena);
}

static void a_page_is_free_or_held_or_not_of_the_zone(void **state)
{
	struct arena *arena = arena_create();
	const struct buddy_site site = { .arena = arena };
	struct buddy *buddy = buddy_create(&site, 1024, 2048 + 3);
	enum rmqueue_mode mode = RMQUEUE_NORMAL;

	(void)state;
	assert_int_equal(buddy_rmqueue(buddy, NULL, 2, MIGRATE_MOVABLE, &mode), 1024);
	for (pfn_t pfn = 1024; pfn < 1024 + 2048 + 3; pfn++)
		assert_int_equal(buddy_is_free(buddy, pfn), pfn >= 1028);
	assert_false(buddy_is_free(buddy, 1023));
	assert_false(buddy_is_free(buddy, 1024 + 2048 + 3));
	buddy_free(buddy, NULL, 1024, 2);
	assert_true(buddy_is_free(buddy, 1024));
	assert_true(buddy_is_free(buddy, 1027));
	arena_destroy(arena);
}

/* ---- zones that are not fresh ---- */

static void a_zone_takes_over_the_free_blocks_of_buddyinfo(void **state)
{
	static const struct {
		uint64_t nr_pages;
		uint64_t nr_blocks[NR_PAGE_ORDERS];
		const char *error; /* NULL: it fits */
	} cases[] = {
		{ 4096, { 0 }, NULL },
		{ 4096, { [10] = 4 }, NULL },
		{ 1024, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0 }, NULL },
		{ 1024, { 512 }, NULL },
		{ 1024, { 0, 256 }, NULL },
		{ 2048,
		  { 256, 128, 0, 64, 0, 0, 0, 0, 1, 0, 1 },
		  "the free blocks do not fit in a zone of 2048 pages" },
		{ 4096, { 256, 128, 0, 20, 0, 0, 0, 0, 1, 0, 1 }, NULL },
		{ 2048 + 700, { 300, 100, 5, 0, 0, 0, 0, 1, 0, 1, 1 }, NULL },
		{ LARGE_ZONE_PAGES, { 3512, 2107, 981, 402, 230, 101, 57, 31, 12, 8, 90000 }, NULL },
		{ 1024, { 513 }, "the free blocks do not fit in a zone of 1024 pages" },
		{ 1024, { [9] = 2 }, "the free blocks do not fit in a zone of 1024 pages" },
		{ 2047, { [10] = 2 }, "2 free blocks of order 10 do not fit in a zone of 2047 pages" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		const struct buddy_site site = { .arena = arena };
		struct buddy *buddy = buddy_create(&site, 0, cases[i].nr_pages);
		uint64_t free_pages = 0;
		struct error err;

		print_message("case %zu\n", i);
		if (cases[i].error) {
			assert_int_equal(buddy_set_free_blocks(buddy, cases[i].nr_blocks, &err), -1);
			assert_string_equal(err.text, cases[i].error);
			arena_destroy(arena);
			continue;
		}
		assert_int_equal(buddy_set_free_blocks(buddy, cases[i].nr_blocks, &err), 0);
		for (unsigned order = 0; order < NR_PAGE_ORDERS; order++) {
			assert_int_equal(buddy_nr_free_blocks(buddy, order), cases[i].nr_blocks[order]);
			free_pages += cases[i].nr_blocks[order] << order;
		}
		assert_int_equal(buddy_nr_free_pages(buddy), free_pages);
		assert_true(arena_used_bytes(arena) < 4 << 20);
		check(buddy);
		arena_destroy(arena);
	}
}

/* A zone aged by a seed, as free blocks by order. */
static void age(uint64_t seed, uint64_t nr_blocks[NR_PAGE_ORDERS], uint64_t *free_pages)
{
	struct arena *arena = arena_create();
	const struct buddy_site site = { .arena = arena };
	struct buddy *buddy = buddy_create(&site, 1024, 64 * 1024 + 100);
	struct rng rng = rng_stream(seed, 0);

	buddy_age(buddy, &rng, 20 * 1024, 60);
	check(buddy);
	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++)
		nr_blocks[order] = buddy_nr_free_blocks(buddy, order);
	*free_pages = buddy_nr_free_pages(buddy);
	arena_destroy(arena);
}

static void an_aged_zone_has_free_blocks_of_all_orders_by_its_seed(void **state)
{
	uint64_t first[NR_PAGE_ORDERS], again[NR_PAGE_ORDERS], other[NR_PAGE_ORDERS];
	uint64_t free_pages;

	(void)state;
	age(1, again, &free_pages);
	age(2, other, &free_pages);
	age(1, first, &free_pages);
	assert_memory_equal(first, again, sizeof(first));
	assert_memory_not_equal(first, other, sizeof(first));
	/* 40 % of 20 largest blocks and of the 100 pages at the end, to a block; and 44 untouched blocks */
	assert_in_range(free_pages, 44 * 1024 + (20 * 1024 + 100) * 2 / 5, 45 * 1024 + (20 * 1024 + 100) * 2 / 5);
	for (unsigned order = 0; order < 9; order++)
		assert_true(first[order] > 0);
	assert_true(first[0] > 100);
	assert_in_range(first[10], 44, 49);
}

static void an_aged_zone_keeps_its_untouched_part(void **state)
{
	struct arena *arena = arena_create();
	const struct buddy_site site = { .arena = arena };
	struct buddy *buddy = buddy_create(&site, 1024, LARGE_ZONE_PAGES);
	struct rng rng = rng_stream(1, 0);
	size_t aged_bytes;

	(void)state;
	buddy_age(buddy, &rng, 10 * 1024, 100);
	aged_bytes = arena_used_bytes(arena);
	assert_int_equal(buddy_nr_free_pages(buddy), LARGE_ZONE_PAGES - 10 * 1024);
	assert_int_equal(buddy_nr_free_blocks(buddy, 10), LARGE_ZONE_PAGES / 1024 - 10);
	assert_true(aged_bytes < 2 << 20);
	buddy_age(buddy, &rng, 0, 100);
	assert_int_equal(arena_used_bytes(arena), aged_bytes);
	check(buddy);
	arena_destroy(arena);
}

/* ---- prices ---- */

/* A zone on a rig of which CPUs pay. */
struct market {
	struct rig rig;
	struct memory *memory;
	struct buddy *buddy;
};

static void market_open(struct market *market, const struct buddy_costs *costs)
{
	const struct machine_config config = rig_machine(1);
	struct buddy_site site;

	rig_create(&market->rig, &config, 1);
	market->memory = memory_create(market->rig.arena, market->rig.machine);
	site = (struct buddy_site){ .arena = market->rig.arena, .memory = market->memory, .costs = costs };
	market->buddy = buddy_create(&site, 0, 4096);
}

static uint64_t nr_touched(const struct market *market)
{
	uint64_t nr = 0;

	for (int place = 0; place < NR_MEMORY_PLACES; place++)
		nr += memory_counts(market->memory)[place];
	return nr;
}

/* Steps that a CPU pays for: how many lines each touches and how many orders it merges or splits. */
struct paid_step {
	const char *what;
	enum verb verb;
	unsigned order;
	pfn_t pfn;
	uint64_t nr_lines;
	unsigned nr_levels;
};

/* clang-format off */
static const struct paid_step paid_steps[] = {
	{ "the list heads of 11 orders, the block, and 10 upper halves", TAKE, 0, 0, 22, 10 },
	{ "a list head and the page, alone on its list", TAKE, 0, 1, 2, 0 },
	{ "two list heads, the block, an upper half", TAKE, 0, 2, 4, 1 },
	{ "a list head and the block, alone on its list", TAKE, 2, 4, 2, 0 },
	{ "own line, buddy, next larger buddy, list head", FREE, 2, 4, 4, 0 },
	{ "... and the neighbour on the list", FREE, 0, 1, 5, 0 },
	{ "a list head, the page, its neighbour", TAKE, 0, 1, 3, 0 },
	{ "once more", FREE, 0, 1, 5, 0 },
	{ "a merge: own line, buddy, its list head and neighbour; then a buddy, a next larger one and a list head",
	  FREE, 0, 0, 7, 1 },
	{ "own line, ten buddies, alone on their lists, and eleven list heads", FREE, 0, 2, 22, 10 },
};
/* clang-format on */

static void each_line_that_the_kernel_touches_is_paid_once(void **state)
{
	static const struct buddy_costs free_of_charge = { 0 };
	static const struct buddy_costs costs = {
		.free_page_ns = 500, .rmqueue_ns = 1000, .level_ns = 50, .work_pct = 200
	};
	struct market cheap, dear;

	(void)state;
	market_open(&cheap, &free_of_charge);
	market_open(&dear, &costs);
	for (size_t i = 0; i < ARRAY_SIZE(paid_steps); i++) {
		const struct paid_step *step = &paid_steps[i];
		struct market *const markets[2] = { &cheap, &dear };
		const uint64_t before = nr_touched(&cheap);
		sim_ps price_ps[2];

		print_message("%s\n", step->what);
		for (int k = 0; k < 2; k++) {
			struct cpu *cpu = &markets[k]->rig.cpus[0];
			enum rmqueue_mode mode = RMQUEUE_NORMAL;

			price_ps[k] = -cpu->date;
			if (step->verb == FREE)
				buddy_free(markets[k]->buddy, cpu, step->pfn, step->order);
			else
				assert_int_equal(buddy_rmqueue(markets[k]->buddy, cpu, step->order, MIGRATE_MOVABLE,
							       &mode),
						 step->pfn);
			price_ps[k] += cpu->date;
		}
		assert_int_equal(nr_touched(&cheap) - before, step->nr_lines);
		assert_true(price_ps[0] >= (sim_ps)step->nr_lines * NS(1));
		assert_int_equal(price_ps[1] - price_ps[0],
				 NS(step->verb == FREE ? 1000 : 2000) + NS(100) * step->nr_levels);
	}
	rig_destroy(&cheap.rig);
	rig_destroy(&dear.rig);
}

static void a_page_used_by_another_cpu_is_fetched_from_there(void **state)
{
	static const struct buddy_costs costs = { 0 };
	enum rmqueue_mode mode = RMQUEUE_NORMAL;
	struct market market;
	struct cpu *cpus;
	uint64_t remote;

	(void)state;
	market_open(&market, &costs);
	cpus = market.rig.cpus;
	assert_int_equal(buddy_rmqueue(market.buddy, &cpus[0], 10, MIGRATE_MOVABLE, &mode), 0);
	assert_int_equal(memory_counts(market.memory)[MEMORY_REMOTE], 0);
	buddy_page_used(market.buddy, &cpus[4], 0);
	assert_int_equal(cpus[4].date, 0);
	remote = memory_counts(market.memory)[MEMORY_REMOTE];
	buddy_free(market.buddy, &cpus[0], 0, 10);
	assert_int_equal(memory_counts(market.memory)[MEMORY_REMOTE], remote + 1);
	rig_destroy(&market.rig);
}

static void a_zone_without_memory_prices_is_free_of_charge(void **state)
{
	const struct machine_config config = rig_machine(1);
	enum rmqueue_mode mode = RMQUEUE_NORMAL;
	struct buddy_site site;
	struct buddy *buddy;
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	site = (struct buddy_site){ .arena = rig.arena };
	buddy = buddy_create(&site, 0, 1024);
	assert_int_equal(buddy_rmqueue(buddy, &rig.cpus[0], 0, MIGRATE_MOVABLE, &mode), 0);
	buddy_page_used(buddy, &rig.cpus[0], 0);
	buddy_free(buddy, &rig.cpus[0], 0, 0);
	assert_int_equal(rig.cpus[0].date, 0);
	rig_destroy(&rig);
}

static void the_table_of_costs_keeps_the_rules(void **state)
{
	char broken[256];

	(void)state;
	assert_null(param_rules_broken(buddy_cost_params, broken, sizeof(broken)));
}

/* ---- the check itself ---- */

static void lose_a_page(struct buddy *buddy)
{
	buddy->blocks[0]->states[0] = NOT_A_HEAD;
}

static void count_a_page_too_many(struct buddy *buddy)
{
	buddy->nr_free_pages++;
}

static void count_a_block_too_many(struct buddy *buddy)
{
	buddy->areas[3].nr_free++;
}

static void break_a_link(struct buddy *buddy)
{
	buddy->blocks[0]->pages[4].prev = 9;
}

static void change_a_pageblock(struct buddy *buddy)
{
	buddy->blocks[0]->pageblocks[1] = MIGRATE_UNMOVABLE;
}

static void leave_two_buddies(struct buddy *buddy)
{
	buddy->blocks[0]->states[0] = FREE_HEAD(0);
}

static void hold_a_page_of_a_free_block(struct buddy *buddy)
{
	buddy->blocks[0]->states[5] = HELD(MIGRATE_MOVABLE);
}

static void lose_a_list(struct buddy *buddy)
{
	buddy->areas[2].lists[MIGRATE_MOVABLE] = (struct free_list){ NO_PAGE, NO_PAGE };
}

static void lose_a_block(struct buddy *buddy)
{
	buddy->next_fresh++;
}

static void lead_nowhere(struct buddy *buddy)
{
	buddy->areas[0].lists[MIGRATE_MOVABLE].first = 2;
}

static void the_check_finds_damage(void **state)
{
	static const struct {
		void (*damage)(struct buddy *buddy);
		const char *text;
	} cases[] = {
		{ lose_a_page, "page 0 is neither held nor free" },
		{ count_a_page_too_many, "2047 pages are free, the count says 2048" },
		{ count_a_block_too_many, "order 3: 1 blocks on the lists, 1 in the map, nr_free 2" },
		{ break_a_link, "page 4 on a list of order 2 does not lead back" },
		{ change_a_pageblock, "page 512 is on a list of another migratetype" },
		{ leave_two_buddies, "the buddies of order 0 at 0 and 1 are both free" },
		{ hold_a_page_of_a_free_block, "page 5 is held or a head inside the free block at 4" },
		{ lose_a_list, "order 2: 0 blocks on the lists, 1 in the map, nr_free 1" },
		{ lose_a_block, "block 1 is lost" },
		{ lead_nowhere, "page 2 on a list of order 0 is no free block of that order" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		const struct buddy_site site = { .arena = arena };
		struct buddy *buddy = buddy_create(&site, 0, 2048);
		enum rmqueue_mode mode = RMQUEUE_NORMAL;
		struct error err;

		assert_int_equal(buddy_rmqueue(buddy, NULL, 0, MIGRATE_MOVABLE, &mode), 0);
		cases[i].damage(buddy);
		assert_int_equal(buddy_check(buddy, &err), -1);
		assert_string_equal(err.text, cases[i].text);
		arena_destroy(arena);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_split_merged_and_listed_as_the_kernel_does),
		cmocka_unit_test(other_migratetypes_give_blocks_as_the_kernel_does),
		cmocka_unit_test(memory_follows_the_pages_touched),
		cmocka_unit_test(a_page_is_free_or_held_or_not_of_the_zone),
		cmocka_unit_test(a_zone_takes_over_the_free_blocks_of_buddyinfo),
		cmocka_unit_test(an_aged_zone_has_free_blocks_of_all_orders_by_its_seed),
		cmocka_unit_test(an_aged_zone_keeps_its_untouched_part),
		cmocka_unit_test(each_line_that_the_kernel_touches_is_paid_once),
		cmocka_unit_test(a_page_used_by_another_cpu_is_fetched_from_there),
		cmocka_unit_test(a_zone_without_memory_prices_is_free_of_charge),
		cmocka_unit_test(the_table_of_costs_keeps_the_rules),
		cmocka_unit_test(the_check_finds_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
