/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A CPU's clock: it runs ahead over private work, and meets the engine when
 * others may look.
 */
#include "models/hardware/cpu.h"

#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <string.h>

struct notes {
	struct rig *rig;
	sim_ps dates[8]; /* what an actor noted, in its order */
	int nr;
};

static void note(struct notes *notes, sim_ps date)
{
	notes->dates[notes->nr++] = date;
}

static void work_and_sync(struct cpu *cpu, void *arg)
{
	struct notes *notes = arg;

	cpu_work(cpu, 500);
	cpu_work(cpu, 0);
	note(notes, cpu->date);
	note(notes, engine_now(cpu->engine));
	cpu_sync(cpu);
	note(notes, engine_now(cpu->engine));
	cpu_sync(cpu);
	note(notes, engine_now(cpu->engine));
}

static void work_moves_the_engine_only_at_a_sync(void **state)
{
	struct machine_config config = rig_machine(1);
	struct notes notes = { .nr = 0 };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	rig_start(&rig, 0, 100, work_and_sync, &notes);
	assert_int_equal(rig_run(&rig, NULL), 0);
	assert_int_equal(notes.dates[0], 600);
	assert_int_equal(notes.dates[1], 100);
	assert_int_equal(notes.dates[2], 600);
	assert_int_equal(notes.dates[3], 600);
	rig_destroy(&rig);
}

/* Noted by the sleeper: its clock before and after; by the waker: its clock after. */
static void sleep_once(struct cpu *cpu, void *arg)
{
	struct notes *notes = arg;

	cpu_work(cpu, 300);
	cpu_park(cpu, "the test");
	note(notes, cpu->date);
	note(notes, engine_now(cpu->engine));
}

static void wake_cpu_0(struct cpu *cpu, void *arg)
{
	const struct notes *notes = arg;

	cpu_work(cpu, 1000);
	cpu_wake(cpu, &notes->rig->cpus[0], 7);
}

static void a_sleeper_goes_on_after_its_wakers_clock_and_the_delay(void **state)
{
	struct machine_config config = rig_machine(1);
	struct notes notes = { .nr = 0 };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	notes.rig = &rig;
	rig_start(&rig, 0, 1, sleep_once, &notes);
	rig_start(&rig, 1, 1, wake_cpu_0, &notes);
	assert_int_equal(rig_run(&rig, NULL), 0);
	assert_int_equal(notes.dates[0], 1 + 1000 + 7);
	assert_int_equal(notes.dates[1], 1 + 1000 + 7);
	rig_destroy(&rig);
}

static void park_late(struct cpu *cpu, void *arg)
{
	struct notes *notes = arg;

	cpu_work(cpu, 5000);
	cpu_park(cpu, "a wake that came before");
	note(notes, cpu->date);
}

static void a_wake_before_the_sleep_is_not_lost(void **state)
{
	struct machine_config config = rig_machine(1);
	struct error err = { .text = "" };
	struct notes notes = { .nr = 0 };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	notes.rig = &rig;
	rig_start(&rig, 0, 1, park_late, &notes);
	rig_start(&rig, 1, 1, wake_cpu_0, &notes);
	assert_int_equal(rig_run(&rig, &err), 0);
	assert_int_equal(notes.dates[0], 5001);
	rig_destroy(&rig);
}

static void a_sleeper_that_nobody_wakes_is_a_deadlock(void **state)
{
	struct machine_config config = rig_machine(1);
	struct error err = { .text = "" };
	struct notes notes = { .nr = 0 };
	struct rig rig;

	(void)state;
	rig_create(&rig, &config, 1);
	rig_start(&rig, 3, 1, sleep_once, &notes);
	assert_int_equal(rig_run(&rig, &err), -1);
	assert_non_null(strstr(err.text, "cpu 3"));
	assert_non_null(strstr(err.text, "the test"));
	rig_destroy(&rig);
}

struct jitter_case {
	const char *what;
	uint32_t pct;
	bool core_shared, sibling_idle;
	sim_ps shortest, longest; /* of 20000 pieces of work of 1000 ps */
};

static void jittered_work_is_uniform_and_longer_beside_a_sibling(void **state)
{
	static const struct jitter_case cases[] = {
		{ "no jitter", 0, false, false, 1000, 1000 },
		{ "ten percent", 10, false, false, 900, 1100 },
		{ "a shared core", 0, true, false, 1325, 1325 },
		{ "a shared core, jitter", 20, true, false, 1060, 1590 },
		{ "a shared core whose sibling is idle", 20, true, true, 800, 1200 },
		{ "all of it", 100, false, false, 0, 2000 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct machine_config config = rig_machine(2);
		sim_ps shortest = SIM_PS_MAX, longest = 0;
		double sum = 0;
		struct cpu cpu;
		struct rig rig;

		config.core.smt_slowdown_pct = 32.5;
		rig_create(&rig, &config, 1);
		cpu = rig.cpus[0];
		cpu.core_shared = cases[i].core_shared;
		cpu.sibling_idle = cases[i].sibling_idle;
		for (int j = 0; j < 20000; j++) {
			cpu.date = 0;
			cpu_work_jittered(&cpu, 1000, cases[i].pct);
			shortest = ps_min(shortest, cpu.date);
			longest = ps_max(longest, cpu.date);
			sum += (double)cpu.date;
		}
		rig_destroy(&rig);
		if (shortest != cases[i].shortest || longest != cases[i].longest)
			print_error("%s\n", cases[i].what);
		assert_int_equal(shortest, cases[i].shortest);
		assert_int_equal(longest, cases[i].longest);
		assert_in_range((uint64_t)(sum / 20000), (uint64_t)(shortest + longest) / 2 - 12,
				(uint64_t)(shortest + longest) / 2 + 12);
	}
}

static void work_beside_a_sibling_and_back_loses_at_most_a_picosecond(void **state)
{
	static const double slowdowns_pct[] = { 0, 0.01, 32.5, 50, 99.99, 300 };
	static const sim_ps works[] = { 0, 1, 2, 3, 999, 1000, PS_PER_MS, 10 * PS_PER_S + 7 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(slowdowns_pct); i++) {
		struct machine_config config = rig_machine(2);
		struct rig rig;

		config.core.smt_slowdown_pct = slowdowns_pct[i];
		rig_create(&rig, &config, 1);
		for (size_t j = 0; j < ARRAY_SIZE(works); j++) {
			const sim_ps taken = cpu_time_beside_sibling(&rig.cpus[0], works[j]);
			const sim_ps back = cpu_work_beside_sibling(&rig.cpus[0], taken);

			assert_true(taken >= works[j]);
			assert_true(back <= works[j] && back >= works[j] - 1);
		}
		rig_destroy(&rig);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(work_moves_the_engine_only_at_a_sync),
		cmocka_unit_test(a_sleeper_goes_on_after_its_wakers_clock_and_the_delay),
		cmocka_unit_test(a_wake_before_the_sleep_is_not_lost),
		cmocka_unit_test(a_sleeper_that_nobody_wakes_is_a_deadlock),
		cmocka_unit_test(jittered_work_is_uniform_and_longer_beside_a_sibling),
		cmocka_unit_test(work_beside_a_sibling_and_back_loses_at_most_a_picosecond),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
