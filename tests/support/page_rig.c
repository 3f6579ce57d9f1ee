/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/page_rig.h"

#include "models/registry.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>

static const char *or_default(enum policy_axis axis, const char *name)
{
	return name ? name : registry_default_policy(axis)->name;
}

static void choose(struct page_rig *rig, enum policy_axis axis, const char *name, const char *params)
{
	rig->policies[axis] =
		rig_choice_with(&rig->rig, registry_policy(axis, or_default(axis, name)), params ? params : "");
}

void page_rig_create(struct page_rig *rig, const struct page_rig_setup *setup)
{
	static const struct buddy_costs free_of_charge = { 0 };
	struct machine_config config = rig_machine(1);
	struct page_alloc_site site = { .policies = rig->policies, .seed = setup->seed };
	int nr_cpus;

	config.memory.per_node = setup->node_bytes ? setup->node_bytes : UINT64_C(1) << 30;
	rig->wrong[0] = '\0';
	rig_create_on(&rig->rig, &config, setup->seed, setup->engine);
	for (enum policy_axis axis = 0; axis < NR_POLICY_AXES; axis++)
		choose(rig, axis, NULL, NULL);
	choose(rig, AXIS_PCP_HIGH, setup->pcp_high, setup->pcp_high_params);
	if (setup->pcp_high_policy)
		rig->policies[AXIS_PCP_HIGH].policy = setup->pcp_high_policy;
	choose(rig, AXIS_PCP_FREE, setup->pcp_free, setup->pcp_free_params);
	rig->params = *(struct page_alloc_params *)rig_params(&rig->rig, page_alloc_params, sizeof(rig->params),
							      setup->params ? setup->params : "");
	site.arena = rig->rig.arena;
	site.machine = rig->rig.machine;
	site.engine = rig->rig.engine;
	rig->memory = setup->priced ? memory_create(site.arena, site.machine) : NULL;
	site.memory = rig->memory;
	site.costs = setup->priced ? NULL : &free_of_charge;
	rig->alloc = page_alloc_create(&site, &rig->params);
	nr_cpus = machine_nr_cpus(site.machine);
	rig->tasks = arena_calloc(site.arena, (size_t)nr_cpus, sizeof(*rig->tasks));
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		rig->tasks[cpu] = (struct task){ .cpu = &rig->rig.cpus[cpu], .index = cpu };
}

void page_rig_destroy(struct page_rig *rig)
{
	rig_destroy(&rig->rig);
}

struct start {
	struct page_rig *rig;
	page_rig_fn *fn;
	void *arg;
};

static void run_task(struct cpu *cpu, void *arg)
{
	const struct start *start = arg;
	struct task *task = &start->rig->tasks[cpu->id];

	task->actor = cpu->actor;
	start->fn(start->rig, task, start->arg);
}

void page_rig_start(struct page_rig *rig, int cpu, sim_ps date, page_rig_fn *fn, void *arg)
{
	struct start *start = arena_alloc(rig->rig.arena, sizeof(*start));

	*start = (struct start){ .rig = rig, .fn = fn, .arg = arg };
	rig_start(&rig->rig, cpu, date, run_task, start);
}

int page_rig_run(struct page_rig *rig, const uint64_t *nr_held, struct error *err)
{
	if (rig_run(&rig->rig, err))
		return -1;
	return page_alloc_check(rig->alloc, *nr_held, err);
}

void page_rig_run_alone(struct page_rig *rig, page_rig_fn *fn, void *arg, const uint64_t *nr_held)
{
	struct error err = { .text = "" };

	page_rig_start(rig, 0, 1, fn, arg);
	page_rig_run(rig, nr_held, &err);
	assert_string_equal(err.text, "");
	assert_string_equal(rig->wrong, "");
}

void page_rig_expect(struct page_rig *rig, int line, int64_t actual, int64_t expected)
{
	if (actual != expected && !rig->wrong[0])
		snprintf(rig->wrong, sizeof(rig->wrong), "line %d: %" PRId64 " instead of %" PRId64, line, actual,
			 expected);
}

struct per_cpu_pages *page_rig_pcp(struct page_rig *rig, int node, int cpu)
{
	return &page_alloc_zone(rig->alloc, node)->pcps[cpu];
}
