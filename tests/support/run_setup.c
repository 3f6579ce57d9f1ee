/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/run_setup.h"

#include "models/workloads/workload.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_param(const struct param *table, const char *key, const char *text, void *params)
{
	const struct param *entry = param_find(table, key);
	char why[256] = "there is no such parameter";

	if (entry && text && !param_parse(entry, text, params, why, sizeof(why)))
		return;
	fprintf(stderr, "%s: %s\n", key, why);
	abort();
}

void *param_setup(struct arena *arena, const struct param *table, size_t bytes, const char *values)
{
	void *params = arena_alloc(arena, bytes);
	char *text = arena_strdup(arena, values ? values : "");
	char *rest;

	param_defaults(table, params);
	for (char *key = strtok_r(text, " ", &rest); key; key = strtok_r(NULL, " ", &rest))
		set_param(table, key, strtok_r(NULL, " ", &rest), params);
	return params;
}

void run_setup_policy(struct arena *arena, struct run_config *config, enum policy_axis axis, const char *name,
		      const char *params)
{
	const struct policy *policy = registry_policy(axis, name);

	config->policies[axis] = (struct policy_choice){
		.policy = policy,
		.params = param_setup(arena, policy->params, policy->params_size, params),
	};
}

void run_setup_placement(struct arena *arena, struct run_config *config, enum placement placement, int nr_threads)
{
	config->nr_threads = nr_threads;
	if (config->workload->scheduled)
		return;
	config->cpus = arena_calloc(arena, (size_t)nr_threads, sizeof(*config->cpus));
	machine_placement(machine_create(arena, &config->machine), placement, config->cpus, nr_threads);
}

struct run_config run_setup(struct arena *arena, const struct machine_config *machine, const char *workload,
			    const char *params, int nr_threads)
{
	struct run_config config = {
		.machine = *machine,
		.workload = registry_workload(workload),
		.length = { .warmup_ps = 100 * PS_PER_US,
			    .duration_ps = 500 * PS_PER_US,
			    .replications = 1,
			    .seed = 1 },
	};

	config.workload_params = param_setup(arena, config.workload->params, config.workload->params_size, params);
	for (enum policy_axis axis = 0; axis < NR_POLICY_AXES; axis++)
		run_setup_policy(arena, &config, axis, registry_default_policy(axis)->name, NULL);
	for (const struct param_section *section = kernel_sections; section->name; section++)
		param_defaults(section->table, (char *)&config.kernel + section->offset);
	config.nr_threads = nr_threads;
	if (!config.workload->scheduled)
		run_setup_placement(arena, &config, PLACEMENT_CORES_FIRST, nr_threads);
	return config;
}

void run_measure(const struct run_config *config, double metrics[NR_METRICS])
{
	struct error err;

	if (run_execute(config, 0, metrics, &err))
		fail_msg("%s", err.text);
}

void run_assert_repeatable(const struct run_config *config)
{
	static const enum engine_kind others[] = { ENGINE_FAST, ENGINE_SIMGRID };
	struct run_config again = *config;
	double first[NR_METRICS], metrics[NR_METRICS];

	run_measure(config, first);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		again.engine = others[i];
		run_measure(&again, metrics);
		assert_memory_equal(metrics, first, sizeof(first));
	}
}
