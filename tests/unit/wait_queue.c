/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The wait queue: its spinlock as MCS hands it over, sleepers by key in FIFO
 * order, and no wake-up lost whichever side comes first.
 */
#include "models/kernel/wait_queue.h"

#include "tests/support/rig.h"
#include "tests/support/unit.h"

struct queue_rig {
	struct rig rig;
	struct wait_queue_head *head;
};

static void queue_rig_create(struct queue_rig *queue)
{
	struct machine_config config = rig_machine(1);

	rig_create(&queue->rig, &config, 1);
	queue->head = wait_queue_create(queue->rig.arena, queue->rig.machine, queue->rig.engine, 0, 1);
}

/* One that enters the spinlock at a date and stays for a while. */
struct visitor {
	struct wait_queue_head *head;
	sim_ps at_ps, stay_ps;
	sim_ps entered_ps, left_ps; /* when it had the lock */
	int *nr_inside;
	int most_inside;
};

static void visit(struct cpu *cpu, void *arg)
{
	struct visitor *visitor = arg;

	cpu_work(cpu, visitor->at_ps - cpu->date);
	wait_queue_lock(visitor->head, cpu);
	visitor->entered_ps = cpu->date;
	visitor->most_inside = ++*visitor->nr_inside;
	cpu_work(cpu, visitor->stay_ps);
	cpu_sync(cpu);
	visitor->left_ps = cpu->date;
	--*visitor->nr_inside;
	wait_queue_unlock(visitor->head, cpu);
}

/* CPU 1 is near CPU 0, CPU 2 in another cluster, CPU 4 in the other socket: one transfer after the one before let go. */
static void the_spinlock_goes_on_in_order_one_transfer_after_its_release(void **state)
{
	static const int cpus[] = { 0, 1, 2, 4 };
	static const sim_ps transfers_ps[] = { 0, NS(20), NS(100), NS(200) };
	struct visitor visitors[4];
	struct queue_rig queue;
	int nr_inside = 0;

	(void)state;
	queue_rig_create(&queue);
	for (int i = 0; i < 4; i++) {
		visitors[i] =
			(struct visitor){ .head = queue.head, .at_ps = (i + 1) * PS_PER_US, .stay_ps = 10 * PS_PER_US };
		visitors[i].nr_inside = &nr_inside;
		rig_start(&queue.rig, cpus[i], 1, visit, &visitors[i]);
	}
	assert_int_equal(rig_run(&queue.rig, NULL), 0);
	assert_int_equal(visitors[0].entered_ps, PS_PER_US + NS(100)); /* one atomic, from home */
	for (int i = 1; i < 4; i++)
		assert_int_equal(visitors[i].entered_ps, visitors[i - 1].left_ps + transfers_ps[i]);
	for (int i = 0; i < 4; i++)
		assert_int_equal(visitors[i].most_inside, 1);
	assert_false(queue.head->locked);
	rig_destroy(&queue.rig);
}

/* The second comes at each ns around the first one's way out, also while that one's last store waits for the line. */
static void who_comes_while_the_holder_leaves_is_not_forgotten(void **state)
{
	(void)state;
	for (int ns = 0; ns < 300; ns++) {
		struct visitor visitors[2];
		struct queue_rig queue;
		int nr_inside = 0;

		queue_rig_create(&queue);
		for (int i = 0; i < 2; i++) {
			visitors[i] = (struct visitor){ .head = queue.head, .at_ps = PS_PER_US, .stay_ps = NS(150) };
			visitors[i].nr_inside = &nr_inside;
		}
		visitors[1].at_ps += NS(100 + ns);
		rig_start(&queue.rig, 0, 1, visit, &visitors[0]);
		rig_start(&queue.rig, 2, 1, visit, &visitors[1]);
		assert_int_equal(rig_run(&queue.rig, NULL), 0);
		assert_int_equal(visitors[1].most_inside, 1);
		assert_false(queue.head->locked);
		rig_destroy(&queue.rig);
	}
}

struct frequent {
	struct visitor visitor;
	int nr_visits;
};

static void visit_often(struct cpu *cpu, void *arg)
{
	struct frequent *frequent = arg;
	int most = 0;

	for (; frequent->nr_visits; frequent->nr_visits--) {
		frequent->visitor.at_ps = cpu->date + rng_between(&cpu->rng, 0, NS(500));
		visit(cpu, &frequent->visitor);
		most = frequent->visitor.most_inside > most ? frequent->visitor.most_inside : most;
	}
	frequent->visitor.most_inside = most;
}

static void the_spinlock_lets_one_in_and_loses_nobody(void **state)
{
	struct frequent frequents[8];
	struct queue_rig queue;
	int nr_inside = 0;

	(void)state;
	queue_rig_create(&queue);
	for (int i = 0; i < 8; i++) {
		frequents[i] =
			(struct frequent){ .visitor = { .head = queue.head, .stay_ps = NS(20) }, .nr_visits = 100 };
		frequents[i].visitor.nr_inside = &nr_inside;
		rig_start(&queue.rig, i, 1, visit_often, &frequents[i]);
	}
	assert_int_equal(rig_run(&queue.rig, NULL), 0);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(frequents[i].nr_visits, 0);
		assert_int_equal(frequents[i].visitor.most_inside, 1);
	}
	assert_false(queue.head->locked);
	rig_destroy(&queue.rig);
}

/* Whether each step found what it should, in turn. */
struct list_notes {
	struct wait_queue_head *head;
	bool right[16];
	int nr;
};

static void expect(struct list_notes *notes, const void *key, const struct wait_queue_entry *entry)
{
	notes->right[notes->nr++] = wait_queue_find(notes->head, key) == entry;
}

static void add_and_remove(struct cpu *cpu, void *arg)
{
	static const char a = 'a', b = 'b';
	struct list_notes *notes = arg;
	struct wait_queue_entry entries[4] = { { .key = &a }, { .key = &b }, { .key = &a }, { .key = &b } };

	wait_queue_lock(notes->head, cpu);
	expect(notes, &a, NULL);
	for (int i = 0; i < 4; i++)
		wait_queue_add(notes->head, cpu, &entries[i]);
	expect(notes, &a, &entries[0]);
	expect(notes, &b, &entries[1]);
	wait_queue_remove(notes->head, cpu, &entries[1]); /* from the middle */
	expect(notes, &a, &entries[0]);
	expect(notes, &b, &entries[3]);
	wait_queue_remove(notes->head, cpu, &entries[3]); /* from the end */
	expect(notes, &b, NULL);
	wait_queue_add(notes->head, cpu, &entries[1]);
	expect(notes, &b, &entries[1]);
	wait_queue_remove(notes->head, cpu, &entries[0]); /* from the front */
	expect(notes, &a, &entries[2]);
	wait_queue_remove(notes->head, cpu, &entries[2]);
	wait_queue_remove(notes->head, cpu, &entries[1]);
	expect(notes, &a, NULL);
	expect(notes, &b, NULL);
	wait_queue_add(notes->head, cpu, &entries[3]); /* to one that has become empty */
	expect(notes, &b, &entries[3]);
	wait_queue_unlock(notes->head, cpu);
}

static void sleepers_are_found_by_key_in_fifo_order(void **state)
{
	struct list_notes notes = { .nr = 0 };
	struct queue_rig queue;

	(void)state;
	queue_rig_create(&queue);
	notes.head = queue.head;
	rig_start(&queue.rig, 0, 1, add_and_remove, &notes);
	assert_int_equal(rig_run(&queue.rig, NULL), 0);
	assert_int_equal(notes.nr, 11);
	for (int i = 0; i < notes.nr; i++)
		assert_true(notes.right[i]);
	rig_destroy(&queue.rig);
}

#define SECOND_WAKE_PS NS(2000)

/* A sleeper goes to sleep at one date and is woken at another; and sleeps again until SECOND_WAKE_PS. */
struct nap {
	struct wait_queue_entry entry, second;
	sim_ps sleep_at_ps, wake_at_ps, latency_ps;
	sim_ps up_ps, second_up_ps;
};

static void take_nap(struct cpu *cpu, void *arg)
{
	struct nap *nap = arg;

	nap->entry.cpu = nap->second.cpu = cpu;
	cpu_work(cpu, nap->sleep_at_ps - cpu->date);
	wait_queue_sleep(&nap->entry, "the end of a nap");
	nap->up_ps = cpu->date;
	wait_queue_sleep(&nap->second, "the end of another");
	nap->second_up_ps = cpu->date;
}

static void end_nap(struct cpu *cpu, void *arg)
{
	struct nap *nap = arg;

	cpu_work(cpu, nap->wake_at_ps - cpu->date);
	wait_queue_wake(cpu, &nap->entry, nap->latency_ps);
	cpu_work(cpu, SECOND_WAKE_PS - cpu->date);
	wait_queue_wake(cpu, &nap->second, 1);
}

static void a_sleeper_runs_the_latency_after_its_wake_whichever_came_first(void **state)
{
	static const struct nap naps[] = {
		{ .sleep_at_ps = NS(100), .wake_at_ps = NS(500), .latency_ps = NS(50), .up_ps = NS(550) },
		{ .sleep_at_ps = NS(100), .wake_at_ps = NS(100), .latency_ps = NS(50), .up_ps = NS(150) },
		{ .sleep_at_ps = NS(500), .wake_at_ps = NS(100), .latency_ps = NS(50), .up_ps = NS(500) },
		{ .sleep_at_ps = NS(120), .wake_at_ps = NS(100), .latency_ps = NS(50), .up_ps = NS(150) },
		{ .sleep_at_ps = NS(150), .wake_at_ps = NS(100), .latency_ps = NS(50), .up_ps = NS(150) },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(naps); i++) {
		struct nap nap = naps[i / 2];
		int sleeper = (int)(i % 2); /* before and after its waker at equal dates */
		struct queue_rig queue;

		queue_rig_create(&queue);
		rig_start(&queue.rig, sleeper, 1, take_nap, &nap);
		rig_start(&queue.rig, !sleeper, 1, end_nap, &nap);
		assert_int_equal(rig_run(&queue.rig, NULL), 0);
		assert_int_equal(nap.up_ps, naps[i / 2].up_ps);
		assert_int_equal(nap.second_up_ps, SECOND_WAKE_PS + 1);
		rig_destroy(&queue.rig);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_spinlock_goes_on_in_order_one_transfer_after_its_release),
		cmocka_unit_test(who_comes_while_the_holder_leaves_is_not_forgotten),
		cmocka_unit_test(the_spinlock_lets_one_in_and_loses_nobody),
		cmocka_unit_test(sleepers_are_found_by_key_in_fifo_order),
		cmocka_unit_test(a_sleeper_runs_the_latency_after_its_wake_whichever_came_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
