/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mappings that are touched and unmapped: how many pages, when the mmu_gather
 * is flushed, what is left afterwards.
 */
#include "models/kernel/mapping.h"

#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

static const struct page_work no_work;

/* One task's life with a mapping. */
struct life {
	uint32_t nr_pages; /* of the mapping */
	uint32_t touches[3]; /* pages asked for, one after another */
	uint32_t present[3]; /* there afterwards */
};

static void touch_and_unmap(struct page_rig *rig, struct task *task, void *arg)
{
	const struct life *life = arg;
	struct mapping mapping;

	mapping_init(&mapping, rig->rig.arena, rig->alloc, life->nr_pages);
	for (int i = 0; i < 3; i++) {
		mapping_touch(&mapping, task, life->touches[i], &no_work);
		page_rig_expect(rig, __LINE__, mapping.nr_present, life->present[i]);
	}
	mapping_unmap(&mapping, task, &no_work, &no_work);
	page_rig_expect(rig, __LINE__, mapping.nr_present, 0);
}

static void a_mapping_is_filled_to_its_end_and_given_back(void **state)
{
	static struct life lives[] = {
		{ 1, { 1, 1, 1 }, { 1, 1, 1 } },
		{ 100, { 64, 64, 64 }, { 64, 100, 100 } },
		{ 5000, { 1, 0, 4000 }, { 1, 1, 4001 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lives); i++) {
		const struct page_rig_setup setup = { .params = "stat_interval_ms 0" };
		struct page_alloc_counters counters;
		const uint64_t nr_held = 0;
		struct page_rig rig;

		page_rig_create(&rig, &setup);
		page_rig_run_alone(&rig, touch_and_unmap, &lives[i], &nr_held);
		page_alloc_counters(rig.alloc, &counters);
		assert_int_equal(counters.allocs, lives[i].present[2]);
		assert_int_equal(counters.frees, lives[i].present[2]);
		page_rig_destroy(&rig);
	}
}

/* The node's memory and its neighbour's are full before the mapping is. */
static void memory_that_runs_out_ends_a_touch_early(struct page_rig *rig, struct task *task, void *arg)
{
	uint32_t *nr_got = arg;
	struct mapping mapping;

	mapping_init(&mapping, rig->rig.arena, rig->alloc, 1 << 16);
	*nr_got = mapping_touch(&mapping, task, 1 << 16, &no_work);
	page_rig_expect(rig, __LINE__, mapping.nr_present, *nr_got);
	mapping_unmap(&mapping, task, &no_work, &no_work);
}

static void a_mapping_larger_than_memory_is_filled_as_far_as_it_goes(void **state)
{
	const struct page_rig_setup setup = { .node_bytes = UINT64_C(64) << 20, .params = "stat_interval_ms 0" };
	const uint64_t nr_held = 0;
	struct page_rig rig;
	uint32_t nr_got = 0;

	(void)state;
	page_rig_create(&rig, &setup);
	page_rig_run_alone(&rig, memory_that_runs_out_ends_a_touch_early, &nr_got, &nr_held);
	assert_in_range(nr_got, 1 << 14, (1 << 15) - 1);
	page_rig_destroy(&rig);
}

/* Unmapping works off `unmap` for as many pages as the gather holds, then flushes it: 9698 pages, then the rest. */
static const uint32_t nr_gathered[] = { 1, 9697, 9698, 9699, 20000 };

struct gather {
	uint32_t nr_pages;
	sim_ps unmapped_ps; /* work of all pages, unmapping alone */
};

static void unmap_with_work(struct page_rig *rig, struct task *task, void *arg)
{
	static const struct page_work unmap = { .kernel_ps = 7000 }, release = { .kernel_ps = 11000 };
	struct gather *gather = arg;
	struct mapping mapping;

	mapping_init(&mapping, rig->rig.arena, rig->alloc, gather->nr_pages);
	mapping_touch(&mapping, task, gather->nr_pages, &no_work);
	gather->unmapped_ps = -task->cpu->date;
	mapping_unmap(&mapping, task, &unmap, &release);
	gather->unmapped_ps += task->cpu->date;
}

static void every_page_is_unmapped_and_released_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(nr_gathered); i++) {
		const struct page_rig_setup setup = {
			.params = "stat_interval_ms 0 pcp_free_ns 0",
			.pcp_high_params = "high_min 100000 high_max 100000",
		};
		struct gather gather = { .nr_pages = nr_gathered[i] };
		const uint64_t nr_held = 0;
		const sim_ps lock_ps = NS(5 + 2); /* pcp->lock once per 31 pages: atomic and store */
		const uint32_t full = gather.nr_pages / 9698, rest = gather.nr_pages % 9698;
		const uint32_t nr_batches = full * ((9698 + 30) / 31) + (rest + 30) / 31;
		struct page_rig rig;

		page_rig_create(&rig, &setup);
		page_rig_run_alone(&rig, unmap_with_work, &gather, &nr_held);
		assert_int_equal(gather.unmapped_ps, gather.nr_pages * (sim_ps)18000 + nr_batches * lock_ps);
		page_rig_destroy(&rig);
	}
}

struct looping {
	struct mapping_loop loop;
	uint64_t counted[5];
};

static void loop(struct page_rig *rig, struct task *task, void *arg)
{
	struct looping *looping = arg;

	mapping_loop_init(&looping->loop, rig->rig.arena, rig->alloc, 1, 150);
	for (int i = 0; i < 5; i++)
		looping->counted[i] = mapping_loop_step(&looping->loop, task);
	mapping_loop_finish(&looping->loop, task);
	page_rig_expect(rig, __LINE__, looping->loop.mappings[0].nr_present, 0);
}

static void a_loop_fills_unmaps_and_begins_again(void **state)
{
	static const uint64_t counted[5] = { 64, 64, 22, 0, 64 };
	const struct page_rig_setup setup = { .params = "stat_interval_ms 0" };
	struct looping looping = { .counted = { 0 } };
	const uint64_t nr_held = 0;
	struct page_rig rig;

	(void)state;
	page_rig_create(&rig, &setup);
	page_rig_run_alone(&rig, loop, &looping, &nr_held);
	for (int i = 0; i < 5; i++)
		assert_int_equal(looping.counted[i], counted[i]);
	page_rig_destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mapping_is_filled_to_its_end_and_given_back),
		cmocka_unit_test(a_mapping_larger_than_memory_is_filled_as_far_as_it_goes),
		cmocka_unit_test(every_page_is_unmapped_and_released_once),
		cmocka_unit_test(a_loop_fills_unmaps_and_begins_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
