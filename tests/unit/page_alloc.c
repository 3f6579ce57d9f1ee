/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The paths between a task and the zones, by design point: what is taken and
 * given back at a time, who holds which lock meanwhile, what the 1 s worker
 * and the drains do.
 */
#include "models/kernel/page_alloc.h"

#include "models/kernel/sched.h"
#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_PAGES 20480 /* in one hand */
#define NOTES_BYTES 512

static const struct page_work no_work;

/* What a task of a test holds. */
struct hand {
	pfn_t pages[MOST_PAGES];
	uint32_t nr;
	uint64_t nr_held; /* in pages */
};

static struct hand *hand_create(struct page_rig *rig)
{
	return arena_alloc(rig->rig.arena, sizeof(struct hand));
}

static void take(struct page_rig *rig, struct task *task, struct hand *hand, unsigned order)
{
	const pfn_t pfn = alloc_pages(rig->alloc, task, order, MIGRATE_MOVABLE);

	if (pfn == NO_PAGE)
		return;
	hand->pages[hand->nr++] = pfn;
	hand->nr_held += UINT64_C(1) << order;
}

static void give(struct page_rig *rig, struct task *task, struct hand *hand, unsigned order)
{
	free_pages(rig->alloc, task, hand->pages[--hand->nr], order);
	hand->nr_held -= UINT64_C(1) << order;
}

/* Order-0 pages past the pcp: what was taken as largest blocks, split. */
static void take_split(struct page_rig *rig, struct task *task, struct hand *hand, uint32_t nr)
{
	while (hand->nr < nr) {
		const pfn_t pfn = alloc_pages(rig->alloc, task, MAX_PAGE_ORDER, MIGRATE_MOVABLE);

		for (pfn_t i = 0; i < 1 << MAX_PAGE_ORDER; i++)
			hand->pages[hand->nr++] = pfn + i;
		hand->nr_held += 1 << MAX_PAGE_ORDER;
	}
}

static struct zone_hold_stats *holds_of(struct page_rig *rig, enum zone_hold kind)
{
	return &page_alloc_zone(rig->alloc, 0)->holds[kind];
}

static uint64_t nr_holds(struct page_rig *rig)
{
	uint64_t nr = 0;

	for (enum zone_hold kind = 0; kind < NR_ZONE_HOLDS; kind++)
		nr += holds_of(rig, kind)->nr;
	return nr;
}

static struct page_alloc_counters counters_of(const struct page_rig *rig)
{
	struct page_alloc_counters counters;

	page_alloc_counters(rig->alloc, &counters);
	return counters;
}

/* How many pages each refill or flush moved, as text: "63 126 252". */
struct sizes {
	uint64_t nr, pages;
	char text[NOTES_BYTES];
};

/* To be called before there can have been two more. */
static void note(struct sizes *sizes, uint64_t nr, uint64_t pages)
{
	const size_t used = strlen(sizes->text);

	if (nr == sizes->nr)
		return;
	snprintf(sizes->text + used, sizeof(sizes->text) - used, "%s%" PRIu64, used ? " " : "", pages - sizes->pages);
	sizes->nr = nr;
	sizes->pages = pages;
}

/* ---- refills ---- */

struct refills {
	const char *pcp_high;
	unsigned order;
	int nr_allocs;
	const char *expected; /* pages per hold */
};

struct taking {
	const struct refills *refills;
	struct sizes sizes;
	struct hand *hand;
};

static void take_blocks(struct page_rig *rig, struct task *task, void *arg)
{
	struct taking *taking = arg;

	for (int i = 0; i < taking->refills->nr_allocs; i++) {
		take(rig, task, taking->hand, taking->refills->order);
		note(&taking->sizes, holds_of(rig, ZONE_HOLD_REFILL)->nr, holds_of(rig, ZONE_HOLD_REFILL)->pages);
	}
}

static void a_refill_takes_what_the_design_point_says(void **state)
{
	static const struct refills cases[] = {
		{ "v6.16", 0, 6000, "63 126 252 504 1008 2016 2016 2016" },
		{ "v6.7", 0, 6000, "63 126 252 504 1008 2016 2016 2016" },
		{ "v6.6", 0, 253, "63 63 63 63 63" },
		{ "v6.16", 1, 64, "62 62 62" },
		{ "v6.16", 2, 31, "60 60 60" },
		{ "v6.16", 3, 15, "56 56 56" },
		{ "v6.6", 3, 15, "56 56 56" },
		{ "v6.16", PMD_ORDER, 5, "1024 1024 1024" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct page_rig_setup setup = { .pcp_high = cases[i].pcp_high };
		struct taking taking = { .refills = &cases[i] };
		struct page_rig rig;

		page_rig_create(&rig, &setup);
		taking.hand = hand_create(&rig);
		page_rig_run_alone(&rig, take_blocks, &taking, &taking.hand->nr_held);
		assert_string_equal(taking.sizes.text, cases[i].expected);
		page_rig_destroy(&rig);
	}
}

/* ---- flushes ---- */

struct flushes {
	const char *pcp_high, *limits;
	const char *expected; /* the first flushes, in pages */
	uint64_t nr_flushes;
};

/* 10000 frees of order 0, no allocation, an empty pcp: what an exiting process does. */
static const struct flushes exit_cases[] = {
	{ "v6.6", "batch 63 high_min 885", "63 126 252 504 822 822", 14 },
	{ "v6.6", "batch 63 high_min 460", "63 126 252 397 397", 26 },
	{ "v6.6", "batch 63 high_min 702", "63 126 252 504 639 639", 18 },
	{ "v6.7", "batch 63 high_min 885 high_max 53867", "822 885 1770 2016 2016 2016", 6 },
	{ "v6.7", "batch 63 high_min 460 high_max 45678", "397 460 920 1840 2016 2016 2016", 7 },
	{ "v6.7", "batch 63 high_min 702 high_max 76818", "639 702 1404 2016 2016 2016", 6 },
	{ "v6.16", "batch 63 high_min 885 high_max 53867", "822 885 1770 2016 2016 2016", 6 },
};

struct exiting {
	struct sizes sizes;
	struct hand *hand;
	uint32_t at_a_time; /* 0: free_pages(), else bursts of so many */
};

static void free_10000(struct page_rig *rig, struct task *task, void *arg)
{
	struct exiting *exiting = arg;
	struct hand *hand = exiting->hand;
	const uint32_t step = exiting->at_a_time ? exiting->at_a_time : 1;

	take_split(rig, task, hand, 10000);
	for (uint32_t left = 10000; left; left -= step) {
		struct page_alloc_counters counters;

		hand->nr -= step;
		hand->nr_held -= step;
		if (exiting->at_a_time)
			free_pages_burst(rig->alloc, task, hand->pages + hand->nr, step, &no_work);
		else
			free_pages(rig->alloc, task, hand->pages[hand->nr], 0);
		counters = counters_of(rig);
		note(&exiting->sizes, counters.flushes, counters.pages_flushed);
	}
}

static void run_exit(const struct flushes *flushes, const char *pcp_free, uint32_t at_a_time)
{
	const struct page_rig_setup setup = {
		.pcp_high = flushes->pcp_high,
		.pcp_high_params = flushes->limits,
		.pcp_free = pcp_free,
	};
	struct exiting exiting = { .at_a_time = at_a_time };
	const struct zone_hold_stats *holds;
	struct page_rig rig;

	page_rig_create(&rig, &setup);
	exiting.hand = hand_create(&rig);
	page_rig_run_alone(&rig, free_10000, &exiting, &exiting.hand->nr_held);
	exiting.sizes.text[strlen(flushes->expected)] = '\0';
	assert_string_equal(exiting.sizes.text, flushes->expected);
	assert_int_equal(counters_of(&rig).flushes, flushes->nr_flushes);
	assert_int_equal(counters_of(&rig).flushes_high, 0);
	holds = holds_of(&rig, ZONE_HOLD_FREE);
	assert_int_equal(holds->pages, counters_of(&rig).pages_flushed);
	if (!strcmp(pcp_free, "batched"))
		assert_int_equal(holds->pages_max, 63);
	else
		assert_int_equal(holds->nr, flushes->nr_flushes);
	page_rig_destroy(&rig);
}

static void an_exit_flushes_as_the_design_point_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(exit_cases); i++)
		run_exit(&exit_cases[i], "bulk", 0);
}

static void batched_frees_the_same_pages_under_holds_of_a_batch(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(exit_cases); i++)
		run_exit(&exit_cases[i], "batched", 0);
}

static void frees_in_bursts_flush_as_frees_one_by_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(exit_cases); i++) {
		run_exit(&exit_cases[i], "bulk", 20);
		run_exit(&exit_cases[i], "batched", 20);
	}
}

/* ---- batches ---- */

#define NR_BLOCKS 400

static void free_blocks_of_order_3(struct page_rig *rig, struct task *task, void *arg)
{
	struct hand *hand = arg;

	for (int i = 0; i < NR_BLOCKS; i++)
		take(rig, task, hand, 3);
	while (hand->nr)
		give(rig, task, hand, 3);
}

static struct page_alloc_counters run_blocks(const char *pcp_free, const char *params, uint64_t *most_at_once,
					     sim_ps *date)
{
	const struct page_rig_setup setup = {
		.pcp_high_params = "batch 63 high_min 460 high_max 1000",
		.pcp_free = pcp_free,
		.pcp_free_params = params,
		.priced = true,
	};
	struct page_alloc_counters counters;
	struct page_rig rig;
	struct hand *hand;

	page_rig_create(&rig, &setup);
	hand = hand_create(&rig);
	page_rig_run_alone(&rig, free_blocks_of_order_3, hand, &hand->nr_held);
	*most_at_once = holds_of(&rig, ZONE_HOLD_FREE)->pages_max;
	if (holds_of(&rig, ZONE_HOLD_FREE_HIGH)->pages_max > *most_at_once)
		*most_at_once = holds_of(&rig, ZONE_HOLD_FREE_HIGH)->pages_max;
	*date = rig.tasks[0].cpu->date;
	counters = counters_of(&rig);
	page_rig_destroy(&rig);
	return counters;
}

static void a_hold_of_batched_exceeds_its_chunk_by_less_than_a_block(void **state)
{
	static const struct {
		const char *params;
		uint64_t most;
	} cases[] = {
		{ "", 64 },
		{ "chunk_pages 1", 8 },
		{ "chunk_pages 100", 104 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t most;
		sim_ps date;

		assert_true(run_blocks("batched", cases[i].params, &most, &date).flushes_high > 0);
		assert_int_equal(most, cases[i].most);
	}
}

static void batched_with_a_chunk_beyond_every_flush_is_bulk(void **state)
{
	struct page_alloc_counters bulk, batched;
	sim_ps bulk_date, batched_date;
	uint64_t bulk_most, batched_most;

	(void)state;
	bulk = run_blocks("bulk", "", &bulk_most, &bulk_date);
	batched = run_blocks("batched", "chunk_pages 100000", &batched_most, &batched_date);
	assert_memory_equal(&bulk, &batched, sizeof(bulk));
	assert_int_equal(bulk_most, batched_most);
	assert_true(bulk_most > 64);
	assert_int_equal(bulk_date, batched_date);
}

/* ---- vmalloc that asks for large blocks and gives back pages or the blocks ---- */

#define MOST_PARTS 4

struct vmalloc {
	const char *what;
	unsigned orders[MOST_PARTS]; /* descending */
	int nr_parts;
	unsigned refilled; /* order of the blocks that refills bring */
	bool whole; /* freed as it was allocated: the series */
	double holds, blocks; /* per iteration in the steady state */
};

struct looping {
	const struct vmalloc *vmalloc;
	double holds, blocks;
};

/* Of all kinds: blocks on the way out, blocks or pages on the way back. */
static double nr_blocks(struct page_rig *rig, unsigned refilled)
{
	return (double)(holds_of(rig, ZONE_HOLD_REFILL)->pages >> refilled) +
	       (double)holds_of(rig, ZONE_HOLD_DIRECT_ALLOC)->nr + (double)holds_of(rig, ZONE_HOLD_DIRECT_FREE)->nr +
	       (double)holds_of(rig, ZONE_HOLD_FREE)->pages;
}

static bool is_within(double value, double expected, double share)
{
	return value >= expected * (1 - share) && value <= expected * (1 + share);
}

#define NR_WARM 12000
#define NR_LOOPS 3000

static void vmalloc_and_vfree(struct page_rig *rig, struct task *task, const struct vmalloc *vmalloc)
{
	pfn_t parts[MOST_PARTS];

	for (int i = 0; i < vmalloc->nr_parts; i++)
		parts[i] = alloc_pages(rig->alloc, task, vmalloc->orders[i], MIGRATE_UNMOVABLE);
	for (int i = 0; i < vmalloc->nr_parts; i++) {
		if (vmalloc->whole)
			free_pages(rig->alloc, task, parts[i], vmalloc->orders[i]);
		for (pfn_t page = 0; !vmalloc->whole && page < 1U << vmalloc->orders[i]; page++)
			free_pages(rig->alloc, task, parts[i] + page, 0);
	}
}

static void loop(struct page_rig *rig, struct task *task, void *arg)
{
	struct looping *looping = arg;
	const struct vmalloc *vmalloc = looping->vmalloc;
	double holds, blocks;

	for (int i = 0; i < NR_WARM; i++)
		vmalloc_and_vfree(rig, task, vmalloc);
	holds = (double)nr_holds(rig);
	blocks = nr_blocks(rig, vmalloc->refilled);
	for (int i = 0; i < NR_LOOPS; i++)
		vmalloc_and_vfree(rig, task, vmalloc);
	looping->holds = ((double)nr_holds(rig) - holds) / NR_LOOPS;
	looping->blocks = (nr_blocks(rig, vmalloc->refilled) - blocks) / NR_LOOPS;
}

static void vmallocs_take_the_zone_lock_as_often_as_worked_out(void **state)
{
	static const struct vmalloc cases[] = {
		{ "1 page", { 0 }, 1, 0, false, 0, 0 },
		{ "4 pages", { 2 }, 1, 2, false, 1 / 15.0, 1 },
		{ "5 pages", { 2, 0 }, 2, 2, false, 1 / 15.0, 1 },
		{ "16 pages", { 4 }, 1, 0, false, 1.25, 17 },
		{ "64 pages", { 6 }, 1, 0, false, 2.0, 65 },
		{ "100 pages", { 6, 5, 2 }, 3, 2, false, 4.0, 99 },
		{ "256 pages", { 8 }, 1, 0, false, 5.1, 257 },
		{ "512 pages", { 9 }, 1, 9, false, 9.4, 513 },
		{ "4 pages as a block", { 2 }, 1, 2, true, 0, 0 },
		{ "5 pages as two blocks", { 2, 0 }, 2, 2, true, 0, 0 },
		{ "16 pages as a block", { 4 }, 1, 0, true, 2, 2 },
		{ "64 pages as a block", { 6 }, 1, 0, true, 2, 2 },
		{ "100 pages as three blocks", { 6, 5, 2 }, 3, 2, true, 4, 4 },
		{ "256 pages as a block", { 8 }, 1, 0, true, 2, 2 },
		{ "512 pages as a block", { 9 }, 1, 9, true, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct page_rig_setup setup = {
			.pcp_high_params = "batch 63 high_min 1287 high_max 128000",
			.pcp_free = "batched",
			.params = "stat_interval_ms 0",
			.node_bytes = UINT64_C(16) << 30,
		};
		struct looping looping = { .vmalloc = &cases[i] };
		const uint64_t nr_held = 0;
		struct page_rig rig;

		page_rig_create(&rig, &setup);
		page_rig_run_alone(&rig, loop, &looping, &nr_held);
		if (!is_within(looping.holds, cases[i].holds, 0.02) ||
		    !is_within(looping.blocks, cases[i].blocks, 0.01))
			fail_msg("%s: %g holds, %g blocks", cases[i].what, looping.holds, looping.blocks);
		page_rig_destroy(&rig);
	}
}

/* ---- past the pcp ---- */

static void take_and_give(struct page_rig *rig, struct task *task, void *arg)
{
	const unsigned order = *(const unsigned *)arg;
	const pfn_t pfn = alloc_pages(rig->alloc, task, order, MIGRATE_UNMOVABLE);

	free_pages(rig->alloc, task, pfn, order);
}

static void orders_without_a_list_go_straight_to_the_zone(void **state)
{
	static const unsigned orders[] = { 4, 5, 6, 7, 8, 10 };
	const struct page_rig_setup setup = { .priced = true };
	const uint64_t nr_held = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		unsigned order = orders[i];
		struct per_cpu_pages *pcp;
		struct page_rig rig;

		page_rig_create(&rig, &setup);
		pcp = page_rig_pcp(&rig, 0, 0);
		pcp->free_count = 40;
		pcp->alloc_factor = 3;
		page_rig_run_alone(&rig, take_and_give, &order, &nr_held);
		assert_int_equal(holds_of(&rig, ZONE_HOLD_DIRECT_ALLOC)->nr, 1);
		assert_int_equal(holds_of(&rig, ZONE_HOLD_DIRECT_ALLOC)->pages, 1 << order);
		assert_int_equal(holds_of(&rig, ZONE_HOLD_DIRECT_FREE)->nr, 1);
		assert_int_equal(holds_of(&rig, ZONE_HOLD_DIRECT_FREE)->pages, 1 << order);
		assert_int_equal(nr_holds(&rig), 2);
		assert_int_equal(pcp->free_count, 40);
		assert_int_equal(pcp->alloc_factor, 3);
		page_rig_destroy(&rig);
	}
}

static void work_beside_a_held_pcp(struct page_rig *rig, struct task *task, void *arg)
{
	struct hand *hand = arg;
	struct per_cpu_pages *pcp = page_rig_pcp(rig, 0, 0);
	pfn_t pages[2];

	take(rig, task, hand, 0);
	pcp->holder = rig; /* somebody else */
	take(rig, task, hand, 0);
	page_rig_expect(rig, __LINE__, alloc_pages_bulk(rig->alloc, task, MIGRATE_MOVABLE, 2, pages), 1);
	give(rig, task, hand, 0);
	give(rig, task, hand, 0);
	free_pages_burst(rig->alloc, task, pages, 1, &no_work);
	pcp->holder = NULL;
}

static void a_pcp_that_is_held_sends_everybody_to_the_zone(void **state)
{
	const struct page_rig_setup setup = { .seed = 1 };
	struct page_rig rig;
	struct hand *hand;

	(void)state;
	page_rig_create(&rig, &setup);
	hand = hand_create(&rig);
	page_rig_run_alone(&rig, work_beside_a_held_pcp, hand, &hand->nr_held);
	assert_int_equal(counters_of(&rig).direct_allocs, 2);
	assert_int_equal(counters_of(&rig).direct_frees, 3);
	assert_int_equal(counters_of(&rig).trylock_failures, 6); /* the bulk allocator tries twice */
	page_rig_destroy(&rig);
}

/* ---- free_count ---- */

static void count_frees(struct page_rig *rig, struct task *task, void *arg)
{
	struct hand *hand = arg;
	struct per_cpu_pages *pcp = page_rig_pcp(rig, 0, 0);
	pfn_t pages[10];

	for (int i = 0; i < 64; i++)
		take(rig, task, hand, 0);
	while (hand->nr)
		give(rig, task, hand, 0);
	page_rig_expect(rig, __LINE__, pcp->free_count, 64);
	page_rig_expect(rig, __LINE__, alloc_pages_bulk(rig->alloc, task, MIGRATE_MOVABLE, 10, pages), 10);
	page_rig_expect(rig, __LINE__, pcp->free_count, 64);
	free_pages_burst(rig->alloc, task, pages, 10, &no_work);
	page_rig_expect(rig, __LINE__, pcp->free_count, 74);
	take(rig, task, hand, 0);
	page_rig_expect(rig, __LINE__, pcp->free_count, 37);
	take(rig, task, hand, 3);
	page_rig_expect(rig, __LINE__, pcp->free_count, 18);
	page_rig_expect(rig, __LINE__, alloc_pages_burst(rig->alloc, task, MIGRATE_MOVABLE, 2, &no_work, pages), 2);
	page_rig_expect(rig, __LINE__, pcp->free_count, 4);
	free_pages_burst(rig->alloc, task, pages, 2, &no_work);
}

static void single_allocations_halve_free_count_and_the_bulk_allocator_does_not(void **state)
{
	const struct page_rig_setup setup = { .seed = 1 };
	struct page_rig rig;
	struct hand *hand;

	(void)state;
	page_rig_create(&rig, &setup);
	hand = hand_create(&rig);
	page_rig_run_alone(&rig, count_frees, hand, &hand->nr_held);
	page_rig_destroy(&rig);
}

/* ---- the bulk allocator and watermarks ---- */

#define NR_IN_BULK 10

struct bulk {
	uint64_t above_low; /* free pages by the counter, beyond the low watermark */
	uint32_t got;
	unsigned flags; /* of the zone, then */
};

static void take_in_bulk(struct page_rig *rig, struct task *task, void *arg)
{
	struct zone *zone = page_alloc_zone(rig->alloc, 0);
	const uint64_t before = line_peek(zone->free_pages_line, 0);
	struct bulk *bulk = arg;
	const uint64_t poked = zone->size.watermark_pages[WMARK_LOW] + bulk->above_low;
	pfn_t pages[NR_IN_BULK];

	line_poke(zone->free_pages_line, 0, poked);
	bulk->got = alloc_pages_bulk(rig->alloc, task, MIGRATE_MOVABLE, NR_IN_BULK, pages);
	bulk->flags = zone->flags;
	line_poke(zone->free_pages_line, 0, before + line_peek(zone->free_pages_line, 0) - poked);
	free_pages_burst(rig->alloc, task, pages, bulk->got, &no_work);
}

/* Below the high watermark in both cases; a single page is what alloc_pages() gives, which sets the flag. */
static void the_bulk_allocator_asks_for_all_pages_above_low_and_sets_no_flag(void **state)
{
	static const struct bulk cases[] = {
		{ .above_low = NR_IN_BULK + 1, .got = NR_IN_BULK, .flags = 0 },
		{ .above_low = NR_IN_BULK, .got = 1, .flags = ZONE_BELOW_HIGH },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct page_rig_setup setup = { .params = "stat_interval_ms 0" };
		struct bulk bulk = { .above_low = cases[i].above_low };
		const uint64_t nr_held = 0;
		struct page_rig rig;

		page_rig_create(&rig, &setup);
		page_rig_run_alone(&rig, take_in_bulk, &bulk, &nr_held);
		assert_int_equal(bulk.got, cases[i].got);
		assert_int_equal(bulk.flags, cases[i].flags);
		page_rig_destroy(&rig);
	}
}

/* ---- the vmstat worker ---- */

struct decaying {
	const char *pcp_free;
	uint64_t nr_holds, pages_max; /* of all passes */
};

static void let_seconds_pass(struct page_rig *rig, struct task *task, void *arg)
{
	static const int highs[] = { 2560, 2240, 1960, 1715, 1501, 1314, 1150, 1007, 1000, 1000 };
	struct per_cpu_pages *pcp = page_rig_pcp(rig, 0, 0);
	struct hand *hand = arg;

	take_split(rig, task, hand, 2048);
	pcp->high = 2925; /* as after many refills */
	while (hand->nr)
		give(rig, task, hand, 0);
	page_rig_expect(rig, __LINE__, pcp->count, 2048);
	for (size_t i = 0; i < ARRAY_SIZE(highs); i++) {
		cpu_work(task->cpu, PS_PER_S);
		take(rig, task, hand, 4);
		give(rig, task, hand, 4);
		page_rig_expect(rig, __LINE__, pcp->high, highs[i]);
		page_rig_expect(rig, __LINE__, pcp->count <= highs[i], true);
	}
}

static void the_worker_lowers_high_by_an_eighth_a_second_and_frees_what_is_above(void **state)
{
	static const struct decaying cases[] = { { "bulk", 7, 245 }, { "batched", 20, 63 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct page_rig_setup setup = {
			.pcp_high_params = "batch 63 high_min 1000 high_max 5000",
			.pcp_free = cases[i].pcp_free,
		};
		struct page_rig rig;
		struct hand *hand;

		page_rig_create(&rig, &setup);
		hand = hand_create(&rig);
		page_rig_run_alone(&rig, let_seconds_pass, hand, &hand->nr_held);
		assert_int_equal(holds_of(&rig, ZONE_HOLD_DECAY)->pages, 2048 - 1000);
		assert_int_equal(holds_of(&rig, ZONE_HOLD_DECAY)->nr, cases[i].nr_holds);
		assert_int_equal(holds_of(&rig, ZONE_HOLD_DECAY)->pages_max, cases[i].pages_max);
		page_rig_destroy(&rig);
	}
}

/* A zone of another node gives back a batch after three passes without a change. */
static void keep_remote_pages(struct page_rig *rig, struct task *task, void *arg)
{
	struct per_cpu_pages *pcp = page_rig_pcp(rig, 1, 0);
	struct hand *hand = arg;

	for (int i = 0; i < 4; i++)
		take(rig, task, hand, 0); /* a local pcp that must stay */
	while (hand->nr)
		give(rig, task, hand, 0);
	pcp->high = pcp->high_min; /* as after any use */
	pcp->expire = 3;
	for (int seconds = 1; seconds <= 7; seconds++) {
		cpu_work(task->cpu, PS_PER_S);
		take(rig, task, hand, 4);
		give(rig, task, hand, 4);
		page_rig_expect(rig, __LINE__, pcp->count, seconds < 3 ? 100 : seconds < 6 ? 37 : 0);
	}
	page_rig_expect(rig, __LINE__, page_rig_pcp(rig, 0, 0)->count, 63);
}

static void pages_of_another_node_go_back_in_batches_when_nobody_asks_for_them(void **state)
{
	const struct page_rig_setup setup = { .pcp_high_params = "batch 63 high_min 1000 high_max 5000" };
	struct page_rig rig;
	struct hand *hand;
	struct zone *remote;

	(void)state;
	page_rig_create(&rig, &setup);
	hand = hand_create(&rig);
	remote = page_alloc_zone(rig.alloc, 1);
	for (int i = 0; i < 100; i++) {
		enum rmqueue_mode mode = RMQUEUE_NORMAL;
		const pfn_t pfn = buddy_rmqueue(remote->buddy, NULL, 0, MIGRATE_MOVABLE, &mode);

		pcp_list_push_head(&remote->pcps[0].lists[order_to_pindex(MIGRATE_MOVABLE, 0)], rig.rig.arena, &pfn, 1);
		remote->pcps[0].count++;
	}
	zone_set_free_pages(remote);
	page_rig_run_alone(&rig, keep_remote_pages, hand, &hand->nr_held);
	assert_int_equal(remote->holds[ZONE_HOLD_DECAY].nr, 2);
	page_rig_destroy(&rig);
}

/* ---- watermarks ---- */

struct watermarks {
	struct hand *hand;
	uint64_t free_when_set, free_when_cleared;
};

static void fall_and_rise(struct page_rig *rig, struct task *task, void *arg)
{
	struct watermarks *watermarks = arg;
	struct zone *zone = page_alloc_zone(rig->alloc, 0);
	uint32_t last;

	/* what the counter does not know is at most the threshold */
	do {
		watermarks->free_when_set = buddy_nr_free_pages(zone->buddy);
		last = watermarks->hand->nr;
		take(rig, task, watermarks->hand, 0);
	} while (!(zone->flags & ZONE_BELOW_HIGH) && watermarks->hand->nr > last);
	while (zone->flags & ZONE_BELOW_HIGH && watermarks->hand->nr)
		give(rig, task, watermarks->hand, 0);
	watermarks->free_when_cleared = buddy_nr_free_pages(zone->buddy);
	while (watermarks->hand->nr)
		give(rig, task, watermarks->hand, 0);
}

static void a_zone_below_its_high_watermark_says_so_until_a_flush_lifts_it(void **state)
{
	const struct page_rig_setup setup = { .node_bytes = UINT64_C(64) << 20, .params = "stat_interval_ms 0" };
	struct watermarks watermarks = { .free_when_set = 0 };
	struct page_rig rig;
	struct zone *zone;
	uint64_t high;

	(void)state;
	page_rig_create(&rig, &setup);
	watermarks.hand = hand_create(&rig);
	zone = page_alloc_zone(rig.alloc, 0);
	high = zone->size.watermark_pages[WMARK_HIGH];
	page_rig_run_alone(&rig, fall_and_rise, &watermarks, &watermarks.hand->nr_held);
	assert_in_range(watermarks.free_when_set, high - 125, high + 125);
	assert_in_range(watermarks.free_when_cleared, high - 125, high + 2016 + 125);
	assert_int_equal(zone_counted_free_pages(zone, 8), buddy_nr_free_pages(zone->buddy));
	page_rig_destroy(&rig);
}

static void take_everything(struct page_rig *rig, struct task *task, void *arg)
{
	struct hand *hand = arg;
	uint32_t before;

	do {
		before = hand->nr;
		take(rig, task, hand, 0);
	} while (hand->nr > before);
}

static void memory_runs_out_at_the_min_watermark_of_every_zone(void **state)
{
	const struct page_rig_setup setup = { .node_bytes = UINT64_C(32) << 20, .params = "stat_interval_ms 0" };
	struct page_rig rig;
	struct hand *hand;

	(void)state;
	page_rig_create(&rig, &setup);
	hand = hand_create(&rig);
	page_rig_run_alone(&rig, take_everything, hand, &hand->nr_held);
	for (int node = 0; node < 2; node++) {
		const struct zone *zone = page_alloc_zone(rig.alloc, node);
		const uint64_t least = zone->size.watermark_pages[WMARK_MIN];

		assert_in_range(buddy_nr_free_pages(zone->buddy), least - 125, least + 125);
	}
	assert_int_equal(page_alloc_pcp_pages(rig.alloc), 0); /* drained before giving up */
	page_rig_destroy(&rig);
}

/* ---- nodes ---- */

static void overflow_to_the_next_node(struct page_rig *rig, struct task *task, void *arg)
{
	const struct zone *remote = page_alloc_zone(rig->alloc, 1);
	struct hand *hand = arg;

	/* what is freed there lands on this CPU's pcp of that zone, and comes back from there */
	do {
		take(rig, task, hand, 0);
	} while (!zone_has_pfn(remote, hand->pages[hand->nr - 1]));
	page_rig_expect(rig, __LINE__, page_rig_pcp(rig, 1, 0)->count > 0, true);
	page_rig_expect(rig, __LINE__, (int64_t)remote->holds[ZONE_HOLD_REFILL].nr, 1);
	page_rig_expect(rig, __LINE__, page_rig_pcp(rig, 1, 4)->count, 0);
}

static void a_full_node_is_helped_out_by_the_next_one(void **state)
{
	const struct page_rig_setup setup = { .node_bytes = UINT64_C(64) << 20, .params = "stat_interval_ms 0" };
	const struct zone *local;
	struct page_rig rig;
	struct hand *hand;

	(void)state;
	page_rig_create(&rig, &setup);
	hand = hand_create(&rig);
	page_rig_run_alone(&rig, overflow_to_the_next_node, hand, &hand->nr_held);
	local = page_alloc_zone(rig.alloc, 0);
	assert_true(local->flags & ZONE_BELOW_HIGH);
	assert_in_range(buddy_nr_free_pages(local->buddy), local->size.watermark_pages[WMARK_LOW] - 125,
			local->size.watermark_pages[WMARK_LOW] + 125);
	page_rig_destroy(&rig);
}

static void an_aged_zone_has_less_but_counts_all_the_same(void **state)
{
	const struct page_rig_setup setup = {
		.params = "aged true aged_memory 128MiB aged_used_pct 40",
		.seed = 3,
	};
	unsigned order = 5;
	const uint64_t nr_held = 0;
	struct page_rig rig;

	(void)state;
	page_rig_create(&rig, &setup);
	for (int node = 0; node < 2; node++) {
		const struct zone *zone = page_alloc_zone(rig.alloc, node);

		assert_in_range(zone->nr_aged_pages, 32768 * 38 / 100, 32768 * 42 / 100);
		assert_true(buddy_nr_free_blocks(zone->buddy, 0) > 100);
	}
	page_rig_run_alone(&rig, take_and_give, &order, &nr_held);
	page_rig_destroy(&rig);
}

/* ---- another CPU drains ---- */

struct race {
	struct hand *hand;
	sim_ps drain_from_ps;
	uint64_t drained;
};

static void free_without_end(struct page_rig *rig, struct task *task, void *arg)
{
	struct race *race = arg;

	take_split(rig, task, race->hand, 4096);
	while (race->hand->nr)
		give(rig, task, race->hand, 0);
	cpu_sync(task->cpu);
}

static void drain_once(struct page_rig *rig, struct task *task, void *arg)
{
	struct race *race = arg;

	drain_all_pages(rig->alloc, task);
	race->drained = holds_of(rig, ZONE_HOLD_DECAY)->pages;
}

static void a_drainer_waits_for_the_pcp_and_a_batched_free_loses_it(void **state)
{
	uint64_t nr_lost = 0, nr_failed = 0, nr_drained = 0;

	(void)state;
	for (sim_ps from_ps = NS(10000); from_ps < NS(300000); from_ps += NS(3001)) {
		const struct page_rig_setup setup = {
			.pcp_high_params = "batch 63 high_min 700 high_max 3000",
			.pcp_free = "batched",
			.priced = true,
		};
		struct race race = { .drained = 0 };
		struct page_rig rig;
		struct error err = { .text = "" };

		page_rig_create(&rig, &setup);
		race.hand = hand_create(&rig);
		page_rig_start(&rig, 0, 1, free_without_end, &race);
		page_rig_start(&rig, 5, from_ps, drain_once, &race);
		page_rig_run(&rig, &race.hand->nr_held, &err);
		assert_string_equal(err.text, "");
		nr_lost += counters_of(&rig).pcp_lost;
		nr_failed += counters_of(&rig).trylock_failures;
		nr_drained += race.drained;
		page_rig_destroy(&rig);
	}
	assert_true(nr_lost > 0);
	assert_true(nr_failed >= nr_lost);
	assert_true(nr_drained > 0);
}

/* ---- preemption in the middle of a flush ---- */

#define NR_TASKS 24

struct crowd {
	struct task tasks[NR_TASKS];
	uint64_t nr_held;
};

struct member {
	struct page_rig *rig;
	struct sched *sched;
	struct task *task;
};

/* Takes pages, computes, and frees them all, now and then on another CPU. */
static void live(void *arg)
{
	static const struct page_work fault = { .kernel_ps = 500 * PS_PER_NS, .user_ps = 1000 * PS_PER_NS };
	struct member *member = arg;
	struct page_alloc *alloc = member->rig->alloc;
	pfn_t pages[1500];

	sched_start(member->sched, member->task);
	for (int i = 0; i < 4; i++) {
		const uint32_t nr = alloc_pages_burst(alloc, member->task, MIGRATE_MOVABLE, 1500, &fault, pages);

		free_pages_burst(alloc, member->task, pages, nr, &no_work);
	}
	sched_exit(member->task);
}

static void a_task_that_is_preempted_in_a_flush_gives_up_the_rest_on_another_cpu(void **state)
{
	const struct page_rig_setup setup = {
		.pcp_high_params = "batch 63 high_min 300 high_max 1200",
		.pcp_free = "batched",
		.priced = true,
	};
	struct sched_params params;
	struct member members[NR_TASKS];
	struct crowd crowd = { .nr_held = 0 };
	struct error err = { .text = "" };
	struct page_rig rig;
	struct sched *sched;

	(void)state;
	page_rig_create(&rig, &setup);
	param_defaults(sched_params, &params);
	params.slice_ns = params.tick_ns = 20000;
	sched = sched_create(rig.rig.arena, rig.rig.machine, rig.rig.engine, &params, rig.rig.cpus, 8);
	for (int i = 0; i < NR_TASKS; i++) {
		struct task *task = &crowd.tasks[i];

		*task = (struct task){ .cpu = &rig.rig.cpus[i % 8], .sched = sched, .index = i };
		members[i] = (struct member){ .rig = &rig, .sched = sched, .task = task };
		task->actor = engine_spawn(rig.rig.engine, i % 8, "a task", 1 + i, live, &members[i]);
	}
	page_rig_run(&rig, &crowd.nr_held, &err);
	assert_string_equal(err.text, "");
	assert_true(counters_of(&rig).pcp_lost > 0);
	assert_int_equal(counters_of(&rig).trylock_failures, 0);
	assert_int_equal(counters_of(&rig).frees, NR_TASKS * 4 * 1500);
	page_rig_destroy(&rig);
}

static void v6_6_knows_nothing_of_its_high_watermark(void **state)
{
	const struct page_rig_setup setup = { .pcp_high = "v6.6",
					      .node_bytes = UINT64_C(32) << 20,
					      .params = "stat_interval_ms 0" };
	struct page_rig rig;
	struct hand *hand;

	(void)state;
	page_rig_create(&rig, &setup);
	hand = hand_create(&rig);
	page_rig_run_alone(&rig, take_everything, hand, &hand->nr_held);
	assert_true(hand->nr > 0);
	for (int node = 0; node < 2; node++)
		assert_int_equal(page_alloc_zone(rig.alloc, node)->flags, 0);
	page_rig_destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refill_takes_what_the_design_point_says),
		cmocka_unit_test(an_exit_flushes_as_the_design_point_says),
		cmocka_unit_test(batched_frees_the_same_pages_under_holds_of_a_batch),
		cmocka_unit_test(frees_in_bursts_flush_as_frees_one_by_one),
		cmocka_unit_test(a_hold_of_batched_exceeds_its_chunk_by_less_than_a_block),
		cmocka_unit_test(batched_with_a_chunk_beyond_every_flush_is_bulk),
		cmocka_unit_test(vmallocs_take_the_zone_lock_as_often_as_worked_out),
		cmocka_unit_test(orders_without_a_list_go_straight_to_the_zone),
		cmocka_unit_test(a_pcp_that_is_held_sends_everybody_to_the_zone),
		cmocka_unit_test(single_allocations_halve_free_count_and_the_bulk_allocator_does_not),
		cmocka_unit_test(the_bulk_allocator_asks_for_all_pages_above_low_and_sets_no_flag),
		cmocka_unit_test(the_worker_lowers_high_by_an_eighth_a_second_and_frees_what_is_above),
		cmocka_unit_test(pages_of_another_node_go_back_in_batches_when_nobody_asks_for_them),
		cmocka_unit_test(a_zone_below_its_high_watermark_says_so_until_a_flush_lifts_it),
		cmocka_unit_test(memory_runs_out_at_the_min_watermark_of_every_zone),
		cmocka_unit_test(v6_6_knows_nothing_of_its_high_watermark),
		cmocka_unit_test(a_full_node_is_helped_out_by_the_next_one),
		cmocka_unit_test(an_aged_zone_has_less_but_counts_all_the_same),
		cmocka_unit_test(a_drainer_waits_for_the_pcp_and_a_batched_free_loses_it),
		cmocka_unit_test(a_task_that_is_preempted_in_a_flush_gives_up_the_rest_on_another_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
