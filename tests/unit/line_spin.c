/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spinning on a line: no look is missed, none is made in vain, and the date of
 * each is the one at which a CPU that polls all the time would look.
 */
#include "models/hardware/line.h"

#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <string.h>

struct spinner {
	struct line *line;
	uint64_t wanted;
	int nr_looks;
	sim_ps back_ps[16]; /* when line_await_change returned */
	sim_ps seen_ps;
};

static void spin(struct cpu *cpu, void *arg)
{
	struct spinner *spinner = arg;
	uint64_t seen;

	while ((seen = line_read(cpu, spinner->line, 0)) != spinner->wanted) {
		line_await_change(cpu, spinner->line, 0, seen, "the word of the test");
		spinner->back_ps[spinner->nr_looks++] = cpu->date;
	}
	spinner->seen_ps = cpu->date;
}

struct writer {
	struct line *line;
	int word;
	sim_ps at_ps;
	uint64_t values[4]; /* stored one after the other, until 0 */
	bool atomic;
	sim_ps done_ps;
};

static void store(struct cpu *cpu, void *arg)
{
	struct writer *writer = arg;

	cpu_work(cpu, writer->at_ps - cpu->date);
	for (int i = 0; i < 4 && writer->values[i]; i++) {
		if (writer->atomic)
			line_swap(cpu, writer->line, writer->word, writer->values[i]);
		else
			line_write(cpu, writer->line, writer->word, writer->values[i]);
	}
	writer->done_ps = cpu->date;
}

static int transactions_of(const struct cpu *cpu)
{
	uint64_t sum = 0;

	for (int distance = 0; distance < NR_DISTANCES; distance++)
		sum += cpu->counters.transactions[distance];
	return (int)sum;
}

struct remote_case {
	int writer_cpu;
	sim_ps lose_ps; /* after the request of the writer */
	sim_ps seen_ps;
};

/* The line comes from home to CPU 0 at 1 us; CPU n writes at 2 us. */
static void a_spinner_looks_again_when_its_copy_is_lost(void **state)
{
	/*
	 * the read waits until the line is free again, and ends with its load:
	 * 2 latencies less the atomic's 5 ns, plus 1
	 */
	static const struct remote_case cases[] = {
		{ 1, NS(2), NS(2 * 20 - 5 + 1) }, /* same cluster */
		{ 2, NS(25), NS(2 * 100 - 5 + 1) }, /* same socket */
		{ 4, NS(50), NS(2 * 200 - 5 + 1) },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct machine_config config = rig_machine(1);
		struct spinner spinner = { .wanted = 1 };
		struct writer writer = { .at_ps = 2 * PS_PER_US, .values = { 1 } };
		struct rig rig;

		rig_create(&rig, &config, 1);
		spinner.line = writer.line = rig_line(&rig, 0);
		rig_start(&rig, 0, PS_PER_US, spin, &spinner);
		rig_start(&rig, cases[i].writer_cpu, 1, store, &writer);
		assert_int_equal(rig_run(&rig, NULL), 0);
		assert_int_equal(spinner.nr_looks, 1);
		assert_int_equal(spinner.back_ps[0], 2 * PS_PER_US + cases[i].lose_ps);
		assert_int_equal(spinner.seen_ps, 2 * PS_PER_US + cases[i].seen_ps);
		assert_int_equal(transactions_of(&rig.cpus[0]), 2);
		rig_destroy(&rig);
	}
}

static void a_write_to_another_word_is_looked_at_too(void **state)
{
	struct machine_config config = rig_machine(1);
	struct spinner spinner = { .wanted = 1 };
	struct writer other = { .at_ps = 2 * PS_PER_US, .word = 1, .values = { 7 } };
	struct writer writer = { .at_ps = 3 * PS_PER_US, .values = { 1 } };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	spinner.line = other.line = writer.line = rig_line(&rig, 0);
	rig_start(&rig, 0, 1, spin, &spinner);
	rig_start(&rig, 2, 1, store, &other);
	rig_start(&rig, 4, 1, store, &writer);
	assert_int_equal(rig_run(&rig, NULL), 0);
	assert_int_equal(spinner.nr_looks, 2);
	assert_int_equal(transactions_of(&rig.cpus[0]), 3);
	rig_destroy(&rig);
}

/* No event of the spinner's own for a second; others that read do not disturb it. */
static void reads_of_others_do_not_wake_a_spinner(void **state)
{
	struct machine_config config = rig_machine(1);
	struct spinner spinner = { .wanted = 1 }, other = { .wanted = 1 };
	struct writer writer = { .at_ps = PS_PER_S, .values = { 1 } };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	spinner.line = other.line = writer.line = rig_line(&rig, 0);
	rig_start(&rig, 0, 1, spin, &spinner);
	rig_start(&rig, 5, PS_PER_US, spin, &other);
	rig_start(&rig, 3, 1, store, &writer);
	assert_int_equal(rig_run(&rig, NULL), 0);
	assert_int_equal(spinner.nr_looks, 1);
	assert_int_equal(other.nr_looks, 1);
	rig_destroy(&rig);
}

static void a_siblings_write_is_seen_when_it_has_taken_effect(void **state)
{
	struct machine_config config = rig_machine(2);
	struct spinner spinner = { .wanted = 3 };
	struct writer writer = { .at_ps = 2 * PS_PER_US, .values = { 1, 2, 3 } };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	spinner.line = writer.line = rig_line(&rig, 0);
	rig_start(&rig, 0, 1, spin, &spinner);
	rig_start(&rig, 8, 1, store, &writer);
	assert_int_equal(rig_run(&rig, NULL), 0);
	assert_in_range(spinner.nr_looks, 1, 3);
	assert_in_range(spinner.seen_ps, writer.done_ps, writer.done_ps + NS(2));
	assert_int_equal(transactions_of(&rig.cpus[0]), 1); /* the copy stays */
	rig_destroy(&rig);
}

/* A copy that another core has as well: the sibling's write is a transaction, in which the core keeps its copy. */
static void a_siblings_write_to_a_shared_line_is_seen(void **state)
{
	struct machine_config config = rig_machine(2);
	struct spinner spinner = { .wanted = 1 }, other = { .wanted = 1 };
	struct writer writer = { .at_ps = 2 * PS_PER_US, .values = { 1 } };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	spinner.line = other.line = writer.line = rig_line(&rig, 0);
	rig_start(&rig, 0, 1, spin, &spinner);
	rig_start(&rig, 6, PS_PER_US, spin, &other);
	rig_start(&rig, 8, 1, store, &writer);
	assert_int_equal(rig_run(&rig, NULL), 0);
	assert_in_range(spinner.seen_ps, writer.done_ps, writer.done_ps + NS(2));
	assert_true(other.seen_ps > writer.done_ps);
	rig_destroy(&rig);
}

/* The word changes when the answer is back at the CPU that asked, long after the copies were lost. */
static void an_atomic_at_the_home_is_seen(void **state)
{
	(void)state;
	for (int cpu = 1; cpu < 8; cpu++) {
		struct machine_config config = rig_machine(1);
		struct spinner spinner = { .wanted = 1 };
		struct writer writer = { .at_ps = 2 * PS_PER_US, .values = { 1 }, .atomic = true };
		struct rig rig;

		config.line.far_atomics = true;
		rig_create(&rig, &config, 1);
		spinner.line = writer.line = rig_line(&rig, 0);
		rig_start(&rig, 0, 1, spin, &spinner);
		rig_start(&rig, cpu, 1, store, &writer);
		assert_int_equal(rig_run(&rig, NULL), 0);
		assert_in_range(spinner.seen_ps, writer.done_ps - NS(5), writer.done_ps + NS(200));
		rig_destroy(&rig);
	}
}

struct late {
	struct line *line;
	sim_ps seen_after_ps; /* works this long between its look and the spinning */
	sim_ps back_ps;
};

static void spin_late(struct cpu *cpu, void *arg)
{
	struct late *late = arg;
	uint64_t seen = line_read(cpu, late->line, 0);

	cpu_work(cpu, late->seen_after_ps);
	line_await_change(cpu, late->line, 0, seen, "the word of the test");
	late->back_ps = cpu->date;
}

/* CPU 4 asks at 2 us and CPU 0 loses its copy 50 ns later. */
static void a_change_before_the_spinning_began_is_not_missed(void **state)
{
	static const sim_ps begins_ns[] = { 1000, 1990, 2000, 2001, 2040, 2049, 2051, 2100, 3000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(begins_ns); i++) {
		struct machine_config config = rig_machine(1);
		struct writer writer = { .at_ps = 2 * PS_PER_US, .values = { 1 } };
		const sim_ps begin = begins_ns[i] * PS_PER_NS;
		struct late late;
		struct rig rig;

		rig_create(&rig, &config, 1);
		late.line = writer.line = rig_line(&rig, 0);
		late.seen_after_ps = begin - NS(100 - 5 + 1) - 1; /* the line comes from home first */
		rig_start(&rig, 0, 1, spin_late, &late);
		rig_start(&rig, 4, 1, store, &writer);
		assert_int_equal(rig_run(&rig, NULL), 0);
		assert_int_equal(late.back_ps, begin > NS(2050) ? begin : NS(2050));
		rig_destroy(&rig);
	}
}

static void a_spinner_that_nobody_wakes_is_a_deadlock_with_its_reason(void **state)
{
	struct machine_config config = rig_machine(1);
	struct spinner spinner = { .wanted = 1 };
	struct error err = { .text = "" };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	spinner.line = rig_line(&rig, 0);
	rig_start(&rig, 3, 1, spin, &spinner);
	assert_int_equal(rig_run(&rig, &err), -1);
	assert_non_null(strstr(err.text, "cpu 3"));
	assert_non_null(strstr(err.text, "the word of the test"));
	rig_destroy(&rig);
}

struct bits {
	struct line *line;
	uint64_t old;
};

static void write_bits(struct cpu *cpu, void *arg)
{
	struct bits *bits = arg;

	line_write_bits(cpu, bits->line, 0, 0xff00, 0xabcdef);
	bits->old = line_swap_bits(cpu, bits->line, 0, 0xff, 0x123456);
}

static void narrow_stores_and_swaps_leave_the_other_bits(void **state)
{
	struct machine_config config = rig_machine(1);
	struct bits bits;
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	bits.line = rig_line(&rig, 0);
	line_poke(bits.line, 0, 0x111111);
	rig_start(&rig, 0, 1, write_bits, &bits);
	assert_int_equal(rig_run(&rig, NULL), 0);
	assert_int_equal(bits.old, 0x11cd11);
	assert_int_equal(line_peek(bits.line, 0), 0x11cd56);
	assert_int_equal(rig.cpus[0].date,
			 1 + NS(100 - 5 + 2) + NS(5)); /* as a store from home and an atomic that hits */
	rig_destroy(&rig);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_spinner_looks_again_when_its_copy_is_lost),
		cmocka_unit_test(a_write_to_another_word_is_looked_at_too),
		cmocka_unit_test(reads_of_others_do_not_wake_a_spinner),
		cmocka_unit_test(a_siblings_write_is_seen_when_it_has_taken_effect),
		cmocka_unit_test(a_siblings_write_to_a_shared_line_is_seen),
		cmocka_unit_test(an_atomic_at_the_home_is_seen),
		cmocka_unit_test(a_change_before_the_spinning_began_is_not_missed),
		cmocka_unit_test(a_spinner_that_nobody_wakes_is_a_deadlock_with_its_reason),
		cmocka_unit_test(narrow_stores_and_swaps_leave_the_other_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
