/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slab caches: their orders, when they take pages and when they give them back. */
#include "models/kernel/slab.h"

#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#define EXPECT(actual, expected) page_rig_expect(rig, __LINE__, (int64_t)(actual), (int64_t)(expected))
#define MOST_OBJECTS 4096

/* By the formulas of calculate_order(): 4 * (fls(CPUs) + 1) objects, order 3 at most, little waste. */
static void slabs_have_the_order_that_calculate_order_gives(void **state)
{
	static const struct {
		uint32_t bytes;
		int nr_cpus;
		unsigned order;
	} cases[] = {
		{ 8, 1, 0 },	{ 256, 2, 0 },	  { 256, 16, 1 },   { 256, 384, 2 },  { 640, 384, 3 },
		{ 1024, 8, 3 }, { 1024, 768, 3 }, { 4096, 2, 3 },   { 4096, 384, 3 }, { 8192, 2, 3 },
		{ 1000, 2, 2 }, { 3000, 1, 3 },	  { 2730, 384, 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(slab_order(cases[i].bytes, cases[i].nr_cpus), cases[i].order);
}

struct test {
	struct kmem_cache *cache;
	struct slab *objects[MOST_OBJECTS];
	uint32_t nr;
	uint64_t nr_held;
};

static void take(struct test *test, struct task *task, uint32_t nr)
{
	while (nr--)
		test->objects[test->nr++] = kmem_cache_alloc(test->cache, task);
	test->nr_held = kmem_cache_pages(test->cache);
}

/* The first `nr` taken. */
static void give(struct test *test, struct task *task, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		kmem_cache_free(test->cache, task, test->objects[i]);
	for (uint32_t i = nr; i < test->nr; i++)
		test->objects[i - nr] = test->objects[i];
	test->nr -= nr;
	test->nr_held = kmem_cache_pages(test->cache);
}

static void run_alone(uint32_t object_bytes, page_rig_fn *fn)
{
	const struct page_rig_setup setup = { 0 };
	struct test test = { .nr = 0 };
	struct page_rig rig;

	page_rig_create(&rig, &setup);
	test.cache = kmem_cache_create(rig.rig.arena, rig.rig.machine, rig.alloc, object_bytes);
	page_rig_run_alone(&rig, fn, &test, &test.nr_held);
	page_rig_destroy(&rig);
}

/* Eight objects of 4 KiB to a slab of order 3. */
static void fill_and_empty(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;

	EXPECT(kmem_cache_pages(test->cache), 0);
	take(test, task, 8);
	EXPECT(kmem_cache_pages(test->cache), 8);
	take(test, task, 1);
	EXPECT(kmem_cache_pages(test->cache), 16);
	give(test, task, 9);
	EXPECT(kmem_cache_pages(test->cache), 16); /* one is the CPU's own, the other on its partial list */
	take(test, task, 16);
	EXPECT(kmem_cache_pages(test->cache), 16); /* both are used again */
}

static void a_slab_is_taken_when_no_object_is_free(void **state)
{
	(void)state;
	run_alone(4096, fill_and_empty);
}

/* 41 slabs; two stay on the CPU's partial list, min_partial 6 on the node's, one is the CPU's own. */
static void fill_much_and_empty(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;

	take(test, task, 328);
	EXPECT(kmem_cache_pages(test->cache), 41 * 8);
	give(test, task, 328);
	EXPECT(kmem_cache_pages(test->cache) / 8, 1 + 6 + 2);
}

static void empty_slabs_go_back_but_for_those_that_lists_keep(void **state)
{
	(void)state;
	run_alone(4096, fill_much_and_empty);
}

static void use_one_object(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;

	for (int i = 0; i < 1000; i++) {
		take(test, task, 3);
		give(test, task, 3);
	}
	EXPECT(kmem_cache_pages(test->cache), 8);
}

static void objects_that_come_back_to_their_slab_need_no_pages(void **state)
{
	(void)state;
	run_alone(4096, use_one_object);
}

/* One CPU takes, another gives: as the data of a socket. */
struct stream {
	struct kmem_cache *cache;
	struct slab *queue[4096];
	int nr_in, nr_out;
	uint64_t nr_held;
};

#define STREAM_OBJECTS 2000

static void produce(struct page_rig *rig, struct task *task, void *arg)
{
	struct stream *stream = arg;

	(void)rig;
	while (stream->nr_in < STREAM_OBJECTS) {
		stream->queue[stream->nr_in] = kmem_cache_alloc(stream->cache, task);
		stream->nr_in++;
		cpu_work(task->cpu, NS(100));
		cpu_sync(task->cpu);
	}
}

static void consume(struct page_rig *rig, struct task *task, void *arg)
{
	struct stream *stream = arg;

	(void)rig;
	while (stream->nr_out < STREAM_OBJECTS) {
		cpu_work(task->cpu, NS(90));
		cpu_sync(task->cpu);
		if (stream->nr_out < stream->nr_in)
			kmem_cache_free(stream->cache, task, stream->queue[stream->nr_out++]);
		stream->nr_held = kmem_cache_pages(stream->cache);
	}
}

static void slabs_emptied_on_another_cpu_are_used_again(void **state)
{
	const struct page_rig_setup setup = { 0 };
	struct stream stream = { .nr_in = 0 };
	struct page_rig rig;

	(void)state;
	page_rig_create(&rig, &setup);
	stream.cache = kmem_cache_create(rig.rig.arena, rig.rig.machine, rig.alloc, 4096);
	page_rig_start(&rig, 0, NS(1), produce, &stream);
	page_rig_start(&rig, 1, NS(1), consume, &stream);
	assert_int_equal(page_rig_run(&rig, &stream.nr_held, NULL), 0);
	/*
	 * 250 slabs' worth passed through;
	 * what lists keep on the way is no more than at the end of a large burst, and a few
	 */
	assert_in_range(kmem_cache_pages(stream.cache) / 8, 1, 16);
	page_rig_destroy(&rig);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(slabs_have_the_order_that_calculate_order_gives),
		cmocka_unit_test(a_slab_is_taken_when_no_object_is_free),
		cmocka_unit_test(empty_slabs_go_back_but_for_those_that_lists_keep),
		cmocka_unit_test(objects_that_come_back_to_their_slab_need_no_pages),
		cmocka_unit_test(slabs_emptied_on_another_cpu_are_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
