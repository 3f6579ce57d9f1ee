/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a zone's size gives: watermarks, batch, bounds of high, and the lists.
 * The numbers are those of the kernel's formulas worked out by hand for
 * machines of 98.5 % managed memory; published ones say so.
 */
#include "models/kernel/pcp.h"

#include "models/kernel/zone.h"
#include "tests/support/unit.h"

#define GIB (UINT64_C(1) << 30)
#define MIB (UINT64_C(1) << 20)
#define KIB UINT64_C(1024)
#define MAX_NODES 2

/* ---- watermarks and limits of machines ---- */

struct machine_case {
	uint64_t memory_gib; /* of all nodes, in equal parts */
	int nr_nodes, nr_cpus; /* CPUs of each node */
	uint64_t low_wmark; /* of node 0 */
	int high_min, high_max;
	int high_min_without_thp;
	int free_high_threshold; /* of v6.16 */
};

static const struct machine_case machine_cases[] = {
	{ 62, 1, 36, 31886, 885, 53867, 646, 505 },	{ 64, 1, 32, 32419, 1013, 62617, 747, 569 },
	{ 64, 1, 64, 32419, 506, 31308, 373, 316 },	{ 251, 1, 176, 81081, 460, 45678, 456, 293 },
	{ 256, 1, 128, 82375, 643, 64069, 638, 384 },	{ 256, 2, 112, 43650, 389, 36334, 362, 257 },
	{ 754, 1, 316, 222030, 702, 76818, 702, 414 },	{ 1024, 1, 316, 296373, 937, 104396, 937, 531 },
	{ 1434, 2, 384, 203833, 530, 60104, 530, 328 }, /* published: drains above 530, by Nikhil Dhama */
};

static const struct pcp_limits as_computed;

static struct zone_sizes node_0(const struct machine_case *machine, bool transparent_hugepages)
{
	uint64_t node_bytes[MAX_NODES];
	struct zone_sizes sizes[MAX_NODES];

	for (int node = 0; node < machine->nr_nodes; node++)
		node_bytes[node] = machine->memory_gib * GIB / (uint64_t)machine->nr_nodes;
	zone_sizes_compute(node_bytes, machine->nr_nodes, transparent_hugepages, sizes);
	return sizes[0];
}

static struct per_cpu_pages pcp_of(const struct machine_case *machine, bool transparent_hugepages,
				   const struct pcp_limits *limits)
{
	const struct zone_sizes zone = node_0(machine, transparent_hugepages);
	const struct pcp_zone_size size = {
		.managed_pages = zone.managed_pages,
		.low_wmark_pages = zone.watermark_pages[WMARK_LOW],
		.nr_cpus = machine->nr_cpus,
		.llc_slice_bytes = 2 * MIB,
	};
	struct per_cpu_pages pcp;

	per_cpu_pages_init(&pcp, &size, limits);
	return pcp;
}

static void low_watermarks_of_nine_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machine_cases); i++) {
		const struct zone_sizes zone = node_0(&machine_cases[i], true);

		assert_int_equal(zone.watermark_pages[WMARK_LOW], machine_cases[i].low_wmark);
	}
}

static void limits_of_nine_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machine_cases); i++) {
		const struct machine_case *machine = &machine_cases[i];
		const struct per_cpu_pages pcp = pcp_of(machine, true, &as_computed);

		assert_int_equal(pcp.batch, 63);
		assert_int_equal(pcp.high_min, machine->high_min);
		assert_int_equal(pcp.high_max, machine->high_max);
		assert_int_equal(pcp.batch + pcp.high_min / 2, machine->free_high_threshold);
	}
}

static void without_huge_pages_less_is_kept_free(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machine_cases); i++)
		assert_int_equal(pcp_of(&machine_cases[i], false, &as_computed).high_min,
				 machine_cases[i].high_min_without_thp);
}

/* 64 GiB are 16,777,216 pages; 98.5 % of them are 16,525,557, of which 495,360 are in the DMA zones. */
static void pages_and_watermarks_of_one_machine(void **state)
{
	const struct machine_case machine = { .memory_gib = 64, .nr_nodes = 1, .nr_cpus = 32 };
	const struct zone_sizes zone = node_0(&machine, true);

	(void)state;
	assert_int_equal(zone.managed_pages, 16030197);
	assert_int_equal(zone.watermark_pages[WMARK_MIN], 16389);
	assert_int_equal(zone.watermark_pages[WMARK_LOW], 32419);
	assert_int_equal(zone.watermark_pages[WMARK_HIGH], 48449);
}

static void dma_zones_are_on_node_0_alone(void **state)
{
	const uint64_t node_bytes[2] = { 128 * GIB, 128 * GIB };
	struct zone_sizes sizes[2];

	(void)state;
	zone_sizes_compute(node_bytes, 2, true, sizes);
	assert_int_equal(sizes[1].managed_pages - sizes[0].managed_pages, 3840 + 491520);
}

/* A machine too small for a Normal zone beside DMA32: huge pages may claim a twentieth of it. */
static void a_small_machine_is_one_zone(void **state)
{
	const uint64_t node_bytes = 1 * GIB;
	struct zone_sizes size;

	(void)state;
	zone_sizes_compute(&node_bytes, 1, false, &size);
	assert_int_equal(size.managed_pages, 258211);
	assert_int_equal(size.watermark_pages[WMARK_MIN], 1016); /* isqrt(16 * 1032844) = 4065 kB */
	assert_int_equal(size.watermark_pages[WMARK_LOW], 1274);
	zone_sizes_compute(&node_bytes, 1, true, &size);
	assert_int_equal(size.watermark_pages[WMARK_MIN], 5632); /* 11 pageblocks: below (258211 - 1532) / 20 */
}

struct small_case {
	uint64_t bytes;
	bool transparent_hugepages;
	uint64_t managed_pages, min_wmark, low_wmark;
};

static void the_least_that_is_kept_free_has_bounds(void **state)
{
	static const struct small_case cases[] = {
		{ 822336 * UINT64_C(4096), false, 810000, 1800, 2610 }, /* isqrt(16 * 3240000) = 7200 kB, no less */
		{ 0, true, 0, 0, 0 },
		{ 1 * MIB, false, 252, 32, 40 }, /* 128 kB; isqrt(16 * 1008) = 126 */
		{ 256 * MIB, true, 64552, 3189, 3986 }, /* a twentieth of 64552 - 762; a gap of a quarter of that */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct zone_sizes size;

		zone_sizes_compute(&cases[i].bytes, 1, cases[i].transparent_hugepages, &size);
		assert_int_equal(size.managed_pages, cases[i].managed_pages);
		assert_int_equal(size.watermark_pages[WMARK_MIN], cases[i].min_wmark);
		assert_int_equal(size.watermark_pages[WMARK_LOW], cases[i].low_wmark);
	}
}

/* ---- batch ---- */

static void batch_by_zone_size(void **state)
{
	static const struct {
		uint64_t managed_pages;
		int batch;
	} cases[] = {
		{ 1, 1 },
		{ 3840, 1 }, /* the DMA zone */
		{ 512 * MIB / 4096, 31 },
		{ (172 << 10) - 1, 31 },
		{ 172 << 10, 63 }, /* 688 MiB */
		{ 1 * GIB / 4096, 63 },
		{ 1024 * GIB / 4096, 63 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(zone_batchsize(cases[i].managed_pages), cases[i].batch);
}

/* ---- overrides ---- */

static const struct machine_case small = { .memory_gib = 62, .nr_nodes = 1, .nr_cpus = 36 };

static void expect_limits(const struct pcp_limits *limits, int batch, int high_min, int high_max)
{
	const struct per_cpu_pages pcp = pcp_of(&small, true, limits);

	assert_int_equal(pcp.batch, batch);
	assert_int_equal(pcp.high_min, high_min);
	assert_int_equal(pcp.high_max, high_max);
}

static void overrides_stand_and_move_what_they_would_cross(void **state)
{
	(void)state;
	expect_limits(&(struct pcp_limits){ .batch = 127 }, 127, 885, 53867);
	expect_limits(&(struct pcp_limits){ .batch = 511 }, 511, 2044, 53867); /* at least four batches */
	expect_limits(&(struct pcp_limits){ .high_min = 500 }, 63, 500, 53867);
	expect_limits(&(struct pcp_limits){ .high_max = 2000 }, 63, 885, 2000);
	expect_limits(&(struct pcp_limits){ .high_min = 500, .high_max = 2000 }, 63, 500, 2000);
	expect_limits(&(struct pcp_limits){ .high_min = 60000 }, 63, 60000, 60000);
	expect_limits(&(struct pcp_limits){ .high_max = 300 }, 63, 300, 300);
}

static void the_sysctl_fixes_both_bounds(void **state)
{
	(void)state;
	expect_limits(&(struct pcp_limits){ .percpu_pagelist_high_fraction = 8 }, 63, 53867, 53867);
	expect_limits(&(struct pcp_limits){ .percpu_pagelist_high_fraction = 100 }, 63, 4309, 4309);
	expect_limits(&(struct pcp_limits){ .percpu_pagelist_high_fraction = 100000 }, 63, 252, 252);
}

static void limits_that_cannot_be_are_refused(void **state)
{
	static const struct {
		struct pcp_limits limits;
		const char *key, *text;
	} cases[] = {
		{ { .percpu_pagelist_high_fraction = 1 },
		  "percpu_pagelist_high_fraction",
		  "percpu_pagelist_high_fraction: must be 0 or at least 8, as for the sysctl, not 1" },
		{ { .percpu_pagelist_high_fraction = 7 },
		  "percpu_pagelist_high_fraction",
		  "percpu_pagelist_high_fraction: must be 0 or at least 8, as for the sysctl, not 7" },
		{ { .percpu_pagelist_high_fraction = 8, .high_max = 9 },
		  "percpu_pagelist_high_fraction",
		  "percpu_pagelist_high_fraction gives both bounds of high: it cannot stand beside high_max" },
		{ { .high_min = 10, .high_max = 9 }, "high_min", "high_min 10 is above high_max 9" },
	};
	static const struct pcp_limits good[] = {
		{ 0 },
		{ .percpu_pagelist_high_fraction = 8, .batch = 1 },
		{ .high_min = 9, .high_max = 9 },
		{ .high_min = 10 },
		{ .high_max = 9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *key = NULL;
		struct error err;

		assert_int_equal(pcp_limits_check(&cases[i].limits, &key, &err), -1);
		assert_string_equal(key, cases[i].key);
		assert_string_equal(err.text, cases[i].text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_int_equal(pcp_limits_check(&good[i], &(const char *){ NULL }, NULL), 0);
}

/* ---- the cache rule ---- */

static void three_batches_in_the_slice_of_the_last_level_cache_set_the_flag(void **state)
{
	static const struct {
		uint64_t llc_slice_bytes;
		uint32_t batch;
		bool flag;
	} cases[] = {
		{ 32 * MIB / 16, 0, true }, /* EPYC 9654 */
		{ 30 * MIB / 24, 0, true }, /* Xeon E5-2690 v3 */
		{ 105 * MIB / 112, 0, true }, /* the closest to the limit */
		{ 756 * KIB, 0, false },
		{ 760 * KIB - 1, 0, false },
		{ 760 * KIB, 0, true },
		{ 760 * KIB, 64, false },
		{ 0, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct pcp_zone_size size = {
			.managed_pages = 16 * GIB / 4096,
			.low_wmark_pages = 30000,
			.nr_cpus = 16,
			.llc_slice_bytes = cases[i].llc_slice_bytes,
		};
		const struct pcp_limits limits = { .batch = cases[i].batch };
		struct per_cpu_pages pcp;

		per_cpu_pages_init(&pcp, &size, &limits);
		assert_int_equal(pcp.flags, cases[i].flag ? PCPF_FREE_HIGH_BATCH : 0);
	}
}

static void a_pcp_begins_empty_and_unused(void **state)
{
	const struct per_cpu_pages pcp = pcp_of(&small, true, &as_computed);

	(void)state;
	assert_int_equal(pcp.count, 0);
	assert_int_equal(pcp.high, 0);
	assert_int_equal(pcp.free_count, 0);
	assert_int_equal(pcp.alloc_factor, 0);
	assert_null(pcp.holder);
	for (int i = 0; i < NR_PCP_LISTS; i++)
		assert_int_equal(pcp.lists[i].nr, 0);
}

/* ---- which list ---- */

static void orders_up_to_3_and_huge_pages_have_lists(void **state)
{
	(void)state;
	for (unsigned order = 0; order <= MAX_PAGE_ORDER; order++)
		assert_int_equal(pcp_allowed_order(order), order <= 3 || order == 9);
}

static void lists_are_by_order_then_migratetype(void **state)
{
	static const struct {
		enum migratetype migratetype;
		unsigned order;
		int pindex;
	} cases[] = {
		{ MIGRATE_UNMOVABLE, 0, 0 },  { MIGRATE_MOVABLE, 0, 1 },  { MIGRATE_RECLAIMABLE, 0, 2 },
		{ MIGRATE_UNMOVABLE, 1, 3 },  { MIGRATE_MOVABLE, 2, 7 },  { MIGRATE_RECLAIMABLE, 3, 11 },
		{ MIGRATE_UNMOVABLE, 9, 12 }, { MIGRATE_MOVABLE, 9, 13 }, { MIGRATE_RECLAIMABLE, 9, 12 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(order_to_pindex(cases[i].migratetype, cases[i].order), cases[i].pindex);
		assert_int_equal(pindex_to_order(cases[i].pindex), cases[i].order);
	}
}

/* ---- lists ---- */

static void expect_pops(struct pcp_list *list, const pfn_t *blocks, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		pfn_t block = NO_PAGE;

		assert_int_equal(pcp_list_pop_head(list, &block, 1), 1);
		assert_int_equal(block, blocks[i]);
	}
	assert_int_equal(list->nr, 0);
}

static void the_block_freed_last_is_taken_first(void **state)
{
	static const pfn_t pushed[] = { 10, 11, 12 }, popped[] = { 12, 11, 10 };
	struct arena *arena = arena_create();
	struct pcp_list list = { 0 };

	(void)state;
	pcp_list_push_head(&list, arena, pushed, 3);
	expect_pops(&list, popped, 3);
	arena_destroy(arena);
}

static void a_refill_is_taken_in_its_order_behind_what_was_there(void **state)
{
	static const pfn_t freed = 1, refill[] = { 20, 21, 22 }, popped[] = { 1, 20, 21, 22 };
	struct arena *arena = arena_create();
	struct pcp_list list = { 0 };

	(void)state;
	pcp_list_push_head(&list, arena, &freed, 1);
	pcp_list_push_tail(&list, arena, refill, 3);
	expect_pops(&list, popped, 4);
	arena_destroy(arena);
}

static void a_drain_takes_the_coldest(void **state)
{
	static const pfn_t pushed[] = { 10, 11, 12 };
	struct arena *arena = arena_create();
	struct pcp_list list = { 0 };

	(void)state;
	assert_int_equal(pcp_list_pop_tail(&list), NO_PAGE);
	pcp_list_push_head(&list, arena, pushed, 3);
	assert_int_equal(pcp_list_pop_tail(&list), 10);
	assert_int_equal(pcp_list_pop_tail(&list), 11);
	assert_int_equal(pcp_list_pop_tail(&list), 12);
	assert_int_equal(pcp_list_pop_tail(&list), NO_PAGE);
	arena_destroy(arena);
}

static void a_pop_of_more_than_there_is_gives_what_there_is(void **state)
{
	static const pfn_t pushed[] = { 10, 11 };
	struct arena *arena = arena_create();
	struct pcp_list list = { 0 };
	pfn_t popped[5];

	(void)state;
	assert_int_equal(pcp_list_pop_head(&list, popped, 5), 0);
	pcp_list_push_tail(&list, arena, pushed, 2);
	pcp_list_push_tail(&list, arena, pushed, 0);
	assert_int_equal(pcp_list_pop_head(&list, popped, 5), 2);
	assert_memory_equal(popped, pushed, sizeof(pushed));
	assert_int_equal(list.nr, 0);
	arena_destroy(arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(low_watermarks_of_nine_machines),
		cmocka_unit_test(limits_of_nine_machines),
		cmocka_unit_test(without_huge_pages_less_is_kept_free),
		cmocka_unit_test(pages_and_watermarks_of_one_machine),
		cmocka_unit_test(dma_zones_are_on_node_0_alone),
		cmocka_unit_test(a_small_machine_is_one_zone),
		cmocka_unit_test(the_least_that_is_kept_free_has_bounds),
		cmocka_unit_test(batch_by_zone_size),
		cmocka_unit_test(overrides_stand_and_move_what_they_would_cross),
		cmocka_unit_test(the_sysctl_fixes_both_bounds),
		cmocka_unit_test(limits_that_cannot_be_are_refused),
		cmocka_unit_test(three_batches_in_the_slice_of_the_last_level_cache_set_the_flag),
		cmocka_unit_test(a_pcp_begins_empty_and_unused),
		cmocka_unit_test(orders_up_to_3_and_huge_pages_have_lists),
		cmocka_unit_test(lists_are_by_order_then_migratetype),
		cmocka_unit_test(the_block_freed_last_is_taken_first),
		cmocka_unit_test(a_refill_is_taken_in_its_order_behind_what_was_there),
		cmocka_unit_test(a_drain_takes_the_coldest),
		cmocka_unit_test(a_pop_of_more_than_there_is_gives_what_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
