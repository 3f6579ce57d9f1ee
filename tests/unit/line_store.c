/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stores that a CPU does not wait for: what it does meanwhile, and what it must
 * not do before they are through.
 */
#include "models/hardware/line.h"

#include "tests/support/rig.h"
#include "tests/support/unit.h"

/* CPU 4 has the line at 1 us and CPU 0 posts to it at 2 us: there at 2.195, the store through 2 ns later. */
#define POSTED_PS (2 * PS_PER_US)
#define ARRIVES_PS (POSTED_PS + NS(195))
#define THROUGH_PS (ARRIVES_PS + NS(2))

struct posting {
	struct line *line, *other;
	int nr_stores;
	char then; /* what follows: 'r'ead, 'w'rite or 'a'tomic of the line, capital: of the other one; 0: nothing */
	bool owned; /* CPU 0 has the line itself */
	uint64_t value; /* read or found by the atomic */
	sim_ps posted_ps, done_ps;
	uint64_t seen_before, seen_after; /* by an onlooker, just before it arrives and at that date */
};

static void own(struct cpu *cpu, void *arg)
{
	const struct posting *posting = arg;

	line_write(cpu, posting->line, 1, 1);
}

static void then_do(struct cpu *cpu, struct posting *posting)
{
	switch (posting->then) {
	case 'r':
		posting->value = line_read(cpu, posting->line, 0);
		break;
	case 'R':
		posting->value = line_read(cpu, posting->other, 0);
		break;
	case 'w':
		line_write(cpu, posting->line, 2, 1);
		break;
	case 'W':
		line_write(cpu, posting->other, 2, 1);
		break;
	case 'a':
		posting->value = line_fetch_add(cpu, posting->line, 0, 1);
		break;
	case 'A':
		posting->value = line_fetch_add(cpu, posting->other, 0, 1);
		break;
	default:
		break;
	}
}

static void post(struct cpu *cpu, void *arg)
{
	struct posting *posting = arg;

	line_write(cpu, posting->other, 1, 1); /* here from now on */
	if (posting->owned)
		line_write(cpu, posting->line, 1, 1);
	cpu_work(cpu, POSTED_PS - cpu->date);
	for (int i = 0; i < posting->nr_stores; i++)
		line_post_bits(cpu, posting->line, 0, UINT64_C(0xff) << (8 * i), UINT64_MAX);
	posting->posted_ps = cpu->date;
	then_do(cpu, posting);
	posting->done_ps = cpu->date;
}

static void look_on(struct cpu *cpu, void *arg)
{
	struct posting *posting = arg;

	cpu_work(cpu, ARRIVES_PS - 1 - cpu->date);
	cpu_sync(cpu);
	posting->seen_before = line_peek(posting->line, 0);
	cpu_work(cpu, 1);
	cpu_sync(cpu);
	posting->seen_after = line_peek(posting->line, 0);
}

static int run_posting(struct posting *posting)
{
	struct machine_config config = rig_machine(1);
	struct rig rig;
	int transactions;

	rig_create(&rig, &config, 1);
	posting->line = rig_line(&rig, 0);
	posting->other = rig_line(&rig, 0);
	if (!posting->owned)
		rig_start(&rig, 4, PS_PER_US, own, posting);
	rig_start(&rig, 0, 1, post, posting);
	rig_start(&rig, OBSERVER, 1, look_on, posting);
	assert_int_equal(rig_run(&rig, NULL), 0);
	transactions = (int)(rig.cpus[0].counters.transactions[DISTANCE_REMOTE]);
	rig_destroy(&rig);
	return transactions;
}

static void a_cpu_goes_on_while_its_stores_wait_for_the_line(void **state)
{
	(void)state;
	for (int nr = 1; nr <= 4; nr++) {
		struct posting posting = { .nr_stores = nr };

		assert_int_equal(run_posting(&posting), 1);
		assert_int_equal(posting.posted_ps, POSTED_PS + nr * NS(2));
		assert_int_equal(posting.seen_before, 0);
		assert_int_equal(posting.seen_after, (UINT64_C(1) << (8 * nr)) - 1);
	}
}

static void a_fifth_store_waits_for_the_others(void **state)
{
	struct posting posting = { .nr_stores = 5 };

	(void)state;
	assert_int_equal(run_posting(&posting), 1);
	assert_int_equal(posting.seen_after, 0xffffffff);
	assert_int_equal(posting.posted_ps, ARRIVES_PS + 4 * NS(2) + NS(2));
}

struct then_case {
	char then;
	sim_ps done_ps;
	uint64_t value;
};

static void what_must_come_after_a_store_waits_for_it(void **state)
{
	static const struct then_case cases[] = {
		{ 'r', THROUGH_PS + NS(1), 0xff }, /* its own store */
		{ 'w', THROUGH_PS + NS(2), 0 },	       { 'a', THROUGH_PS + NS(5), 0xff },
		{ 'R', POSTED_PS + NS(2) + NS(1), 0 }, /* loads overtake stores */
		{ 'W', THROUGH_PS + NS(2), 0 },	       { 'A', THROUGH_PS + NS(5), 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct posting posting = { .nr_stores = 1, .then = cases[i].then };

		run_posting(&posting);
		assert_int_equal(posting.posted_ps, POSTED_PS + NS(2));
		assert_int_equal(posting.done_ps, cases[i].done_ps);
		assert_int_equal(posting.value, cases[i].value);
	}
}

static void a_store_to_a_line_that_is_here_takes_effect_at_once(void **state)
{
	struct posting posting = { .nr_stores = 3, .then = 'a', .owned = true };

	(void)state;
	assert_int_equal(run_posting(&posting), 0);
	assert_int_equal(posting.posted_ps, POSTED_PS + 3 * NS(2));
	assert_int_equal(posting.done_ps, POSTED_PS + 3 * NS(2) + NS(5));
	assert_int_equal(posting.value, 0xffffff);
	assert_int_equal(posting.seen_before, 0x1000000);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_goes_on_while_its_stores_wait_for_the_line),
		cmocka_unit_test(a_fifth_store_waits_for_the_others),
		cmocka_unit_test(what_must_come_after_a_store_waits_for_it),
		cmocka_unit_test(a_store_to_a_line_that_is_here_takes_effect_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
