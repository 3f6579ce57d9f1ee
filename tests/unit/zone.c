/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A zone's counter of free pages with its per-CPU deltas, its flags and
 * watermarks on their lines, and the books on its lock.
 */
#include "models/kernel/zone.h"

#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#include <inttypes.h>

#define GIB(n) ((uint64_t)(n) << 30)

static const uint64_t nothing_held;

/* ---- thresholds ---- */

static void a_delta_may_grow_with_cpus_and_memory_up_to_125(void **state)
{
	static const struct {
		int nr_cpus;
		uint64_t bytes;
		int threshold;
	} cases[] = {
		/* 2 * fls(CPUs) * (1 + fls(units of 128 MiB)), worked out by hand */
		{ 1, GIB(0) + (UINT64_C(900) << 20), 8 },
		{ 2, GIB(0) + (UINT64_C(900) << 20), 16 },
		{ 4, GIB(1), 30 },
		{ 8, GIB(2), 48 },
		{ 16, GIB(4), 70 },
		{ 64, GIB(8), 112 },
		{ 64, GIB(16), 125 },
		/* the machines of the mails */
		{ 36, GIB(62), 120 },
		{ 176, GIB(251), 125 },
		{ 316, GIB(754), 125 },
		{ 768, GIB(717), 125 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(zone_stat_threshold(cases[i].nr_cpus, cases[i].bytes >> PAGE_SHIFT),
				 cases[i].threshold);
}

/* ---- the counter ---- */

struct counting {
	unsigned order;
	int nr_blocks;
	int nr_zone_atomics, nr_global_atomics; /* changes of the two counters seen */
};

static void count_blocks(struct page_rig *rig, struct task *task, void *arg)
{
	struct counting *counting = arg;
	struct zone *zone = page_alloc_zone(rig->alloc, 0);
	uint64_t of_zone = line_peek(zone->free_pages_line, 0);
	uint64_t of_all = line_peek(zone->vm_zone_stat_line, 0);

	for (int i = 0; i < counting->nr_blocks; i++) {
		mod_zone_free_pages(zone, task->cpu, -(INT64_C(1) << counting->order));
		counting->nr_zone_atomics += line_peek(zone->free_pages_line, 0) != of_zone;
		counting->nr_global_atomics += line_peek(zone->vm_zone_stat_line, 0) != of_all;
		of_zone = line_peek(zone->free_pages_line, 0);
		of_all = line_peek(zone->vm_zone_stat_line, 0);
	}
	for (int i = 0; i < counting->nr_blocks; i++)
		mod_zone_free_pages(zone, task->cpu, INT64_C(1) << counting->order);
}

static void two_atomics_follow_when_a_delta_exceeds_the_threshold(void **state)
{
	static const struct counting cases[] = {
		{ .order = 0, .nr_blocks = 125, .nr_zone_atomics = 0, .nr_global_atomics = 0 },
		{ .order = 0, .nr_blocks = 126, .nr_zone_atomics = 1, .nr_global_atomics = 1 },
		{ .order = 0, .nr_blocks = 1260, .nr_zone_atomics = 10, .nr_global_atomics = 10 },
		{ .order = 3, .nr_blocks = 160, .nr_zone_atomics = 10, .nr_global_atomics = 10 },
		{ .order = 6, .nr_blocks = 10, .nr_zone_atomics = 5, .nr_global_atomics = 5 },
		{ .order = 7, .nr_blocks = 10, .nr_zone_atomics = 10, .nr_global_atomics = 10 },
	};
	const struct page_rig_setup setup = { .node_bytes = GIB(4096), .params = "stat_interval_ms 0" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct counting counting = { .order = cases[i].order, .nr_blocks = cases[i].nr_blocks };
		struct page_rig rig;

		page_rig_create(&rig, &setup);
		assert_int_equal(page_alloc_zone(rig.alloc, 0)->stat_threshold, 125);
		page_rig_run_alone(&rig, count_blocks, &counting, &nothing_held);
		assert_int_equal(counting.nr_zone_atomics, cases[i].nr_zone_atomics);
		assert_int_equal(counting.nr_global_atomics, cases[i].nr_global_atomics);
		page_rig_destroy(&rig);
	}
}

static void fold_deltas(struct page_rig *rig, struct task *task, void *arg)
{
	struct zone *zone = page_alloc_zone(rig->alloc, 0);
	const uint64_t before = line_peek(zone->free_pages_line, 0);
	int64_t *global = arg;

	page_rig_expect(rig, __LINE__, zone_fold_free_pages(zone, task->cpu, global), false);
	mod_zone_free_pages(zone, task->cpu, -30);
	page_rig_expect(rig, __LINE__, (int64_t)line_peek(zone->free_pages_line, 0), (int64_t)before);
	page_rig_expect(rig, __LINE__, zone_fold_free_pages(zone, task->cpu, global), true);
	page_rig_expect(rig, __LINE__, (int64_t)line_peek(zone->free_pages_line, 0), (int64_t)before - 30);
	mod_zone_free_pages(zone, task->cpu, 30);
}

static void folding_moves_a_delta_into_the_counter(void **state)
{
	const struct page_rig_setup setup = { .seed = 1 };
	int64_t global = 0;
	struct page_rig rig;

	(void)state;
	page_rig_create(&rig, &setup);
	page_rig_run_alone(&rig, fold_deltas, &global, &nothing_held);
	assert_int_equal(global, -30);
	page_rig_destroy(&rig);
}

/* ---- flags, watermarks ---- */

static void set_and_clear(struct page_rig *rig, struct task *task, void *arg)
{
	struct zone *zone = page_alloc_zone(rig->alloc, 0);

	(void)arg;
	page_rig_expect(rig, __LINE__, zone_read_flags(zone, task->cpu), 0);
	zone_set_flag(zone, task->cpu, ZONE_BELOW_HIGH);
	zone_set_flag(zone, task->cpu, ZONE_RECLAIM_ACTIVE);
	page_rig_expect(rig, __LINE__, zone_read_flags(zone, task->cpu), ZONE_BELOW_HIGH | ZONE_RECLAIM_ACTIVE);
	zone_clear_flag(zone, task->cpu, ZONE_BELOW_HIGH);
	page_rig_expect(rig, __LINE__, zone_read_flags(zone, task->cpu), ZONE_RECLAIM_ACTIVE);
	page_rig_expect(rig, __LINE__, zone->flags, ZONE_RECLAIM_ACTIVE);
}

static void flags_are_on_the_line_of_the_lock_or_on_their_own(void **state)
{
	static const char *const params[] = { "zone_flags_beside_lock true", "zone_flags_beside_lock false" };

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct page_rig_setup setup = { .params = params[i] };
		struct page_rig rig;
		struct zone *zone;

		page_rig_create(&rig, &setup);
		zone = page_alloc_zone(rig.alloc, 0);
		assert_int_equal(zone->flags_line == zone->lock_line, i == 0);
		assert_ptr_equal(zone->vm_zone_stat_line, page_alloc_zone(rig.alloc, 1)->vm_zone_stat_line);
		page_rig_run_alone(&rig, set_and_clear, NULL, &nothing_held);
		page_rig_destroy(&rig);
	}
}

/* Free pages counted, order, mark: above it or not? */
static void look_at_watermarks(struct page_rig *rig, struct task *task, void *arg)
{
	struct zone *zone = page_alloc_zone(rig->alloc, 0);
	const uint64_t before = line_peek(zone->free_pages_line, 0);

	(void)arg;
	for (enum zone_watermark mark = WMARK_MIN; mark < NR_WMARKS; mark++) {
		const uint64_t pages = zone->size.watermark_pages[mark];

		line_poke(zone->free_pages_line, 0, pages);
		page_rig_expect(rig, __LINE__, zone_watermark_ok(zone, task->cpu, 0, mark), false);
		line_poke(zone->free_pages_line, 0, pages + 1);
		page_rig_expect(rig, __LINE__, zone_watermark_ok(zone, task->cpu, 0, mark), true);
		page_rig_expect(rig, __LINE__, zone_watermark_ok(zone, task->cpu, 3, mark), false);
		line_poke(zone->free_pages_line, 0, pages + 8);
		page_rig_expect(rig, __LINE__, zone_watermark_ok(zone, task->cpu, 3, mark), true);
	}
	line_poke(zone->free_pages_line, 0, before);
}

static void a_zone_is_above_a_watermark_by_one_page_more_than_it(void **state)
{
	const struct page_rig_setup setup = { .seed = 1 };
	struct page_rig rig;

	(void)state;
	page_rig_create(&rig, &setup);
	page_rig_run_alone(&rig, look_at_watermarks, NULL, &nothing_held);
	page_rig_destroy(&rig);
}

/* Enough pages, but none of them in a block of order 1. */
static void ask_for_order_1(struct page_rig *rig, struct task *task, void *arg)
{
	struct zone *zone = page_alloc_zone(rig->alloc, 0);

	(void)arg;
	page_rig_expect(rig, __LINE__, zone_watermark_ok(zone, task->cpu, 0, WMARK_HIGH), true);
	page_rig_expect(rig, __LINE__, zone_watermark_ok(zone, task->cpu, 1, WMARK_HIGH), false);
}

static void single_pages_do_not_lift_a_zone_for_larger_blocks(void **state)
{
	const struct page_rig_setup setup = { .node_bytes = UINT64_C(64) << 20 };
	uint64_t blocks[NR_PAGE_ORDERS] = { 0 };
	struct error err = { .text = "" };
	struct page_rig rig;
	struct zone *zone;
	uint64_t nr_held = 0;

	(void)state;
	page_rig_create(&rig, &setup);
	zone = page_alloc_zone(rig.alloc, 0);
	blocks[0] = zone->size.watermark_pages[WMARK_HIGH] + 1;
	assert_int_equal(buddy_set_free_blocks(zone->buddy, blocks, &err), 0);
	zone_set_free_pages(zone);
	nr_held = zone->nr_pages - blocks[0];
	page_rig_run_alone(&rig, ask_for_order_1, NULL, &nr_held);
	page_rig_destroy(&rig);
}

/* ---- the lock ---- */

struct holding {
	sim_ps irqs_off_ps[2];
};

/* Two CPUs want the lock for 1 us each, one a little later than the other. */
static void hold_for_a_microsecond(struct page_rig *rig, struct task *task, void *arg)
{
	struct holding *holding = arg;
	struct zone *zone = page_alloc_zone(rig->alloc, 0);
	struct zone_lock_times times;

	zone_lock(zone, task->cpu, &times);
	cpu_work(task->cpu, PS_PER_US);
	holding->irqs_off_ps[task->index] =
		zone_unlock(zone, task->cpu, &times, ZONE_HOLD_FREE, 10 + (uint64_t)task->index);
}

static void holds_and_waits_are_booked_by_kind(void **state)
{
	const struct page_rig_setup setup = { .seed = 1 };
	struct holding holding;
	struct error err = { .text = "" };
	const struct zone_hold_stats *stats;
	struct page_rig rig;

	(void)state;
	page_rig_create(&rig, &setup);
	page_rig_start(&rig, 0, 1, hold_for_a_microsecond, &holding);
	page_rig_start(&rig, 1, NS(500), hold_for_a_microsecond, &holding);
	page_rig_run(&rig, &nothing_held, &err);
	assert_string_equal(err.text, "");
	stats = &page_alloc_zone(rig.alloc, 0)->holds[ZONE_HOLD_FREE];
	assert_int_equal(stats->nr, 2);
	assert_int_equal(stats->pages, 21);
	assert_int_equal(stats->pages_max, 11);
	assert_int_equal(stats->hold_ps.nr, 2);
	assert_int_equal(stats->hold_ps.sum, 2 * PS_PER_US);
	/* the first got it at once, the second when that let go: lines move for some 10 ns */
	assert_in_range(stats->wait_ps.max, NS(500), NS(900));
	assert_in_range(stats->wait_ps.sum - stats->wait_ps.max, NS(5), NS(200));
	assert_in_range(holding.irqs_off_ps[0], PS_PER_US, PS_PER_US + NS(300));
	assert_in_range(holding.irqs_off_ps[1], PS_PER_US + NS(500), PS_PER_US + NS(1000));
	page_rig_destroy(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_delta_may_grow_with_cpus_and_memory_up_to_125),
		cmocka_unit_test(two_atomics_follow_when_a_delta_exceeds_the_threshold),
		cmocka_unit_test(folding_moves_a_delta_into_the_counter),
		cmocka_unit_test(flags_are_on_the_line_of_the_lock_or_on_their_own),
		cmocka_unit_test(a_zone_is_above_a_watermark_by_one_page_more_than_it),
		cmocka_unit_test(single_pages_do_not_lift_a_zone_for_larger_blocks),
		cmocka_unit_test(holds_and_waits_are_booked_by_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
