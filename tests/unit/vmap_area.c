/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The locks over the address space of vmalloc(): how often each is taken, what
 * they cost a lone CPU, and where several meet.
 */
#include "models/kernel/vmap_area.h"

#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#define EXPECT(actual, expected) page_rig_expect(rig, __LINE__, (int64_t)(actual), (int64_t)(expected))

#define LOCK_NS (5 + 3 + 2) /* a compare-and-swap and a store */
#define HOLD_NS 20

struct test {
	struct page_rig rig;
	struct vmap *vmap;
	uint64_t nr_held; /* no pages */
	uint32_t nr_pages, nr_loops;
	sim_ps loop_ps; /* of the last loop */
};

static struct test *test_create(int max_nodes)
{
	static const struct page_rig_setup setup = { 0 };
	struct test *test = test_calloc(1, sizeof(*test));
	struct vmap_site site = { .seed = 1, .max_nodes = max_nodes, .hold_ps = NS(HOLD_NS) };

	page_rig_create(&test->rig, &setup);
	site.arena = test->rig.rig.arena;
	site.machine = test->rig.rig.machine;
	site.engine = test->rig.rig.engine;
	site.lock = &test->rig.policies[AXIS_ZONE_LOCK];
	test->vmap = vmap_create(&site);
	return test;
}

static void test_destroy(struct test *test)
{
	page_rig_destroy(&test->rig);
	test_free(test);
}

static void come_and_go(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;

	(void)rig;
	for (uint32_t i = 0; i < test->nr_loops; i++) {
		const sim_ps start = task->cpu->date;

		vmap_free(test->vmap, task->cpu, vmap_alloc(test->vmap, task->cpu, test->nr_pages));
		test->loop_ps = task->cpu->date - start;
	}
}

/* ---- one CPU ---- */

static void lone_loops(struct test *test, uint32_t nr_pages, uint32_t nr_loops, struct vmap_counters *counters)
{
	test->nr_pages = nr_pages;
	test->nr_loops = nr_loops;
	page_rig_run_alone(&test->rig, come_and_go, test, &test->nr_held);
	vmap_counters(test->vmap, counters);
}

/* Areas of 3 pages and a guard page: the 8193rd makes more than lazy_max_pages(). */
static void addresses_come_from_the_one_lock_until_a_purge_has_filled_the_pool(void **state)
{
	static const struct {
		int max_nodes;
		uint32_t nr_pages, nr_loops;
		struct vmap_counters expected;
	} rows[] = {
		{ VMAP_MAX_NODES, 3, 1, { .free = 1, .busy = 2, .lazy = 1 } },
		{ VMAP_MAX_NODES, 3, 8192, { .free = 8192, .busy = 16384, .lazy = 8192 } },
		/* the purge takes the lazy ones off at once, and fills the pool at once */
		{ VMAP_MAX_NODES, 3, 8193, { .free = 8193, .busy = 16386, .lazy = 8194, .pool = 1, .purges = 1 } },
		{ VMAP_MAX_NODES, 3, 8194, { .free = 8193, .busy = 16388, .lazy = 8195, .pool = 2, .purges = 1 } },
		/* the second finds an empty pool, so that nothing decays */
		{ VMAP_MAX_NODES,
		  3,
		  2 * 8193,
		  { .free = 8193, .busy = 4 * 8193, .lazy = 2 * 8194, .pool = 1 + 8193 + 1, .purges = 2 } },
		/* 256 pages with the guard page are the most that a pool keeps: 128 areas are 32768 pages */
		{ VMAP_MAX_NODES, 255, 130, { .free = 129, .busy = 260, .lazy = 131, .pool = 2, .purges = 1 } },
		{ VMAP_MAX_NODES, 256, 130, { .free = 131, .busy = 260, .lazy = 131, .pool = 1, .purges = 1 } },
		/* one node has no pool */
		{ 1, 3, 8194, { .free = 8195, .busy = 16388, .lazy = 8195, .pool = 1, .purges = 1 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct test *test = test_create(rows[i].max_nodes);
		struct vmap_counters counters;

		lone_loops(test, rows[i].nr_pages, rows[i].nr_loops, &counters);
		assert_int_equal(counters.free, rows[i].expected.free);
		assert_int_equal(counters.busy, rows[i].expected.busy);
		assert_int_equal(counters.lazy, rows[i].expected.lazy);
		assert_int_equal(counters.pool, rows[i].expected.pool);
		assert_int_equal(counters.purges, rows[i].expected.purges);
		test_destroy(test);
	}
}

/* Two sizes in turn: what one left in its pool when the other made the purge due goes back by a quarter. */
static void decay(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	struct vmap_counters before, after;

	for (int i = 0; i < 8193; i++)
		vmap_free(test->vmap, task->cpu, vmap_alloc(test->vmap, task->cpu, 3));
	vmap_counters(test->vmap, &before);
	for (int i = 0; i < 129; i++)
		vmap_free(test->vmap, task->cpu, vmap_alloc(test->vmap, task->cpu, 255));
	vmap_counters(test->vmap, &after);
	EXPECT(after.purges - before.purges, 1);
	EXPECT(after.free - before.free, 129 + 1); /* and the decayed ones, at once */
	EXPECT(after.pool - before.pool, 1 + 1);
	for (int i = 0; i < 8193; i++) /* without freeing: no purge */
		vmap_alloc(test->vmap, task->cpu, 3);
	vmap_counters(test->vmap, &before);
	EXPECT(before.free - after.free, 8193 / 4);
	EXPECT(before.pool - after.pool, 8193 - 8193 / 4);
}

static void a_purge_leaves_three_quarters_of_what_pools_held(void **state)
{
	struct test *test = test_create(VMAP_MAX_NODES);

	(void)state;
	page_rig_run_alone(&test->rig, decay, test, &test->nr_held);
	test_destroy(test);
}

/* The constants of vmalloc() are less by this: so a lone CPU's loops take as long as without locks. */
static void a_lone_cpu_pays_what_is_said_to_be_its_part(void **state)
{
	struct test *test = test_create(VMAP_MAX_NODES);
	struct vmap_counters counters;

	(void)state;
	assert_int_equal(vmap_alloc_alone_ps(test->vmap), NS(2 * (LOCK_NS + HOLD_NS)));
	assert_int_equal(vmap_free_alone_ps(test->vmap), NS(2 * (LOCK_NS + HOLD_NS) + 5));
	lone_loops(test, 3, 1000, &counters);
	assert_int_equal(test->loop_ps, NS(4 * (LOCK_NS + HOLD_NS) + 5));
	test_destroy(test);
}

/* ---- several CPUs ---- */

/* Time until CPUs 0 to nr - 1 have each made so many loops, in the pools of their nodes. */
static sim_ps time_of(int max_nodes, int nr_cpus)
{
	struct test *test = test_create(max_nodes);
	struct error err = { .text = "" };
	sim_ps end = 0;

	test->nr_pages = 15;
	test->nr_loops = 4000;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		page_rig_start(&test->rig, cpu, 1, come_and_go, test);
	assert_int_equal(page_rig_run(&test->rig, &test->nr_held, &err), 0);
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		end = end > test->rig.tasks[cpu].cpu->date ? end : test->rig.tasks[cpu].cpu->date;
	test_destroy(test);
	return end;
}

static void workers_meet_on_the_nodes_and_more_so_on_one_lock(void **state)
{
	const sim_ps alone = time_of(VMAP_MAX_NODES, 1);
	const sim_ps together = time_of(VMAP_MAX_NODES, 4);

	(void)state;
	assert_true(together > 2 * alone);
	assert_true(time_of(1, 4) > together + together / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_come_from_the_one_lock_until_a_purge_has_filled_the_pool),
		cmocka_unit_test(a_purge_leaves_three_quarters_of_what_pools_held),
		cmocka_unit_test(a_lone_cpu_pays_what_is_said_to_be_its_part),
		cmocka_unit_test(workers_meet_on_the_nodes_and_more_so_on_one_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
