/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Processes: what one takes from fork to exit, in what order it goes back, and
 * on which CPU; tasks alone on their CPUs, without a scheduler.
 */
#include "models/kernel/process.h"

#include "tests/support/page_rig.h"
#include "tests/support/unit.h"

struct process_test_params {
	struct process_params process;
};

static const struct param process_table[] = {
	PROCESS_PARAMS(struct process_test_params, process),
	PARAM_END,
};

/* One life, by the tasks of one or two CPUs. */
struct life {
	struct page_rig rig;
	struct processes *processes;
	struct process process;
	uint32_t mapped;
	struct process_run run;
	uint64_t allocs_at_exit; /* blocks */
	sim_ps user_ps, exit_ps;
	bool stopped;
	uint64_t nr_held;
};

static void life_create(struct life *life, const char *values)
{
	static const struct page_rig_setup setup = { .seed = 1 };
	struct process_site site = { .stopped = &life->stopped };

	page_rig_create(&life->rig, &setup);
	site.arena = life->rig.rig.arena;
	site.page_alloc = life->rig.alloc;
	site.params = rig_params(&life->rig.rig, process_table, sizeof(struct process_test_params), values);
	site.nr_cpus = machine_nr_cpus(life->rig.rig.machine);
	life->processes = processes_create(&site);
}

static uint64_t nr_allocs(const struct life *life)
{
	struct page_alloc_counters counters;

	page_alloc_counters(life->rig.alloc, &counters);
	return counters.allocs;
}

static void live(struct life *life, struct task *task)
{
	process_fork(life->processes, task, &life->process);
	process_exec(life->processes, task, &life->process, life->mapped);
	process_run(life->processes, task, &life->process, &life->run);
}

static void die(struct life *life, struct task *task)
{
	const uint64_t before = nr_allocs(life);
	const sim_ps began = task->cpu->date;

	process_exit(life->processes, task, &life->process);
	life->allocs_at_exit = nr_allocs(life) - before;
	life->exit_ps = task->cpu->date - began;
	life->user_ps = task->user_ps;
	life->nr_held = processes_held_pages(life->processes);
}

static void live_and_die(struct page_rig *rig, struct task *task, void *arg)
{
	(void)rig;
	live(arg, task);
	die(arg, task);
}

/* The block that a CPU freed last, off its pcp. */
static pfn_t freed_last(struct life *life, int cpu, enum migratetype migratetype)
{
	struct per_cpu_pages *pcp = page_rig_pcp(&life->rig, 0, cpu);
	pfn_t pfn = NO_PAGE;

	pcp_list_pop_head(&pcp->lists[order_to_pindex(migratetype, 0)], &pfn, 1);
	return pfn;
}

static void user_pages_are_freed_in_the_order_of_their_use(void **state)
{
	struct life life = { .run = { .pages = 40, .user_ps = PS_PER_MS } };

	(void)state;
	life_create(&life, "table_delay_ns 0");
	page_rig_run_alone(&life.rig, live_and_die, &life, &life.nr_held);
	for (int page = 40; page-- > 0;)
		assert_int_equal(freed_last(&life, 0, MIGRATE_MOVABLE), life.process.pages[page]);
	page_rig_destroy(&life.rig);
}

static void page_tables_follow_and_the_pgd_comes_last(void **state)
{
	struct life life = { .run = { .pages = 40, .tables = 10 } };

	(void)state;
	life_create(&life, "table_delay_ns 0");
	page_rig_run_alone(&life.rig, live_and_die, &life, &life.nr_held);
	assert_int_equal(freed_last(&life, 0, MIGRATE_UNMOVABLE), life.process.pgd);
	assert_int_not_equal(freed_last(&life, 0, MIGRATE_UNMOVABLE),
			     life.process.tables[12]); /* the page of mmu_gather */
	for (int table = 13; table-- > 0;)
		assert_int_equal(freed_last(&life, 0, MIGRATE_UNMOVABLE), life.process.tables[table]);
	page_rig_destroy(&life.rig);
}

static void page_table_isolation_makes_the_pgd_an_order_1_block(void **state)
{
	struct life life = { .run = { .pages = 8 } };
	pfn_t pfn;

	(void)state;
	life_create(&life, "table_delay_ns 0 pgd_order 1");
	page_rig_run_alone(&life.rig, live_and_die, &life, &life.nr_held);
	pcp_list_pop_head(&page_rig_pcp(&life.rig, 0, 0)->lists[order_to_pindex(MIGRATE_UNMOVABLE, 1)], &pfn, 1);
	assert_int_equal(pfn, life.process.pgd);
	page_rig_destroy(&life.rig);
}

/* ---- mmu_gather ---- */

struct gathering {
	uint32_t mapped, pages;
	uint64_t gather_pages;
};

static void exit_takes_a_page_of_mmu_gather_per_510_entries_and_at_most_19(void **state)
{
	static const struct gathering cases[] = {
		{ 0, 8, 0 },	 { 0, 9, 1 },	  { 4, 4, 0 },	      { 5, 4, 1 },	  { 100, 418, 1 },
		{ 100, 419, 2 }, { 9690, 8, 19 }, { 9000, 2000, 19 }, { 25000, 100, 19 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct life life = { .mapped = cases[i].mapped, .run = { .pages = cases[i].pages } };

		life_create(&life, "table_delay_ns 0");
		page_rig_run_alone(&life.rig, live_and_die, &life, &life.nr_held);
		assert_int_equal(life.allocs_at_exit, cases[i].gather_pages);
		page_rig_destroy(&life.rig);
	}
}

static void exit_takes_as_long_as_its_pages_say(void **state)
{
	struct life life = { .mapped = 1000, .run = { .pages = 0 } };

	(void)state;
	life_create(&life, "table_delay_ns 0 exit_ns 5000 unmap_ns 100 release_ns 150");
	page_rig_run_alone(&life.rig, live_and_die, &life, &life.nr_held);
	assert_in_range(life.exit_ps, NS(5000 + 1000 * 250), NS(5000 + 1000 * 250 + 5000));
	page_rig_destroy(&life.rig);
}

/* ---- page tables by RCU ---- */

static void live_twice(struct page_rig *rig, struct task *task, void *arg)
{
	struct life *life = arg;

	live_and_die(rig, task, life);
	page_rig_expect(rig, __LINE__, (int64_t)processes_held_pages(life->processes), 4 + 13 + 1);
	cpu_work(task->cpu, NS(9000));
	process_fork(life->processes, task, &life->process);
	page_rig_expect(rig, __LINE__, (int64_t)processes_held_pages(life->processes), 13 + 1);
	die(life, task);
	cpu_work(task->cpu, NS(2000));
	process_fork(life->processes, task, &life->process);
	page_rig_expect(rig, __LINE__, (int64_t)processes_held_pages(life->processes), 1); /* of the second exit */
	die(life, task);
}

static void page_tables_are_freed_a_grace_period_after_the_exit(void **state)
{
	struct life life = { .run = { .pages = 40, .tables = 10 } };

	(void)state;
	life_create(&life, "table_delay_ns 10000 fork_ns 0 exit_ns 0");
	page_rig_run_alone(&life.rig, live_twice, &life, &life.nr_held);
	page_rig_destroy(&life.rig);
}

static void finish_both(struct page_rig *rig, struct task *task, void *arg)
{
	struct life *life = arg;

	live_and_die(rig, task, life);
	processes_finish(life->processes, task, 2);
	page_rig_expect(rig, __LINE__, (int64_t)processes_held_pages(life->processes), 4 + 13 + 1);
	processes_finish(life->processes, task, 2);
	page_rig_expect(rig, __LINE__, (int64_t)processes_held_pages(life->processes), 4);
	life->nr_held = processes_held_pages(life->processes);
}

static void the_last_task_frees_what_rcu_still_has(void **state)
{
	struct life life = { .run = { .pages = 40, .tables = 10 } };

	(void)state;
	life_create(&life, "");
	page_rig_run_alone(&life.rig, finish_both, &life, &life.nr_held);
	page_rig_destroy(&life.rig);
}

/* ---- kernel stacks ---- */

static void fork_three(struct page_rig *rig, struct task *task, void *arg)
{
	struct life *life = arg;
	struct process children[3] = { { 0 } };
	const uint64_t before = nr_allocs(life);

	for (int i = 0; i < 3; i++)
		process_fork(life->processes, task, &children[i]);
	page_rig_expect(rig, __LINE__, (int64_t)(nr_allocs(life) - before), 3 * 4);
	for (int i = 0; i < 3; i++)
		process_exit(life->processes, task, &children[i]);
	page_rig_expect(rig, __LINE__, (int64_t)processes_held_pages(life->processes), 2 * 4);
	process_fork(life->processes, task, &children[0]);
	page_rig_expect(rig, __LINE__, (int64_t)(nr_allocs(life) - before), 3 * 4);
	process_exit(life->processes, task, &children[0]);
	life->nr_held = processes_held_pages(life->processes);
}

static void a_cpu_keeps_two_kernel_stacks(void **state)
{
	struct life life = { .nr_held = 0 };

	(void)state;
	life_create(&life, "table_delay_ns 0");
	page_rig_run_alone(&life.rig, fork_three, &life, &life.nr_held);
	page_rig_destroy(&life.rig);
}

/* ---- CPUs and time ---- */

static void live_here(struct page_rig *rig, struct task *task, void *arg)
{
	(void)rig;
	live(arg, task);
}

static void run_again_and_die_here(struct page_rig *rig, struct task *task, void *arg)
{
	struct life *life = arg;
	const struct process_run run = { .pages = 600 };

	(void)rig;
	process_run(life->processes, task, &life->process, &run);
	die(life, task);
}

static void pages_freed_elsewhere_are_counted_by_the_cpu_that_allocated_them(void **state)
{
	struct life life = { .run = { .pages = 1000 } };
	struct error err;

	(void)state;
	life_create(&life, "table_delay_ns 0");
	page_rig_start(&life.rig, 0, 1, live_here, &life);
	page_rig_start(&life.rig, 1, PS_PER_S, run_again_and_die_here, &life);
	assert_int_equal(page_rig_run(&life.rig, &life.nr_held, &err), 0);
	assert_int_equal(processes_counters(life.processes)->pages_freed, 1600);
	assert_int_equal(processes_counters(life.processes)->pages_freed_elsewhere, 1000);
	page_rig_destroy(&life.rig);
}

static void faults_are_spread_over_the_user_code(void **state)
{
	struct life life = { .run = { .pages = 1000, .tables = 7, .user_ps = 30 * PS_PER_MS } };

	(void)state;
	life_create(&life, "fork_ns 0 exec_ns 0 fault_ns 1000");
	page_rig_run_alone(&life.rig, live_and_die, &life, &life.nr_held);
	assert_int_equal(life.user_ps, 30 * PS_PER_MS);
	assert_int_equal(processes_counters(life.processes)->pages_freed, 1000);
	page_rig_destroy(&life.rig);
}

static void a_run_that_is_over_takes_no_more_pages(void **state)
{
	struct life life = { .run = { .pages = 1000, .user_ps = PS_PER_MS }, .stopped = true };

	(void)state;
	life_create(&life, "");
	page_rig_run_alone(&life.rig, live_and_die, &life, &life.nr_held);
	assert_int_equal(processes_counters(life.processes)->pages_freed, 0);
	assert_int_equal(life.user_ps, 0);
	page_rig_destroy(&life.rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(user_pages_are_freed_in_the_order_of_their_use),
		cmocka_unit_test(page_tables_follow_and_the_pgd_comes_last),
		cmocka_unit_test(page_table_isolation_makes_the_pgd_an_order_1_block),
		cmocka_unit_test(exit_takes_a_page_of_mmu_gather_per_510_entries_and_at_most_19),
		cmocka_unit_test(exit_takes_as_long_as_its_pages_say),
		cmocka_unit_test(page_tables_are_freed_a_grace_period_after_the_exit),
		cmocka_unit_test(the_last_task_frees_what_rcu_still_has),
		cmocka_unit_test(a_cpu_keeps_two_kernel_stacks),
		cmocka_unit_test(pages_freed_elsewhere_are_counted_by_the_cpu_that_allocated_them),
		cmocka_unit_test(faults_are_spread_over_the_user_code),
		cmocka_unit_test(a_run_that_is_over_takes_no_more_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
