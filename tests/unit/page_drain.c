/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which pages leave a pcp, in which order and how many under one hold: flushes
 * list by list, drains by design point, the vmstat worker of a CPU that was
 * idle.
 */
#include "models/kernel/page_alloc.h"

#include "models/kernel/pcp_free.h"
#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#define GIB(n) ((uint64_t)(n) << 30)

static const uint64_t nothing_held;

/*
 * Blocks of the zone of node 0 to a list of the pcp of CPU 0, as if refills had brought them.
 * The first one is at the head.
 */
static void stock(struct page_rig *rig, enum migratetype migratetype, unsigned order, int nr)
{
	struct zone *zone = page_alloc_zone(rig->alloc, 0);
	struct per_cpu_pages *pcp = page_rig_pcp(rig, 0, 0);
	enum rmqueue_mode mode = RMQUEUE_NORMAL;

	for (int i = 0; i < nr; i++) {
		const pfn_t pfn = buddy_rmqueue(zone->buddy, NULL, order, migratetype, &mode);

		pcp_list_push_tail(&pcp->lists[order_to_pindex(migratetype, order)], rig->rig.arena, &pfn, 1);
		pcp->count += 1 << order;
	}
	zone_set_free_pages(zone);
}

/* ---- list by list ---- */

static uint32_t blocks_on(struct page_rig *rig, enum migratetype migratetype, unsigned order)
{
	return page_rig_pcp(rig, 0, 0)->lists[order_to_pindex(migratetype, order)].nr;
}

static void flush_from(struct page_rig *rig, struct task *task, int pindex, int nr_pages)
{
	const struct pcp_flush flush = {
		.alloc = rig->alloc,
		.task = task,
		.zone = page_alloc_zone(rig->alloc, 0),
		.pcp = page_rig_pcp(rig, 0, 0),
		.pindex = pindex,
	};

	free_pcppages_bulk(&flush, nr_pages);
}

/* Lists hold 2 pages (0), 3 pages (1), 2 blocks of order 1 (3) and a huge page (13). */
static void flush_some(struct page_rig *rig, struct task *task, void *arg)
{
	const struct zone_hold_stats *holds = &page_alloc_zone(rig->alloc, 0)->holds[0];
	struct per_cpu_pages *pcp = page_rig_pcp(rig, 0, 0);
	const int pindex = order_to_pindex(MIGRATE_MOVABLE, 0);

	(void)arg;
	/* all of the list asked for, then the next one, to the end of a block */
	flush_from(rig, task, pindex, 4);
	page_rig_expect(rig, __LINE__, blocks_on(rig, MIGRATE_UNMOVABLE, 0), 2);
	page_rig_expect(rig, __LINE__, blocks_on(rig, MIGRATE_MOVABLE, 0), 0);
	page_rig_expect(rig, __LINE__, blocks_on(rig, MIGRATE_UNMOVABLE, 1), 1);
	page_rig_expect(rig, __LINE__, (int64_t)holds->pages, 5);
	/* a huge page counts as 512, and exceeds by 511 */
	flush_from(rig, task, order_to_pindex(MIGRATE_UNMOVABLE, 1), 3);
	page_rig_expect(rig, __LINE__, blocks_on(rig, MIGRATE_UNMOVABLE, 1), 0);
	page_rig_expect(rig, __LINE__, blocks_on(rig, MIGRATE_MOVABLE, PMD_ORDER), 0);
	page_rig_expect(rig, __LINE__, (int64_t)holds->pages, 5 + 2 + 512);
	/* behind the last list comes the first one */
	flush_from(rig, task, NR_PCP_LISTS - 1, 1);
	page_rig_expect(rig, __LINE__, blocks_on(rig, MIGRATE_UNMOVABLE, 0), 1);
	/* no more than there is */
	flush_from(rig, task, pindex, 100);
	page_rig_expect(rig, __LINE__, pcp->count, 0);
	page_rig_expect(rig, __LINE__, (int64_t)holds->nr, 4);
}

static void a_flush_empties_a_list_before_it_goes_to_the_next(void **state)
{
	const struct page_rig_setup setup = { .params = "stat_interval_ms 0" };
	struct page_rig rig;

	(void)state;
	page_rig_create(&rig, &setup);
	stock(&rig, MIGRATE_UNMOVABLE, 0, 2);
	stock(&rig, MIGRATE_MOVABLE, 0, 3);
	stock(&rig, MIGRATE_UNMOVABLE, 1, 2);
	stock(&rig, MIGRATE_MOVABLE, PMD_ORDER, 1);
	page_rig_run_alone(&rig, flush_some, NULL, &nothing_held);
	page_rig_destroy(&rig);
}

/* ---- hot and cold ---- */

#define NR_PAGES 100

static void free_and_take_again(struct page_rig *rig, struct task *task, void *arg)
{
	const struct buddy *buddy = page_alloc_zone(rig->alloc, 0)->buddy;
	pfn_t pages[NR_PAGES];

	(void)arg;
	for (int i = 0; i < NR_PAGES; i++)
		pages[i] = alloc_pages(rig->alloc, task, 0, MIGRATE_MOVABLE);
	page_rig_pcp(rig, 0, 0)->high_min = page_rig_pcp(rig, 0, 0)->high_max =
		NR_PAGES + 26; /* 26 are left of the refills */
	for (int i = 0; i < NR_PAGES; i++)
		free_pages(rig->alloc, task, pages[i], 0);
	/* the flush of the last free: what refills had brought and nobody took, then what was freed first */
	page_rig_expect(rig, __LINE__, buddy_is_free(buddy, pages[0]), true);
	page_rig_expect(rig, __LINE__, buddy_is_free(buddy, pages[NR_PAGES - 1]), false);
	for (int i = NR_PAGES - 1; i > NR_PAGES - 20; i--)
		page_rig_expect(rig, __LINE__, alloc_pages(rig->alloc, task, 0, MIGRATE_MOVABLE), pages[i]);
	for (int i = NR_PAGES - 1; i > NR_PAGES - 20; i--)
		free_pages(rig->alloc, task, pages[i], 0);
}

static void the_hottest_page_is_given_out_first_and_the_coldest_go_to_the_zone(void **state)
{
	const struct page_rig_setup setup = { .pcp_high = "v6.6",
					      .pcp_high_params = "batch 63",
					      .params = "stat_interval_ms 0" };
	struct page_rig rig;

	(void)state;
	page_rig_create(&rig, &setup);
	page_rig_run_alone(&rig, free_and_take_again, NULL, &nothing_held);
	page_rig_destroy(&rig);
}

/* ---- drains ---- */

static void drain(struct page_rig *rig, struct task *task, void *arg)
{
	(void)arg;
	drain_all_pages(rig->alloc, task);
}

static void a_drain_takes_as_many_pages_under_a_hold_as_the_design_point_says(void **state)
{
	static const struct {
		const char *pcp_high, *params;
		uint64_t nr_holds, most;
	} cases[] = {
		{ "v6.16", "batch 63", 3, 2016 }, /* 2016 2016 968 */
		{ "v6.7", "batch 63", 3, 2016 },
		{ "v6.16", "batch 63 batch_scale_max 2", 20, 252 }, /* 19 * 252 = 4788 */
		{ "v6.16", "batch 63 batch_scale_max 0", 80, 63 },
		{ "v6.6", "batch 63", 1, 5000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct page_rig_setup setup = {
			.pcp_high = cases[i].pcp_high,
			.pcp_high_params = cases[i].params,
			.params = "stat_interval_ms 0",
		};
		struct page_alloc_counters counters;
		const struct zone_hold_stats *holds;
		struct page_rig rig;

		page_rig_create(&rig, &setup);
		stock(&rig, MIGRATE_MOVABLE, 0, 5000);
		page_rig_run_alone(&rig, drain, NULL, &nothing_held);
		holds = &page_alloc_zone(rig.alloc, 0)->holds[ZONE_HOLD_DECAY];
		assert_int_equal(holds->nr, cases[i].nr_holds);
		assert_int_equal(holds->pages_max, cases[i].most);
		assert_int_equal(page_alloc_pcp_pages(rig.alloc), 0);
		page_alloc_counters(rig.alloc, &counters);
		assert_int_equal(counters.pages_drained, 5000);
		assert_int_equal(counters.flushes, 0); /* a drain is no flush */
		assert_int_equal(counters.pages_flushed, 0);
		page_rig_destroy(&rig);
	}
}

/* ---- an idle CPU ---- */

static void come_by(struct page_rig *rig, struct task *task)
{
	free_pages(rig->alloc, task, alloc_pages(rig->alloc, task, 4, MIGRATE_MOVABLE), 4);
}

static void be_idle(struct page_rig *rig, struct task *task, void *arg)
{
	static const struct {
		double seconds; /* away */
		int high; /* after coming by */
	} cases[] = {
		{ 5.5, 2560 }, /* 2925 - 365: once, not five times */
		{ 0.3, 2560 }, { 0.3, 2240 }, /* the sixth second is over */
		{ 1.0, 1960 }, { 60.0, 1715 },
	};
	struct per_cpu_pages *pcp = page_rig_pcp(rig, 0, 0);

	(void)arg;
	pcp->high = 2925;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		cpu_work(task->cpu, (sim_ps)(cases[i].seconds * PS_PER_S));
		come_by(rig, task);
		page_rig_expect(rig, __LINE__, pcp->high, cases[i].high);
	}
	page_rig_expect(rig, __LINE__, pcp->count, 1715);
}

static void the_worker_of_an_idle_cpu_runs_once_when_that_is_back(void **state)
{
	const struct page_rig_setup setup = { .pcp_high_params = "batch 63 high_min 1000 high_max 5000" };
	struct page_rig rig;

	(void)state;
	page_rig_create(&rig, &setup);
	stock(&rig, MIGRATE_MOVABLE, 0, 2048);
	page_rig_run_alone(&rig, be_idle, NULL, &nothing_held);
	assert_int_equal(page_alloc_zone(rig.alloc, 0)->holds[ZONE_HOLD_DECAY].pages, 2048 - 1715);
	page_rig_destroy(&rig);
}

/* ---- the counter of free pages ---- */

static void refill_once(struct page_rig *rig, struct task *task, void *arg)
{
	pfn_t *page = arg;

	*page = alloc_pages(rig->alloc, task, 0, MIGRATE_MOVABLE);
}

/* A batch of 200 against a threshold of 125: block by block the 126th goes to the counters, and 74 stay. */
static void v6_6_counts_a_refill_at_once_and_later_ones_block_by_block(void **state)
{
	static const struct {
		const char *pcp_high;
		int delta;
	} cases[] = { { "v6.6", 0 }, { "v6.7", -74 }, { "v6.16", -74 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct page_rig_setup setup = {
			.pcp_high = cases[i].pcp_high,
			.pcp_high_params = "batch 200",
			.params = "stat_interval_ms 0",
			.node_bytes = GIB(4096),
		};
		const uint64_t nr_held = 1;
		struct page_rig rig;
		pfn_t page;

		page_rig_create(&rig, &setup);
		page_rig_run_alone(&rig, refill_once, &page, &nr_held);
		assert_int_equal(page_alloc_zone(rig.alloc, 0)->free_pages_delta[0], cases[i].delta);
		page_rig_destroy(&rig);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flush_empties_a_list_before_it_goes_to_the_next),
		cmocka_unit_test(the_hottest_page_is_given_out_first_and_the_coldest_go_to_the_zone),
		cmocka_unit_test(a_drain_takes_as_many_pages_under_a_hold_as_the_design_point_says),
		cmocka_unit_test(the_worker_of_an_idle_cpu_runs_once_when_that_is_back),
		cmocka_unit_test(v6_6_counts_a_refill_at_once_and_later_ones_block_by_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
