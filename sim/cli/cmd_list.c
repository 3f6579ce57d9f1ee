/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend list: what there is, one line each. */
#include "models/config.h"
#include "models/registry.h"
#include "models/workloads/workload.h"
#include "sim/cli/cli.h"
#include "sim/cli/options.h"
#include "sim/cli/paths.h"

#include <argp.h>

struct arguments {
	int kind; /* index into kind_names, or -1: all */
};

static void print_line(const char *name, const char *summary)
{
	printf("%-24s %s\n", name, summary);
}

/* The text of a file's member, read without checking the rest of the file. */
static int print_file(enum config_kind kind, const char *name, const char *member)
{
	struct arena *arena = arena_create();
	struct error err;
	const char *path = config_find(arena, kind, name, (struct source_pos){ 0 }, &err);
	struct yaml_node *tree = NULL;
	struct yaml_node *node;

	if (path)
		tree = kind == CONFIG_MACHINE ? machine_tree_load(arena, path, &err) : yaml_load(arena, path, &err);
	if (tree) {
		node = yaml_get(tree, member);
		print_line(name, node && node->kind == YAML_SCALAR ? node->text : "");
	} else {
		cli_print_error(&err);
	}
	arena_destroy(arena);
	return tree ? STATUS_FINE : STATUS_USAGE;
}

static int print_files(enum config_kind kind, const char *member)
{
	struct arena *arena = arena_create();
	const char *const *names = config_names(arena, kind);
	int status = STATUS_FINE;

	for (; *names; names++) {
		if (print_file(kind, *names, member))
			status = STATUS_USAGE;
	}
	arena_destroy(arena);
	return status;
}

static int list_machines(void)
{
	return print_files(CONFIG_MACHINE, "description");
}

static int list_experiments(void)
{
	return print_files(CONFIG_EXPERIMENT, "title");
}

static int list_workloads(void)
{
	const struct workload *workload;
	int i;

	for (i = 0; (workload = registry_workload_at(i)) != NULL; i++)
		print_line(workload->name, workload->summary);
	return STATUS_FINE;
}

static int list_policies(void)
{
	int axis, i;

	for (axis = 0; axis < NR_POLICY_AXES; axis++) {
		const struct policy *policy;

		for (i = 0; (policy = registry_policy_at((enum policy_axis)axis, i)) != NULL; i++) {
			char name[64];

			snprintf(name, sizeof(name), "%s: %s", policy_axis_keys[axis], policy->name);
			print_line(name, policy->summary);
		}
	}
	return STATUS_FINE;
}

static const char *const kind_names[] = { "machines", "workloads", "policies", "experiments", NULL };
static int (*const list_functions[])(void) = { list_machines, list_workloads, list_policies, list_experiments };

static int list_all(void)
{
	int status = STATUS_FINE;
	int i;

	for (i = 0; kind_names[i]; i++) {
		printf("%s%s:\n", i > 0 ? "\n" : "", kind_names[i]);
		if (list_functions[i]())
			status = STATUS_USAGE;
	}
	return status;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (state->arg_num > 0)
		argp_error(state, "list one kind at a time; '%s' is one too many", arg);
	arguments->kind = options_choice(state, "kind", arg, kind_names);
	return 0;
}

int cmd_list(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "[machines|workloads|policies|experiments]",
		.doc = "Print the names that experiments can use, one line each; all four kinds without an argument.\v"
		       "Example: contend list policies",
	};
	struct arguments arguments = { .kind = -1 };

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	return arguments.kind < 0 ? list_all() : list_functions[arguments.kind]();
}
