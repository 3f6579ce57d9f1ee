/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks that are split into pages, and ranges of pages that are freed as
 * blocks: which blocks, where a range ends, and what that takes.
 */
#include "models/kernel/page_alloc.h"

#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define EXPECT(actual, expected) page_rig_expect(rig, __LINE__, (int64_t)(actual), (int64_t)(expected))

#define BLOCK_PAGES (1u << MAX_PAGE_ORDER)
#define SECTION_PAGES 32768
#define NODE_BYTES (UINT64_C(1) << 30) /* a multiple of sections, but for what is not managed */

struct test {
	const void *row; /* of the test's table */
	uint64_t nr_held;
};

static void run_alone_on(const struct page_rig_setup *setup, page_rig_fn *fn, const void *row)
{
	struct test test = { .row = row };
	struct page_rig rig;

	page_rig_create(&rig, setup);
	page_rig_run_alone(&rig, fn, &test, &test.nr_held);
	page_rig_destroy(&rig);
}

static void run_alone(page_rig_fn *fn, const void *row)
{
	static const struct page_rig_setup setup = { .node_bytes = NODE_BYTES, .params = "stat_interval_ms 0" };

	run_alone_on(&setup, fn, row);
}

static pfn_t take_block(struct page_rig *rig, struct task *task, struct test *test, unsigned order)
{
	const pfn_t pfn = alloc_pages(rig->alloc, task, order, MIGRATE_UNMOVABLE);

	split_page(rig->alloc, task, pfn, order);
	test->nr_held += UINT64_C(1) << order;
	return pfn;
}

/* Blocks that came back: "2 x 3, 1 x 0" is two of order 3 and one of order 0. Of a zone whose pcps were empty. */
#define NOTES_BYTES 128

static void note(char *notes, uint64_t nr, unsigned order)
{
	const size_t used = strlen(notes);

	if (nr)
		snprintf(notes + used, NOTES_BYTES - used, "%s%" PRIu64 " x %u", used ? ", " : "", nr, order);
}

/* What lies on the lists of unmovable blocks of the pcp now, and, as one figure, what went straight to the zone. */
static void note_freed(struct page_rig *rig, char *notes)
{
	const struct per_cpu_pages *pcp = page_rig_pcp(rig, 0, 0);
	struct page_alloc_counters counters;
	const size_t length = NOTES_BYTES;

	notes[0] = '\0';
	page_alloc_counters(rig->alloc, &counters);
	if (counters.direct_frees)
		snprintf(notes, length, "%" PRIu64 " direct", counters.direct_frees);
	for (unsigned order = PMD_ORDER;; order = order == PMD_ORDER ? PAGE_ALLOC_COSTLY_ORDER : order - 1) {
		uint64_t nr = 0;

		for (int mt = 0; mt < NR_MIGRATETYPES; mt++)
			if (order != PMD_ORDER || mt != MIGRATE_RECLAIMABLE)
				nr += pcp->lists[order_to_pindex((enum migratetype)mt, order)].nr;
		note(notes, nr, order);
		if (!order)
			break;
	}
}

static void expect_freed(struct page_rig *rig, const char *expected)
{
	char notes[NOTES_BYTES];

	note_freed(rig, notes);
	if (strcmp(notes, expected) && !rig->wrong[0])
		snprintf(rig->wrong, sizeof(rig->wrong), "\"%s\" instead of \"%s\"", notes, expected);
}

/* ---- ranges ---- */

struct range {
	uint32_t start, nr; /* within a block of the largest order */
	const char *freed;
};

static void free_range(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const struct range *range = test->row;
	const pfn_t pfn = take_block(rig, task, test, MAX_PAGE_ORDER);

	EXPECT(free_contig_range(rig->alloc, task, pfn + range->start, range->nr), range->nr);
	test->nr_held -= range->nr;
	expect_freed(rig, range->freed);
}

static void a_range_goes_back_as_the_largest_aligned_blocks(void **state)
{
	static const struct range ranges[] = {
		{ 0, 1, "1 x 0" },
		{ 1, 1, "1 x 0" },
		{ 0, 2, "1 x 1" },
		{ 1, 2, "2 x 0" },
		{ 0, 7, "1 x 2, 1 x 1, 1 x 0" },
		{ 1, 7, "1 x 2, 1 x 1, 1 x 0" },
		{ 3, 10, "2 x 2, 2 x 0" },
		{ 8, 8, "1 x 3" },
		{ 4, 8, "2 x 2" },
		{ 0, 16, "1 direct" },
		{ 0, 100, "2 direct, 1 x 2" },
		{ 1, 30, "2 x 3, 2 x 2, 2 x 1, 2 x 0" },
		{ 0, 512, "1 x 9" },
		{ 512, 512, "1 x 9" },
		{ 256, 512, "2 direct" },
		{ 0, 1024, "1 direct" },
		{ 0, 1023, "5 direct, 1 x 9, 1 x 3, 1 x 2, 1 x 1, 1 x 0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		run_alone(free_range, &ranges[i]);
}

/* ---- where a run ends ---- */

static void free_range_with_a_shared_page(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const pfn_t pfn = take_block(rig, task, test, MAX_PAGE_ORDER);

	get_page(rig->alloc, task, pfn + 5);
	EXPECT(free_contig_range(rig->alloc, task, pfn, 8), 7);
	test->nr_held -= 7;
	expect_freed(rig, "1 x 2, 1 x 1, 1 x 0");
	EXPECT(put_page(rig->alloc, task, pfn + 5), true); /* the other one's */
	test->nr_held--;
	expect_freed(rig, "1 x 2, 1 x 1, 2 x 0");
}

static void a_page_that_somebody_refers_to_ends_a_run_and_stays(void **state)
{
	(void)state;
	run_alone(free_range_with_a_shared_page, NULL);
}

static void put_a_shared_page(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const pfn_t pfn = take_block(rig, task, test, 1);

	get_page(rig->alloc, task, pfn);
	EXPECT(put_page(rig->alloc, task, pfn), false);
	EXPECT(put_page(rig->alloc, task, pfn), true);
	EXPECT(put_page(rig->alloc, task, pfn + 1), true);
	test->nr_held -= 2;
}

static void the_last_reference_frees_a_page(void **state)
{
	(void)state;
	run_alone(put_a_shared_page, NULL);
}

/* Largest blocks until one starts at `pfn`; the one before it is right in front. */
static void take_up_to(struct page_rig *rig, struct task *task, struct test *test, pfn_t pfn)
{
	pfn_t taken;

	do
		taken = take_block(rig, task, test, MAX_PAGE_ORDER);
	while (taken != NO_PAGE && taken < pfn);
	EXPECT(taken, pfn);
}

/* Without the border there would be one block of order 3 in the middle: pages -4 to 3. */
static void free_across_a_section(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;

	take_up_to(rig, task, test, SECTION_PAGES);
	EXPECT(free_contig_range(rig->alloc, task, SECTION_PAGES - 6, 12), 12);
	test->nr_held -= 12;
	expect_freed(rig, "2 x 2, 2 x 1");
}

static void the_end_of_a_section_ends_a_run(void **state)
{
	(void)state;
	run_alone(free_across_a_section, NULL);
}

/* Past the watermarks: every block of a zone up to and including the one that starts at `last`. */
static void take_zone(struct zone *zone, struct test *test, pfn_t last)
{
	enum rmqueue_mode mode = RMQUEUE_NORMAL;
	pfn_t pfn;

	do {
		pfn = buddy_rmqueue(zone->buddy, NULL, MAX_PAGE_ORDER, MIGRATE_UNMOVABLE, &mode);
		test->nr_held += BLOCK_PAGES;
	} while (pfn != last && pfn != NO_PAGE);
	zone_set_free_pages(zone);
}

static void free_across_zones(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	struct zone *zone = page_alloc_zone(rig->alloc, 0), *next = page_alloc_zone(rig->alloc, 1);

	EXPECT(next->start_pfn, zone->nr_pages); /* without a hole */
	take_zone(zone, test, next->start_pfn - BLOCK_PAGES);
	take_zone(next, test, next->start_pfn);
	EXPECT(free_contig_range(rig->alloc, task, next->start_pfn - 3, 7), 7);
	test->nr_held -= 7;
	expect_freed(rig, "1 x 1, 1 x 0");
	EXPECT(page_rig_pcp(rig, 1, 0)->count, 4);
}

/* Of a node of 800 MiB 197 largest blocks are managed, so that the next one's pages follow. */
static void the_end_of_a_zone_ends_a_run(void **state)
{
	static const struct page_rig_setup setup = { .node_bytes = UINT64_C(800) << 20 };

	(void)state;
	run_alone_on(&setup, free_across_zones, NULL);
}

/* ---- arrays ---- */

struct array {
	uint32_t nr;
	uint32_t pages[12]; /* within a block */
	const char *freed;
};

static void free_array(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const struct array *array = test->row;
	const pfn_t pfn = take_block(rig, task, test, MAX_PAGE_ORDER);
	pfn_t pages[ARRAY_SIZE(array->pages)];

	for (uint32_t i = 0; i < array->nr; i++)
		pages[i] = pfn + array->pages[i];
	EXPECT(free_pages_bulk(rig->alloc, task, pages, array->nr), array->nr);
	test->nr_held -= array->nr;
	expect_freed(rig, array->freed);
}

static void an_array_goes_back_by_its_ascending_runs(void **state)
{
	static const struct array arrays[] = {
		{ 0, { 0 }, "" },
		{ 1, { 7 }, "1 x 0" },
		{ 4, { 0, 1, 2, 3 }, "1 x 2" },
		{ 6, { 0, 1, 2, 3, 8, 9 }, "1 x 2, 1 x 1" },
		{ 4, { 3, 2, 1, 0 }, "4 x 0" },
		{ 6, { 4, 5, 0, 1, 2, 3 }, "1 x 2, 1 x 1" },
		{ 12, { 0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12 }, "1 x 3, 1 x 1, 2 x 0" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		run_alone(free_array, &arrays[i]);
}

/* ---- conservation ---- */

/* Every page of a block is freed once: in ranges cut at random, but those that others refer to, and these by the others. */
static void free_at_random(struct page_rig *rig, struct task *task, struct test *test)
{
	const unsigned order = (unsigned)rng_below(&task->rng, MAX_PAGE_ORDER + 1);
	const uint32_t nr_pages = UINT32_C(1) << order;
	const pfn_t pfn = take_block(rig, task, test, order);
	bool shared[BLOCK_PAGES] = { false };
	uint32_t freed = 0, nr;

	for (uint32_t i = 0; i < nr_pages; i++) {
		shared[i] = !rng_below(&task->rng, 50);
		if (shared[i])
			get_page(rig->alloc, task, pfn + i);
	}
	for (uint32_t i = 0; i < nr_pages; i += nr) {
		nr = 1 + (uint32_t)rng_below(&task->rng, nr_pages - i);
		freed += free_contig_range(rig->alloc, task, pfn + i, nr);
	}
	for (uint32_t i = 0; i < nr_pages; i++)
		if (shared[i])
			freed += put_page(rig->alloc, task, pfn + i);
	EXPECT(freed, nr_pages);
	test->nr_held -= nr_pages;
}

static void free_many_at_random(struct page_rig *rig, struct task *task, void *arg)
{
	const struct buddy *buddy = page_alloc_zone(rig->alloc, 0)->buddy;
	uint64_t before[NR_PAGE_ORDERS];

	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++)
		before[order] = buddy_nr_free_blocks(buddy, order);
	for (int i = 0; i < 300; i++)
		free_at_random(rig, task, arg);
	drain_all_pages(rig->alloc, task);
	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++)
		EXPECT(buddy_nr_free_blocks(buddy, order), before[order]);
}

static void whatever_ranges_a_block_goes_back_in_it_is_whole_again(void **state)
{
	(void)state;
	run_alone(free_many_at_random, NULL);
}

/* ---- what it costs ---- */

struct price {
	uint32_t nr; /* pages from the start of a block */
	bool as_range;
	double ns;
};

#define LOCK_NS (5.0 + 2.0) /* of a pcp: the rig's atomic and store */
#define PUT_NS 5.0

static void free_pages_of(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const struct price *price = test->row;
	const pfn_t pfn = take_block(rig, task, test, 3);
	const sim_ps start = task->cpu->date;

	if (price->as_range)
		free_contig_range(rig->alloc, task, pfn, price->nr);
	else
		for (uint32_t i = 0; i < price->nr; i++)
			put_page(rig->alloc, task, pfn + i);
	test->nr_held -= price->nr;
	EXPECT(task->cpu->date - start, NS(price->ns));
}

static void a_range_saves_locks_and_commits_but_not_what_each_page_needs(void **state)
{
	static const struct page_rig_setup setup = { .params = "pcp_free_ns 20 free_prepare_ns 6 split_page_ns 0" };
	static const struct price prices[] = {
		{ 1, false, 1 * (PUT_NS + LOCK_NS + 20) },	    { 8, false, 8 * (PUT_NS + LOCK_NS + 20) },
		{ 1, true, 1 * (PUT_NS + 6) + 1 * (LOCK_NS + 14) }, { 8, true, 8 * (PUT_NS + 6) + 1 * (LOCK_NS + 14) },
		{ 7, true, 7 * (PUT_NS + 6) + 3 * (LOCK_NS + 14) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(prices); i++)
		run_alone_on(&setup, free_pages_of, &prices[i]);
}

static void split_blocks(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const pfn_t pfn = alloc_pages(rig->alloc, task, 3, MIGRATE_UNMOVABLE);
	const sim_ps date = task->cpu->date;

	test->nr_held += 8;
	split_page(rig->alloc, task, pfn, 3);
	EXPECT(task->cpu->date - date, NS(8 * 3));
	for (; test->nr_held; test->nr_held--) /* its pages in descending order, each a single one */
		free_pages(rig->alloc, task, pfn + (pfn_t)test->nr_held - 1, 0);
	expect_freed(rig, "6 x 3, 8 x 0");
}

static void a_split_block_is_so_many_pages(void **state)
{
	static const struct page_rig_setup setup = { .params = "split_page_ns 3" };

	(void)state;
	run_alone_on(&setup, split_blocks, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_goes_back_as_the_largest_aligned_blocks),
		cmocka_unit_test(a_page_that_somebody_refers_to_ends_a_run_and_stays),
		cmocka_unit_test(the_last_reference_frees_a_page),
		cmocka_unit_test(the_end_of_a_section_ends_a_run),
		cmocka_unit_test(the_end_of_a_zone_ends_a_run),
		cmocka_unit_test(an_array_goes_back_by_its_ascending_runs),
		cmocka_unit_test(whatever_ranges_a_block_goes_back_in_it_is_whole_again),
		cmocka_unit_test(a_range_saves_locks_and_commits_but_not_what_each_page_needs),
		cmocka_unit_test(a_split_block_is_so_many_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
