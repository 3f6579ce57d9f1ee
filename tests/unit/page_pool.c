/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page pool: when it asks the page allocator for pages, and when it gives them back. */
#include "models/kernel/page_pool.h"

#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#define RING_PAGES 100
#define EXPECT(actual, expected) page_rig_expect(rig, __LINE__, (int64_t)(actual), (int64_t)(expected))

struct test {
	struct page_pool *pool;
	struct pool_page *taken; /* a list */
};

static void run_alone(page_rig_fn *fn)
{
	const struct page_rig_setup setup = { 0 };
	const uint64_t nr_held = 0;
	struct test test = { 0 };
	struct page_rig rig;

	page_rig_create(&rig, &setup);
	test.pool = page_pool_create(rig.rig.arena, rig.alloc, RING_PAGES);
	page_rig_run_alone(&rig, fn, &test, &nr_held);
	page_rig_destroy(&rig);
}

static struct page_alloc_counters counters(const struct page_rig *rig)
{
	struct page_alloc_counters counters;

	page_alloc_counters(rig->alloc, &counters);
	return counters;
}

static void take(struct test *test, struct task *task, int nr)
{
	while (nr--) {
		struct pool_page *page = page_pool_alloc(test->pool, task);

		page->next = test->taken;
		test->taken = page;
	}
}

static void put(struct test *test, struct task *task, int nr)
{
	while (nr--) {
		struct pool_page *page = test->taken;

		test->taken = page->next;
		page_pool_put(task, page);
	}
}

static void ask_for_more(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;

	take(test, task, 1);
	EXPECT(counters(rig).allocs, 64);
	take(test, task, 63);
	EXPECT(counters(rig).allocs, 64);
	take(test, task, 1);
	EXPECT(counters(rig).allocs, 128);
	put(test, task, 65);
	page_pool_destroy(test->pool, task);
	EXPECT(counters(rig).frees, 128);
}

static void an_empty_pool_asks_for_64_pages_at_once(void **state)
{
	(void)state;
	run_alone(ask_for_more);
}

static void go_round(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;

	for (int i = 0; i < 50; i++) {
		take(test, task, 64);
		put(test, task, 64);
	}
	EXPECT(counters(rig).allocs, 64);
	EXPECT(counters(rig).frees, 0);
	page_pool_destroy(test->pool, task);
}

static void pages_that_come_back_are_used_again(void **state)
{
	(void)state;
	run_alone(go_round);
}

static void overfill(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;

	take(test, task, 192);
	put(test, task, 192);
	EXPECT(counters(rig).frees, 192 - RING_PAGES);
	take(test, task, RING_PAGES);
	EXPECT(counters(rig).allocs, 192);
	put(test, task, RING_PAGES);
	page_pool_destroy(test->pool, task);
	EXPECT(counters(rig).frees, 192);
}

static void what_does_not_fit_into_the_ring_goes_back_to_the_allocator(void **state)
{
	(void)state;
	run_alone(overfill);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_pool_asks_for_64_pages_at_once),
		cmocka_unit_test(pages_that_come_back_are_used_again),
		cmocka_unit_test(what_does_not_fit_into_the_ring_goes_back_to_the_allocator),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
