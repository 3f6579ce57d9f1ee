/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc() and vfree(): which blocks an area is made of, which it goes back
 * as, how often that takes a zone lock, and what is counted and paid.
 */
#include "models/kernel/vmalloc.h"

#include "models/registry.h"
#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define EXPECT(actual, expected) page_rig_expect(rig, __LINE__, (int64_t)(actual), (int64_t)(expected))

#define MOST_PAGES 2048

/* A design point: the three kernels of the published table, and parts of them. */
struct design {
	const char *vmalloc_order, *contig_free, *pcp_free;
	const char *contig_free_params;
};

static const struct design v6_18 = { "order-0", "per-page", "bulk", "" };
static const struct design mm_new = { "large", "per-page", "batched", "" };
static const struct design series = { "large", "ranges", "batched", "" };

struct test {
	struct page_rig rig;
	struct policy_choice policies[NR_POLICY_AXES];
	struct vmalloc *vmalloc;
	pfn_t pages[MOST_PAGES];
	uint64_t nr_held;
	const void *row; /* of the test's table */
	sim_ps date; /* that the task noted */
};

/* `params` of vmalloc: "key value ...". */
static struct test *test_create(const struct design *design, const struct page_rig_setup *setup, const char *params)
{
	struct test *test = test_calloc(1, sizeof(*test));
	struct page_rig_setup own = *setup;
	struct vmalloc_site site = { .policies = test->policies, .seed = 1 };
	struct rig *rig = &test->rig.rig;

	own.pcp_free = design->pcp_free;
	page_rig_create(&test->rig, &own);
	memcpy(test->policies, test->rig.policies, sizeof(test->policies));
	test->policies[AXIS_VMALLOC_ORDER] =
		rig_choice_with(rig, registry_policy(AXIS_VMALLOC_ORDER, design->vmalloc_order), "");
	test->policies[AXIS_CONTIG_FREE] = rig_choice_with(rig, registry_policy(AXIS_CONTIG_FREE, design->contig_free),
							   design->contig_free_params);
	site.arena = rig->arena;
	site.machine = rig->machine;
	site.engine = rig->engine;
	site.page_alloc = test->rig.alloc;
	site.memory = test->rig.memory;
	test->vmalloc = vmalloc_create(&site, rig_params(rig, vmalloc_params, sizeof(struct vmalloc_params), params));
	return test;
}

/* Alone on CPU 0, with test->row. Returns the date that it noted. */
static sim_ps test_run(struct test *test, page_rig_fn *fn, const void *row)
{
	sim_ps date;

	test->row = row;
	page_rig_run_alone(&test->rig, fn, test, &test->nr_held);
	page_rig_destroy(&test->rig);
	date = test->date;
	test_free(test);
	return date;
}

static uint64_t nr_allocs(const struct page_rig *rig)
{
	struct page_alloc_counters counters;

	page_alloc_counters(rig->alloc, &counters);
	return counters.allocs;
}

static void take(struct page_rig *rig, struct task *task, struct test *test, uint32_t nr_pages, unsigned flags,
		 struct vm_struct *area)
{
	area->pages = test->pages;
	EXPECT(vmalloc_alloc(test->vmalloc, task, nr_pages, flags, area), 0);
	test->nr_held += area->nr_pages;
}

static void give(struct task *task, struct test *test, struct vm_struct *area)
{
	test->nr_held -= area->nr_pages;
	vfree(test->vmalloc, task, area);
}

/* ---- what an area is made of ---- */

#define END_OF_ORDERS 99

struct decomposition {
	const struct design *design;
	uint32_t nr_pages;
	unsigned flags;
	unsigned page_order; /* of the mapping */
	unsigned orders[12];
	uint32_t nr_singles; /* pages behind the blocks */
};

/* The area's pages are blocks of these orders, each aligned and in one piece, and nothing else was asked for. */
static void check_blocks(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const struct decomposition *row = test->row;
	const pfn_t *pages = test->pages;
	uint64_t nr_blocks = row->nr_singles;
	struct vm_struct area;

	take(rig, task, test, row->nr_pages, row->flags, &area);
	for (const unsigned *order = row->orders; *order != END_OF_ORDERS; order++, nr_blocks++) {
		EXPECT(pages[0] % (1u << *order), 0);
		for (uint32_t i = 0; i < 1u << *order; i++)
			EXPECT(pages[i], pages[0] + i);
		pages += 1u << *order;
	}
	EXPECT(nr_allocs(rig), nr_blocks);
	EXPECT(area.nr_pages, pages + row->nr_singles - test->pages);
	EXPECT(area.page_order, row->page_order);
	give(task, test, &area);
}

static void an_area_is_made_of_the_blocks_that_its_kernel_asks_for(void **state)
{
	static const struct decomposition rows[] = {
		{ &mm_new, 1, 0, 0, { END_OF_ORDERS }, 1 },
		{ &mm_new, 4, 0, 0, { 2, END_OF_ORDERS }, 0 },
		{ &mm_new, 5, 0, 0, { 2, END_OF_ORDERS }, 1 },
		{ &mm_new, 10, 0, 0, { 3, 1, END_OF_ORDERS }, 0 },
		{ &mm_new, 16, 0, 0, { 4, END_OF_ORDERS }, 0 },
		{ &mm_new, 64, 0, 0, { 6, END_OF_ORDERS }, 0 },
		{ &mm_new, 100, 0, 0, { 6, 5, 2, END_OF_ORDERS }, 0 },
		{ &mm_new, 256, 0, 0, { 8, END_OF_ORDERS }, 0 },
		{ &mm_new, 512, 0, 0, { 9, END_OF_ORDERS }, 0 },
		{ &mm_new, 1023, 0, 0, { 9, 8, 7, 6, 5, 4, 3, 2, 1, END_OF_ORDERS }, 1 },
		{ &mm_new, 2048, 0, 0, { 10, 10, END_OF_ORDERS }, 0 },
		{ &v6_18, 1, 0, 0, { END_OF_ORDERS }, 1 },
		{ &v6_18, 512, 0, 0, { END_OF_ORDERS }, 512 },
		/* huge mappings: whole blocks of their order in any kernel */
		{ &v6_18, 15, VM_ALLOW_HUGE_VMAP, 0, { END_OF_ORDERS }, 15 },
		{ &v6_18, 16, VM_ALLOW_HUGE_VMAP, 4, { 4, END_OF_ORDERS }, 0 },
		{ &v6_18, 17, VM_ALLOW_HUGE_VMAP, 4, { 4, 4, END_OF_ORDERS }, 0 },
		{ &v6_18, 64, VM_ALLOW_HUGE_VMAP, 4, { 4, 4, 4, 4, END_OF_ORDERS }, 0 },
		{ &v6_18, 512, VM_ALLOW_HUGE_VMAP, 9, { 9, END_OF_ORDERS }, 0 },
		{ &v6_18, 1024, VM_ALLOW_HUGE_VMAP, 9, { 9, 9, END_OF_ORDERS }, 0 },
		{ &mm_new, 16, VM_ALLOW_HUGE_VMAP, 4, { 4, END_OF_ORDERS }, 0 },
		{ &mm_new, 64, VM_ALLOW_HUGE_VMAP, 4, { 6, END_OF_ORDERS }, 0 },
		{ &mm_new, 100, VM_ALLOW_HUGE_VMAP, 4, { 6, 5, 4, END_OF_ORDERS }, 0 },
		{ &mm_new, 1024, VM_ALLOW_HUGE_VMAP, 9, { 10, END_OF_ORDERS }, 0 },
	};
	static const struct page_rig_setup setup = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		test_run(test_create(rows[i].design, &setup, ""), check_blocks, &rows[i]);
}

/* Every second page of a small machine is taken, but for what lies below the watermarks. */
static void fragment(struct page_rig *rig, struct task *task, struct test *test, pfn_t *taken, uint32_t *nr)
{
	pfn_t pfn;

	while ((pfn = alloc_pages(rig->alloc, task, 0, MIGRATE_UNMOVABLE)) != NO_PAGE)
		taken[test->nr_held++] = pfn;
	for (uint64_t i = 0; i < test->nr_held; i++) {
		if (taken[i] % 2)
			taken[(*nr)++] = taken[i];
		else
			free_pages(rig->alloc, task, taken[i], 0);
	}
	test->nr_held = *nr;
}

static void allocate_from_fragments(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	pfn_t *taken = arena_calloc(rig->rig.arena, 1 << 16, sizeof(*taken));
	struct vm_struct area;
	uint32_t nr = 0, nr_alone = 0;

	fragment(rig, task, test, taken, &nr);
	take(rig, task, test, 1024, *(const unsigned *)test->row, &area);
	EXPECT(area.nr_pages, 1024);
	EXPECT(area.page_order, 0);
	for (uint32_t i = 1; i < 1024; i++)
		nr_alone += test->pages[i] != test->pages[i - 1] + 1;
	EXPECT(nr_alone > 512, true);
	give(task, test, &area);
	EXPECT(vmalloc_nr_used(test->vmalloc), 0);
}

static void single_pages_make_up_for_blocks_that_are_not_to_be_had(void **state)
{
	static const struct page_rig_setup setup = { .node_bytes = UINT64_C(16) << 20 };
	static const unsigned flags[] = { 0, VM_ALLOW_HUGE_VMAP };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		test_run(test_create(&mm_new, &setup, ""), allocate_from_fragments, &flags[i]);
		test_run(test_create(&v6_18, &setup, ""), allocate_from_fragments, &flags[i]);
	}
}

static void allocate_too_much(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	struct vm_struct area = { .pages = arena_calloc(rig->rig.arena, 1 << 16, sizeof(pfn_t)) };

	EXPECT(vmalloc_alloc(test->vmalloc, task, 1 << 16, 0, &area), -1);
	EXPECT(vmalloc_nr_used(test->vmalloc), 0);
}

static void an_area_without_enough_memory_gives_back_what_it_got(void **state)
{
	static const struct page_rig_setup setup = { .node_bytes = UINT64_C(16) << 20 };

	(void)state;
	test_run(test_create(&v6_18, &setup, ""), allocate_too_much, NULL);
	test_run(test_create(&mm_new, &setup, "accounting node"), allocate_too_much, NULL);
	test_run(test_create(&series, &setup, "accounting node"), allocate_too_much, NULL);
}

/* ---- zone locks ---- */

/*
 * One worker on a node of 256 GiB and 64 CPUs, batched freeing: holds of zone->lock per loop of vmalloc() and vfree(), and
 * blocks that move under them, once the state is stationary.
 */
struct visits {
	const struct design *design;
	uint32_t nr_pages;
	uint32_t warmup, loops;
	int decimals; /* of the holds that are expected */
	const char *expected;
	int64_t piled_up; /* order-0 pages on the pcp in the end; -1: whatever a flush left */
};

static double nr_blocks(const struct zone_hold_stats *hold, unsigned order)
{
	return (double)(hold->pages >> order);
}

/* Holds and blocks so far. Refills of the three designs in steady state are of the order of the area's block. */
static void count_visits(struct page_rig *rig, unsigned refill_order, double visits[2])
{
	const struct zone_hold_stats *holds = page_alloc_zone(rig->alloc, 0)->holds;

	visits[0] = 0;
	for (enum zone_hold kind = 0; kind < NR_ZONE_HOLDS; kind++)
		visits[0] += (double)holds[kind].nr;
	visits[1] = nr_blocks(&holds[ZONE_HOLD_REFILL], refill_order) + nr_blocks(&holds[ZONE_HOLD_FREE], 0) +
		    (double)holds[ZONE_HOLD_DIRECT_ALLOC].nr + (double)holds[ZONE_HOLD_DIRECT_FREE].nr;
}

static void allocate_and_free(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const struct visits *row = test->row;
	const unsigned refill_order = row->nr_pages == 512 ? PMD_ORDER : 2;
	double then[2], now[2];
	char text[64];

	for (uint32_t i = 0; i < row->warmup + row->loops; i++) {
		struct vm_struct area;

		if (i == row->warmup)
			count_visits(rig, refill_order, then);
		take(rig, task, test, row->nr_pages, 0, &area);
		give(task, test, &area);
	}
	count_visits(rig, refill_order, now);
	snprintf(text, sizeof(text), "%.*f holds, %.0f blocks", row->decimals, (now[0] - then[0]) / row->loops,
		 (now[1] - then[1]) / row->loops);
	if (strcmp(text, row->expected) && !rig->wrong[0])
		snprintf(rig->wrong, sizeof(rig->wrong), "%s %s, %u pages: %s", row->design->vmalloc_order,
			 row->design->contig_free, row->nr_pages, text);
	if (row->piled_up >= 0)
		EXPECT(page_rig_pcp(rig, 0, 0)->lists[0].nr, row->piled_up);
}

/*
 * Order 2 comes from its pcp list in refills of 15 blocks, each of which raises `high` by 63, and goes back as 60 single
 * pages: so those pile up until high_max. Order 9 raises it too, but by less than comes back.
 */
static void a_loop_takes_the_zone_lock_as_often_as_its_kernel_does(void **state)
{
	static const struct visits rows[] = {
		{ &v6_18, 1, 3000, 2520, 0, "0 holds, 0 blocks", 63 },
		{ &v6_18, 4, 3000, 2520, 0, "0 holds, 0 blocks", 63 },
		{ &v6_18, 5, 3000, 2520, 0, "0 holds, 0 blocks", 63 },
		{ &v6_18, 16, 3000, 2520, 0, "0 holds, 0 blocks", 63 },
		{ &v6_18, 64, 3000, 2520, 0, "0 holds, 0 blocks", 189 },
		{ &v6_18, 100, 3000, 2520, 0, "0 holds, 0 blocks", 189 },
		{ &v6_18, 256, 3000, 2520, 0, "0 holds, 0 blocks", 441 },
		{ &v6_18, 512, 3000, 2520, 0, "0 holds, 0 blocks", 945 },
		{ &mm_new, 1, 3000, 2520, 0, "0 holds, 0 blocks", 63 },
		{ &mm_new, 4, 3000, 3000, 3, "0.067 holds, 1 blocks", 24000 },
		{ &mm_new, 5, 3000, 3000, 3, "0.067 holds, 1 blocks", 24063 },
		{ &mm_new, 16, 3024, 2520, 2, "1.25 holds, 17 blocks", -1 },
		{ &mm_new, 64, 3000, 2520, 1, "2.0 holds, 65 blocks", -1 },
		{ &mm_new, 100, 3000, 2520, 1, "4.0 holds, 99 blocks", -1 },
		{ &mm_new, 256, 3000, 2520, 1, "5.1 holds, 257 blocks", -1 },
		{ &mm_new, 512, 500, 2520, 1, "8.5 holds, 482 blocks", -1 },
		/* at high_max */
		{ &mm_new, 512, 5000, 2520, 1, "9.4 holds, 513 blocks", -1 },
		{ &series, 1, 3000, 2520, 0, "0 holds, 0 blocks", 63 },
		{ &series, 4, 3000, 2520, 0, "0 holds, 0 blocks", 0 },
		{ &series, 5, 3000, 2520, 0, "0 holds, 0 blocks", 63 },
		{ &series, 16, 3000, 2520, 0, "2 holds, 2 blocks", 0 },
		{ &series, 64, 3000, 2520, 0, "2 holds, 2 blocks", 0 },
		{ &series, 100, 3000, 2520, 0, "4 holds, 4 blocks", 0 },
		{ &series, 256, 3000, 2520, 0, "2 holds, 2 blocks", 0 },
		{ &series, 512, 3000, 2520, 0, "0 holds, 0 blocks", 0 },
	};
	static const struct page_rig_setup setup = {
		.pcp_high_params = "batch 63 high_min 1287 high_max 128138",
		.params = "stat_interval_ms 0",
		.node_bytes = UINT64_C(4) << 30,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct design design = *rows[i].design;
		struct visits row = rows[i];

		design.pcp_free = "batched";
		row.design = &design;
		test_run(test_create(&design, &setup, ""), allocate_and_free, &row);
	}
}

static void the_machine_of_these_loops_has_such_limits(void **state)
{
	static const uint64_t node_bytes = UINT64_C(256) << 30;
	static const struct pcp_limits computed = { 0 };
	struct per_cpu_pages pcp;
	struct zone_sizes sizes;

	(void)state;
	zone_sizes_compute(&node_bytes, 1, true, &sizes);
	per_cpu_pages_init(&pcp,
			   &(struct pcp_zone_size){
				   .managed_pages = sizes.managed_pages,
				   .low_wmark_pages = sizes.watermark_pages[WMARK_LOW],
				   .nr_cpus = 64,
			   },
			   &computed);
	assert_int_equal(pcp.batch, 63);
	assert_int_equal(pcp.high_min, 1287);
	assert_int_equal(pcp.high_max, 128138);
}

/* ---- conservation ---- */

#define NR_AREAS 12

struct areas {
	struct vm_struct areas[NR_AREAS];
	pfn_t pages[NR_AREAS][MOST_PAGES];
	uint64_t nr_free_blocks[NR_PAGE_ORDERS]; /* before */
};

static void count_free_blocks(struct page_rig *rig, uint64_t nr_blocks[NR_PAGE_ORDERS])
{
	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++)
		nr_blocks[order] = buddy_nr_free_blocks(page_alloc_zone(rig->alloc, 0)->buddy, order);
}

static void come_and_go(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	struct areas *areas = arena_calloc(rig->rig.arena, 1, sizeof(*areas));
	uint64_t nr_blocks[NR_PAGE_ORDERS];

	count_free_blocks(rig, areas->nr_free_blocks);
	for (int i = 0; i < 2000; i++) {
		struct vm_struct *area = &areas->areas[rng_below(&task->rng, NR_AREAS)];
		const unsigned flags = rng_below(&task->rng, 3) ? 0 : VM_ALLOW_HUGE_VMAP;

		area->pages = areas->pages[area - areas->areas];
		if (area->nr_pages)
			vfree(test->vmalloc, task, area);
		else
			EXPECT(vmalloc_alloc(test->vmalloc, task, 1 + (uint32_t)rng_below(&task->rng, 1500), flags,
					     area),
			       0);
	}
	for (int i = 0; i < NR_AREAS; i++)
		if (areas->areas[i].nr_pages)
			vfree(test->vmalloc, task, &areas->areas[i]);
	EXPECT(vmalloc_nr_used(test->vmalloc), 0);
	drain_all_pages(rig->alloc, task);
	count_free_blocks(rig, nr_blocks);
	for (unsigned order = 0; order < NR_PAGE_ORDERS; order++)
		EXPECT(nr_blocks[order], areas->nr_free_blocks[order]);
}

static void areas_come_and_go_and_leave_the_zone_as_it_was(void **state)
{
	static const struct page_rig_setup setup = { .priced = true };
	static const struct design *const designs[] = { &v6_18, &mm_new, &series };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(designs); i++) {
		test_run(test_create(designs[i], &setup, ""), come_and_go, NULL);
		test_run(test_create(designs[i], &setup, "accounting node"), come_and_go, NULL);
	}
}

/* ---- what it costs ---- */

/* One loop in a machine where the difference between `params` and none is `extra_ns`. */
struct price {
	const struct design *design;
	uint32_t nr_pages;
	unsigned flags;
	const char *params;
	double extra_ns;
};

static void note_the_date(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const struct price *row = test->row;
	struct vm_struct area;

	take(rig, task, test, row->nr_pages, row->flags, &area);
	give(task, test, &area);
	test->date = task->cpu->date;
}

#define FREE_OF_CHARGE "vmap_nodes 0 alloc_area_ns 0 free_area_ns 0 pte_ns 0 pmd_ns 0 node_stat_ns 0 clear_page_ns 0 "

static sim_ps date_after(const struct design *design, const struct price *row, const char *params)
{
	static const struct page_rig_setup setup = { 0 };
	char text[256];
	struct test *test;

	snprintf(text, sizeof(text), "%s%s", FREE_OF_CHARGE, params);
	test = test_create(design, &setup, text);
	return test_run(test, note_the_date, row);
}

/* Two on the machine's counter, whose line comes from its home for the first. */
#define ATOMICS_NS (100 + 5)

static void a_loop_pays_for_its_area_page_tables_and_counters(void **state)
{
	static const struct design coalescing = { "large", "ranges", "batched", "account range" };
	static const struct price rows[] = {
		{ &v6_18, 1, 0, "alloc_area_ns 100 free_area_ns 70", 170 },
		{ &v6_18, 16, 0, "pte_ns 10", 2 * 16 * 10 },
		{ &v6_18, 16, VM_ALLOW_HUGE_VMAP, "pte_ns 10 pmd_ns 30", 2 * 16 * 10 },
		{ &mm_new, 100, VM_ALLOW_HUGE_VMAP, "pte_ns 10 pmd_ns 30", 2 * 112 * 10 },
		{ &series, 512, VM_ALLOW_HUGE_VMAP, "pte_ns 10 pmd_ns 30", 2 * 30 },
		/* an atomic that sets the thread's flag and one that clears it, for each table changed */
		{ &v6_18, 1, 0, "lazy_mmu thread-flag", 2 * (5 + 5) },
		{ &v6_18, 512, 0, "lazy_mmu thread-flag", 2 * (5 + 5) },
		{ &v6_18, 513, 0, "lazy_mmu thread-flag", 2 * 2 * (5 + 5) },
		{ &v6_18, 512, VM_ALLOW_HUGE_VMAP, "lazy_mmu thread-flag", 0 },
		{ &v6_18, 5, VMALLOC_ZERO, "clear_page_ns 40", 5 * 40 },
		{ &v6_18, 5, 0, "clear_page_ns 40", 0 },
		/* NR_VMALLOC: per block or single page that comes, per page that goes; the two atomics are saved. The deltas stay within this machine's threshold */
		{ &v6_18, 5, 0, "accounting node node_stat_ns 100", (5 + 5) * 100 - ATOMICS_NS },
		{ &mm_new, 5, 0, "accounting node node_stat_ns 100", (2 + 5) * 100 - ATOMICS_NS },
		{ &mm_new, 16, VM_ALLOW_HUGE_VMAP, "accounting node node_stat_ns 100", (1 + 16) * 100 - ATOMICS_NS },
		{ &series, 16, 0, "accounting node node_stat_ns 100", (1 + 16) * 100 - ATOMICS_NS },
		{ &coalescing, 16, 0, "accounting node node_stat_ns 100", (1 + 1) * 100 - ATOMICS_NS },
		{ &coalescing, 16, 0, "accounting atomic node_stat_ns 100", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(date_after(rows[i].design, &rows[i], rows[i].params) -
					 date_after(rows[i].design, &rows[i], ""),
				 NS(rows[i].extra_ns));
}

static sim_ps time_to_clear(struct page_rig *rig, struct task *task, struct test *test)
{
	struct vm_struct area;
	sim_ps start;

	(void)rig;
	start = task->cpu->date;
	take(rig, task, test, 1, VMALLOC_ZERO, &area);
	start = task->cpu->date - start;
	give(task, test, &area);
	return start;
}

/* The rig's caches: a page comes from memory once, then it is in the core's own. */
static void clear_twice(struct page_rig *rig, struct task *task, void *arg)
{
	const struct machine_config *config = machine_config_of(rig->rig.machine);
	struct test *test = arg;
	struct vm_struct area;
	sim_ps cold_ps, hot_ps;

	take(rig, task, test, 1, 0, &area); /* fills the pcp list */
	give(task, test, &area);
	cold_ps = time_to_clear(rig, task, test);
	hot_ps = time_to_clear(rig, task, test);
	EXPECT(cold_ps - hot_ps, 64 * ns_to_ps(config->memory.stream_ns) - NS(40));
}

static void a_page_that_is_not_in_the_cache_takes_longer_to_clear(void **state)
{
	static const struct page_rig_setup setup = { .priced = true };

	(void)state;
	test_run(test_create(&v6_18, &setup, "clear_page_ns 40"), clear_twice, NULL);
}

static void map_ram(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const sim_ps start = task->cpu->date;

	vm_map_ram(test->vmalloc, task, 4);
	vm_unmap_ram(test->vmalloc, task, 4);
	EXPECT(task->cpu->date - start, NS(2 * (50 + 4 * 10)));
	EXPECT(nr_allocs(rig), 0);
}

static void mapping_pages_that_are_there_takes_none(void **state)
{
	static const struct page_rig_setup setup = { 0 };

	(void)state;
	test_run(test_create(&v6_18, &setup, "map_ram_ns 50 pte_ns 10"), map_ram, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_area_is_made_of_the_blocks_that_its_kernel_asks_for),
		cmocka_unit_test(single_pages_make_up_for_blocks_that_are_not_to_be_had),
		cmocka_unit_test(an_area_without_enough_memory_gives_back_what_it_got),
		cmocka_unit_test(a_loop_takes_the_zone_lock_as_often_as_its_kernel_does),
		cmocka_unit_test(the_machine_of_these_loops_has_such_limits),
		cmocka_unit_test(areas_come_and_go_and_leave_the_zone_as_it_was),
		cmocka_unit_test(a_loop_pays_for_its_area_page_tables_and_counters),
		cmocka_unit_test(a_page_that_is_not_in_the_cache_takes_longer_to_clear),
		cmocka_unit_test(mapping_pages_that_are_there_takes_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
