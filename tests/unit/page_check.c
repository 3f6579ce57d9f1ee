/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the check at the end of a run finds: locks that somebody kept, counts
 * that are wrong, pages that are nowhere.
 */
#include "models/kernel/page_alloc.h"

#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#include <string.h>

static const uint64_t nothing_held;

static void keep_zone_lock(struct page_rig *rig, struct task *task, void *arg)
{
	struct zone_lock_times times;

	(void)arg;
	zone_lock(page_alloc_zone(rig->alloc, 1), task->cpu, &times);
}

static void keep_pcp_lock(struct page_rig *rig, struct task *task, void *arg)
{
	(void)arg;
	page_rig_pcp(rig, 1, 3)->holder = task;
}

static void wait_for_pcp_lock(struct page_rig *rig, struct task *task, void *arg)
{
	(void)task, (void)arg;
	page_rig_pcp(rig, 0, 2)->nr_waiting = 1;
}

static void miscount_pcp(struct page_rig *rig, struct task *task, void *arg)
{
	(void)task, (void)arg;
	page_rig_pcp(rig, 1, 7)->count = 1;
}

static void miscount_free_pages(struct page_rig *rig, struct task *task, void *arg)
{
	(void)arg;
	page_alloc_zone(rig->alloc, 0)->free_pages_delta[task->cpu->id] += 2;
}

static void lose_a_page(struct page_rig *rig, struct task *task, void *arg)
{
	(void)arg;
	alloc_pages(rig->alloc, task, 0, MIGRATE_MOVABLE);
}

static void the_check_names_what_is_wrong_and_where(void **state)
{
	/* 64 MiB per node: 16138 pages are managed */
	static const struct {
		page_rig_fn *fn;
		const char *text;
	} cases[] = {
		{ keep_zone_lock, "node 1: cpu 0 holds the zone lock" },
		{ keep_pcp_lock, "node 1: somebody holds the pcp lock of cpu 3, or waits for it" },
		{ wait_for_pcp_lock, "node 0: somebody holds the pcp lock of cpu 2, or waits for it" },
		{ miscount_pcp, "node 1: the lists of cpu 7 have 0 pages, its count is 1" },
		{ miscount_free_pages, "node 0: NR_FREE_PAGES is 16140, the free lists have 16138 pages" },
		{ lose_a_page, "of 32276 pages, 32275 are free, on pcp lists or held" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct page_rig_setup setup = { .node_bytes = UINT64_C(64) << 20,
						      .params = "stat_interval_ms 0" };
		struct error err = { .text = "" };
		struct page_rig rig;

		page_rig_create(&rig, &setup);
		page_rig_start(&rig, 0, 1, cases[i].fn, NULL);
		assert_int_equal(page_rig_run(&rig, &nothing_held, &err), -1);
		assert_string_equal(err.text, cases[i].text);
		page_rig_destroy(&rig);
	}
}

/* Two nodes have a lock each: the report says which. */
static void a_lock_that_nobody_lets_go_of_is_named_with_who_waits(void **state)
{
	const struct page_rig_setup setup = { .seed = 1 };
	struct error err = { .text = "" };
	struct page_rig rig;

	(void)state;
	page_rig_create(&rig, &setup);
	page_rig_start(&rig, 2, 1, keep_zone_lock, NULL);
	page_rig_start(&rig, 6, PS_PER_US, keep_zone_lock, NULL);
	assert_int_equal(page_rig_run(&rig, &nothing_held, &err), -1);
	assert_non_null(strstr(err.text, "deadlock at "));
	assert_non_null(strstr(err.text, "cpu 6 "));
	assert_non_null(strstr(err.text, "waits for zone->lock of node 1"));
	page_rig_destroy(&rig);
}

/* ---- machines ---- */

static void a_machine_needs_a_largest_block_in_each_node_and_a_number_for_each_page(void **state)
{
	static const struct {
		uint64_t node_bytes;
		const char *text; /* NULL: good */
	} cases[] = {
		{ 0, "machine 'rig': memory.per_node of 0 bytes is too little, a zone needs a block of order 10" },
		/* 1039 pages, of which 98.5 % are 1023 */
		{ 1039 * PAGE_BYTES,
		  "machine 'rig': memory.per_node of 4255744 bytes is too little, a zone needs a block of order 10" },
		{ 1040 * PAGE_BYTES, NULL },
		/* two nodes: 2 * 8 TiB less 1.5 % */
		{ UINT64_C(8) << 40, NULL },
		{ UINT64_C(9) << 40,
		  "machine 'rig': memory.per_node of 9895604649984 bytes on 2 nodes is too much, pages "
		  "have numbers below 4294967295" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct machine_config machine = rig_machine(1);
		struct error err = { .text = "" };

		machine.name = "rig";
		machine.memory.per_node = cases[i].node_bytes;
		assert_int_equal(page_alloc_check_machine(&machine, &err), cases[i].text ? -1 : 0);
		assert_string_equal(err.text, cases[i].text ? cases[i].text : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_check_names_what_is_wrong_and_where),
		cmocka_unit_test(a_lock_that_nobody_lets_go_of_is_named_with_who_waits),
		cmocka_unit_test(a_machine_needs_a_largest_block_in_each_node_and_a_number_for_each_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
