/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Socket buffers: which blocks a message takes, when a block goes back, and what the page allocator hears of it. */
#include "models/kernel/skb.h"

#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

#define EXPECT(actual, expected) page_rig_expect(rig, __LINE__, (int64_t)(actual), (int64_t)(expected))

struct test {
	struct skb_pool *pool;
	uint64_t nr_held;
	const struct message *message;
};

static void run_alone(page_rig_fn *fn, struct test *test)
{
	const struct page_rig_setup setup = { 0 };
	struct page_rig rig;

	page_rig_create(&rig, &setup);
	test->pool = skb_pool_create(rig.rig.arena, rig.rig.machine, rig.alloc);
	page_rig_run_alone(&rig, fn, test, &test->nr_held);
	page_rig_destroy(&rig);
}

/* Blocks that the page allocator gave. */
static uint64_t nr_allocs(const struct page_rig *rig)
{
	struct page_alloc_counters counters;

	page_alloc_counters(rig->alloc, &counters);
	return counters.allocs;
}

/* ---- alloc_skb_with_frags() ---- */

struct message {
	uint32_t linear_bytes, data_bytes;
	unsigned max_order;
	int nr_frags;
	uint32_t bytes[6]; /* of each */
	uint32_t truesize; /* beside linear data: the blocks */
};

static void alloc_one(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	const struct message *message = test->message;
	struct sk_buff *skb =
		skb_alloc_with_frags(test->pool, task, message->linear_bytes, message->data_bytes, message->max_order);
	uint32_t truesize = skb->truesize;
	struct sk_buff *bare = skb_alloc(test->pool, task, message->linear_bytes);

	EXPECT(skb->len, message->linear_bytes + message->data_bytes);
	EXPECT(skb->nr_frags, message->nr_frags);
	for (int i = 0; i < message->nr_frags; i++)
		EXPECT(skb->frags[i].bytes, message->bytes[i]);
	EXPECT(truesize - bare->truesize, message->truesize);
	skb_free(test->pool, task, skb);
	skb_free(test->pool, task, bare);
	test->nr_held = skb_pool_pages(test->pool);
}

static void paged_data_take_the_largest_blocks_that_they_fill(void **state)
{
	static const struct message messages[] = {
		/* the two buffers of a 64 KiB write to an AF_UNIX stream socket */
		{ 3776, 32768, 3, 1, { 32768 }, 32768 },
		{ 320, 28672, 3, 3, { 16384, 8192, 4096 }, 28672 },
		{ 100, 0, 3, 0, { 0 }, 0 },
		{ 100, 1, 3, 1, { 1 }, 4096 },
		{ 100, 4096, 3, 1, { 4096 }, 4096 },
		{ 100, 28673, 3, 1, { 28673 }, 32768 }, /* PAGE_ALIGN() fills the last block */
		{ 100, 40000, 3, 2, { 32768, 7232 }, 32768 + 8192 },
		{ 100, 20000, 0, 5, { 4096, 4096, 4096, 4096, 3616 }, 20480 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		struct test test = { .message = &messages[i] };

		run_alone(alloc_one, &test);
	}
}

static void alloc_linear(struct page_rig *rig, struct task *task, void *arg)
{
	static const struct {
		uint32_t bytes, truesize;
		unsigned blocks; /* beside those of caches */
	} cases[] = {
		{ 320, 640 + 256, 0 },	   { 321, 1024 + 256, 0 },    { 704, 1024 + 256, 0 },
		{ 705, 2048 + 256, 0 },	   { 3776, 4096 + 256, 0 },   { 7872, 8192 + 256, 0 },
		{ 7873, 16384 + 256, 1 },  { 10256, 16384 + 256, 1 }, { 16064, 16384 + 256, 1 },
		{ 16065, 32768 + 256, 1 },
	};
	struct test *test = arg;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) /* caches have their slabs from now on */
		skb_free(test->pool, task, skb_alloc(test->pool, task, cases[i].bytes));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const uint64_t before = nr_allocs(rig);
		struct sk_buff *skb = skb_alloc(test->pool, task, cases[i].bytes);

		EXPECT(skb->truesize, cases[i].truesize);
		EXPECT(nr_allocs(rig) - before, cases[i].blocks);
		EXPECT(skb->len, 0);
		skb_free(test->pool, task, skb);
	}
	test->nr_held = skb_pool_pages(test->pool);
}

static void linear_data_come_from_caches_up_to_8_kib_and_from_pages_above(void **state)
{
	struct test test = { .nr_held = 0 };

	(void)state;
	run_alone(alloc_linear, &test);
}

/* ---- page fragments ---- */

/* What tcp_sendmsg_locked() does. */
static uint32_t append(struct test *test, struct task *task, struct sk_buff *skb, struct page_frag *frag,
		       uint32_t bytes)
{
	uint32_t appended = 0;

	while (appended < bytes) {
		uint32_t copied = 0;

		if (page_frag_refill(test->pool, task, frag))
			copied = skb_append(skb, frag, bytes - appended);
		if (!copied)
			break;
		appended += copied;
	}
	return appended;
}

static void cut_segments(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	struct page_frag frag = { 0 };
	struct sk_buff *first = skb_alloc(test->pool, task, MAX_TCP_HEADER_BYTES);
	struct sk_buff *second = skb_alloc(test->pool, task, MAX_TCP_HEADER_BYTES);
	const uint64_t before = nr_allocs(rig);

	/* two thirds of a block, then one and two thirds: three blocks, the middle one shared by both */
	EXPECT(append(test, task, first, &frag, 10000), 10000);
	EXPECT(append(test, task, first, &frag, 10000), 10000);
	EXPECT(first->nr_frags, 1); /* coalesced */
	EXPECT(append(test, task, second, &frag, 50000), 50000);
	EXPECT(second->nr_frags, 3);
	EXPECT(second->frags[0].bytes, 32768 - 20000);
	EXPECT(second->frags[1].bytes, 32768);
	EXPECT(nr_allocs(rig) - before, 3);
	EXPECT(second->truesize - first->truesize, 30000);
	skb_free(test->pool, task, first);
	skb_free(test->pool, task, second);
	/* the fragment still has its last block, which nobody else uses: it starts again from the front */
	first = skb_alloc(test->pool, task, MAX_TCP_HEADER_BYTES);
	EXPECT(append(test, task, first, &frag, 32768), 32768);
	EXPECT(first->nr_frags, 1);
	EXPECT(nr_allocs(rig) - before, 3);
	skb_free(test->pool, task, first);
	page_frag_put(test->pool, task, &frag);
	EXPECT(frag.block == NULL, true);
	test->nr_held = skb_pool_pages(test->pool);
}

static void segments_are_cut_from_blocks_of_32_kib(void **state)
{
	struct test test = { .nr_held = 0 };

	(void)state;
	run_alone(cut_segments, &test);
}

static void fill_slots(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	struct page_frag frag = { 0 };
	struct sk_buff *skb = skb_alloc(test->pool, task, 100);
	struct sk_buff *other = skb_alloc(test->pool, task, 100);

	for (int i = 0; i < MAX_SKB_FRAGS; i++) {
		EXPECT(append(test, task, skb, &frag, 10), 10);
		append(test, task, other, &frag, 10); /* lies between, so that nothing coalesces */
	}
	EXPECT(skb->nr_frags, MAX_SKB_FRAGS);
	EXPECT(append(test, task, skb, &frag, 10), 0);
	skb_free(test->pool, task, skb);
	skb_free(test->pool, task, other);
	page_frag_put(test->pool, task, &frag);
	test->nr_held = skb_pool_pages(test->pool);
}

static void a_buffer_without_a_free_slot_takes_nothing(void **state)
{
	struct test test = { .nr_held = 0 };

	(void)state;
	run_alone(fill_slots, &test);
}

/* ---- queues ---- */

static void use_queue(struct page_rig *rig, struct task *task, void *arg)
{
	struct test *test = arg;
	struct skb_queue queue = { 0 };

	EXPECT(skb_dequeue(&queue) == NULL, true);
	for (uint32_t i = 1; i <= 3; i++)
		skb_queue_tail(&queue, skb_alloc_with_frags(test->pool, task, 100, 1000 * i, 0));
	EXPECT(queue.nr, 3);
	EXPECT(queue.bytes, 6300);
	EXPECT(queue.truesize, 3 * (640 + 256 + 4096));
	for (uint32_t i = 1; i <= 3; i++) {
		struct sk_buff *skb = skb_dequeue(&queue);

		EXPECT(skb->len, 100 + 1000 * i);
		skb_free(test->pool, task, skb);
	}
	EXPECT(queue.nr + queue.bytes + queue.truesize, 0);
	EXPECT(skb_dequeue(&queue) == NULL, true);
	test->nr_held = skb_pool_pages(test->pool);
}

static void a_queue_is_first_in_first_out(void **state)
{
	struct test test = { .nr_held = 0 };

	(void)state;
	run_alone(use_queue, &test);
}

/* ---- two CPUs ---- */

struct handover {
	struct test test;
	struct sk_buff *skb;
	uint64_t elsewhere;
};

static void send_one(struct page_rig *rig, struct task *task, void *arg)
{
	struct handover *handover = arg;

	(void)rig;
	handover->skb = skb_alloc_with_frags(handover->test.pool, task, 100, 32768 + 4096, 3);
}

static void receive_one(struct page_rig *rig, struct task *task, void *arg)
{
	struct handover *handover = arg;

	(void)rig;
	skb_free(handover->test.pool, task, handover->skb);
	handover->elsewhere = skb_pool_freed_elsewhere(handover->test.pool);
	handover->test.nr_held = skb_pool_pages(handover->test.pool);
}

static void who_frees_is_told_from_who_allocated(void **state)
{
	static const struct {
		int receiver;
		uint64_t elsewhere;
	} cases[] = { { 1, 2 }, { 0, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct page_rig_setup setup = { 0 };
		struct handover handover = { .elsewhere = 0 };
		struct page_rig rig;

		page_rig_create(&rig, &setup);
		handover.test.pool = skb_pool_create(rig.rig.arena, rig.rig.machine, rig.alloc);
		page_rig_start(&rig, 0, NS(1), send_one, &handover);
		assert_int_equal(rig_run(&rig.rig, NULL), 0);
		page_rig_start(&rig, cases[i].receiver, PS_PER_MS, receive_one, &handover);
		assert_int_equal(page_rig_run(&rig, &handover.test.nr_held, NULL), 0);
		assert_int_equal(handover.elsewhere, cases[i].elsewhere);
		page_rig_destroy(&rig);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(paged_data_take_the_largest_blocks_that_they_fill),
		cmocka_unit_test(linear_data_come_from_caches_up_to_8_kib_and_from_pages_above),
		cmocka_unit_test(segments_are_cut_from_blocks_of_32_kib),
		cmocka_unit_test(a_buffer_without_a_free_slot_takes_nothing),
		cmocka_unit_test(a_queue_is_first_in_first_out),
		cmocka_unit_test(who_frees_is_told_from_who_allocated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
