/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * contend explain: everything the program knows by a name. All text comes
 * from the descriptors and parameter tables, so it cannot drift from them.
 */
#include "models/config.h"
#include "models/registry.h"
#include "models/workloads/workload.h"
#include "sim/cli/cli.h"
#include "sim/cli/describe.h"
#include "sim/cli/options.h"
#include "sim/cli/paths.h"
#include "sim/io/bind.h"

#include <argp.h>
#include <string.h>

struct arguments {
	const char *name;
};

static void explain_policy(enum policy_axis axis, const struct policy *policy)
{
	bool is_default = policy == registry_default_policy(axis);

	printf("%s: %s (policy%s)\n  %s\n", policy_axis_keys[axis], policy->name, is_default ? ", the default" : "",
	       policy->summary);
	if (policy->mirrors)
		printf("  mirrors %s\n", policy->mirrors);
	describe_params(stdout, policy->params, policy->params_size);
}

/* By the policy's own name ("cas"), the axis ("refcount": all of it), or both ("refcount: cas"). */
static int explain_policies(const char *name)
{
	const struct policy *policy;
	int found = 0;
	int axis, i;

	for (axis = 0; axis < NR_POLICY_AXES; axis++) {
		for (i = 0; (policy = registry_policy_at((enum policy_axis)axis, i)) != NULL; i++) {
			char full[64];

			snprintf(full, sizeof(full), "%s: %s", policy_axis_keys[axis], policy->name);
			if (strcmp(name, policy->name) && strcmp(name, policy_axis_keys[axis]) && strcmp(name, full))
				continue;
			explain_policy((enum policy_axis)axis, policy);
			found++;
		}
	}
	return found;
}

static int explain_workload(const char *name)
{
	const struct workload *workload = registry_workload(name);

	if (!workload)
		return 0;
	printf("%s (workload)\n  %s\n", workload->name, workload->summary);
	describe_params(stdout, workload->params, workload->params_size);
	return 1;
}

static int explain_metric(const char *name)
{
	int i;

	for (i = 0; i < NR_METRICS; i++) {
		const struct run_metric_info *info = &run_metric_infos[i];

		if (strcmp(info->name, name) == 0) {
			printf("%s (metric, %s; %s is better)\n  %s\n", info->name, info->unit,
			       info->lower_is_better ? "lower" : "higher", info->help);
			return 1;
		}
	}
	return 0;
}

/* "transfer" or "machine.transfer"; "run". */
static int explain_section(const char *name)
{
	static const char prefix[] = "machine.";
	const char *bare = strncmp(name, prefix, sizeof(prefix) - 1) == 0 ? name + sizeof(prefix) - 1 : name;
	const struct machine_section *section;

	if (strcmp(name, "run") == 0) {
		puts("run (section of an experiment: how long and how often)");
		describe_params(stdout, run_length_params, sizeof(struct run_length));
		return 1;
	}
	for (section = machine_sections; section->name; section++) {
		if (strcmp(section->name, bare) == 0) {
			printf("%s (section of a machine file; machine.%s.KEY for --set and sweeps)\n", bare, bare);
			describe_params(stdout, section->table, sizeof(struct machine_config));
			return 1;
		}
	}
	return 0;
}

/* A single key of a machine file: "socket_ns", "transfer.socket_ns" or "machine.transfer.socket_ns". */
static int explain_parameter(const char *name)
{
	const char *dot = strrchr(name, '.');
	const struct machine_section *section;
	int found = 0;

	for (section = machine_sections; section->name; section++) {
		const struct param *entry = param_find(section->table, dot ? dot + 1 : name);
		const struct param alone[] = { entry ? *entry : (struct param)PARAM_END, PARAM_END };
		char full[128];

		snprintf(full, sizeof(full), "machine.%s.%s", section->name, entry ? entry->key : "");
		if (!entry || (dot && strcmp(name, full) && strcmp(name, full + sizeof("machine"))))
			continue;
		printf("%s (parameter of a machine)\n", full);
		describe_params(stdout, alone, sizeof(struct machine_config));
		found++;
	}
	return found;
}

static int explain_machine(struct arena *arena, const char *name)
{
	const char *const *known;
	char *argv[] = { arena_strdup(arena, "contend machine"), arena_strdup(arena, "show"), arena_strdup(arena, name),
			 NULL };

	for (known = config_names(arena, CONFIG_MACHINE); *known; known++) {
		if (strcmp(*known, name) == 0)
			return cmd_machine(3, argv) == STATUS_FINE;
	}
	return 0;
}

static void append_names(struct arena *arena, const char ***list, int *nr, const char *const *names)
{
	for (; *names; names++)
		options_append(arena, list, nr, *names);
}

static int unknown_name(struct arena *arena, const char *name)
{
	const struct machine_section *section;
	const char **names = NULL;
	struct error err;
	int nr = 0;
	int i;

	append_names(arena, &names, &nr, policy_axis_keys);
	for (i = 0; i < NR_POLICY_AXES; i++)
		append_names(arena, &names, &nr, registry_policy_names((enum policy_axis)i));
	append_names(arena, &names, &nr, registry_workload_names());
	for (i = 0; i < NR_METRICS; i++)
		options_append(arena, &names, &nr, run_metric_infos[i].name);
	for (section = machine_sections; section->name; section++) {
		const struct param *entry;

		options_append(arena, &names, &nr, section->name);
		for (entry = section->table; entry->key; entry++)
			options_append(arena, &names, &nr, entry->key);
	}
	options_append(arena, &names, &nr, "run");
	append_names(arena, &names, &nr, config_names(arena, CONFIG_MACHINE));
	options_append(arena, &names, &nr, NULL);
	bind_unknown((struct source_pos){ 0 }, "nothing is named", name, names, &err);
	return cli_fail(STATUS_USAGE, &err);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (arguments->name)
			argp_error(state, "explain one name at a time; '%s' is one too many", arg);
		arguments->name = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "explain what? `contend list` shows policies, workloads and machines");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_explain(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "NAME",
		.doc = "Explain a policy, a workload, a machine, a metric, a parameter of machines, or a section of "
		       "them (topology, "
		       "transfer, line, core, memory, run): what it is, what it mirrors in the kernel, and each "
		       "parameter with unit, default and range.\v"
		       "Example: contend explain fetch-add",
	};
	struct arguments arguments = { 0 };
	struct arena *arena;
	int found;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	arena = arena_create();
	found = explain_policies(arguments.name) + explain_workload(arguments.name) + explain_metric(arguments.name) +
		explain_section(arguments.name) + explain_parameter(arguments.name) +
		explain_machine(arena, arguments.name);
	found = found ? STATUS_FINE : unknown_name(arena, arguments.name);
	arena_destroy(arena);
	return found;
}
