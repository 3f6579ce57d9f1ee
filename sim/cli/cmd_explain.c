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
	enum describe_format format;
};

static const char *const format_names[] = {
	[DESCRIBE_TEXT] = "text",
	[DESCRIBE_MARKDOWN] = "markdown",
	NULL,
};

static bool is_meant(const struct arguments *arguments, const char *name)
{
	return strcmp(arguments->name, name) == 0 || strcmp(arguments->name, "all") == 0;
}

static void explain_entry(const struct arguments *arguments, const char *full, const char *kind,
			  const struct param *entry, size_t params_bytes)
{
	const struct param alone[] = { *entry, PARAM_END };

	describe_name(stdout, arguments->format, full, kind, NULL);
	describe_params(stdout, arguments->format, alone, params_bytes);
}

/* A single key of a policy or a workload, by that key alone. */
static int explain_key_of(const struct arguments *arguments, const char *owner, const char *kind,
			  const struct param *table, size_t params_bytes)
{
	const struct param *entry = param_find(table, arguments->name);
	char full[128];

	if (!entry)
		return 0;
	snprintf(full, sizeof(full), "%s: %s", owner, entry->key);
	explain_entry(arguments, full, kind, entry, params_bytes);
	return 1;
}

static void explain_policy(const struct policy *policy, const char *name, bool is_default, enum describe_format format)
{
	const bool markdown = format == DESCRIBE_MARKDOWN;

	describe_name(stdout, format, name, is_default ? "policy, the default" : "policy", policy->summary);
	if (policy->mirrors)
		printf(markdown ? "\nMirrors %s.\n" : "  mirrors %s\n", policy->mirrors);
	describe_params(stdout, format, policy->params, policy->params_size);
}

/* By the policy's own name ("cas"), the axis ("refcount": all of it), or both ("refcount: cas"). */
static int explain_policies(const struct arguments *arguments)
{
	const struct policy *policy;
	int found = 0;
	int axis, i;

	for (axis = 0; axis < NR_POLICY_AXES; axis++) {
		const struct policy *default_policy = registry_default_policy((enum policy_axis)axis);

		for (i = 0; (policy = registry_policy_at((enum policy_axis)axis, i)) != NULL; i++) {
			char full[64];

			snprintf(full, sizeof(full), "%s: %s", policy_axis_keys[axis], policy->name);
			if (!is_meant(arguments, policy->name) && !is_meant(arguments, policy_axis_keys[axis]) &&
			    !is_meant(arguments, full)) {
				found += explain_key_of(arguments, full, "parameter of a policy", policy->params,
							policy->params_size);
				continue;
			}
			explain_policy(policy, full, policy == default_policy, arguments->format);
			found++;
		}
	}
	return found;
}

static int explain_workloads(const struct arguments *arguments)
{
	const struct workload *workload;
	int found = 0;
	int i;

	for (i = 0; (workload = registry_workload_at(i)) != NULL; i++) {
		if (!is_meant(arguments, workload->name)) {
			found += explain_key_of(arguments, workload->name, "parameter of a workload", workload->params,
						workload->params_size);
			continue;
		}
		describe_name(stdout, arguments->format, workload->name, "workload", workload->summary);
		describe_params(stdout, arguments->format, workload->params, workload->params_size);
		found++;
	}
	return found;
}

static int explain_metrics(const struct arguments *arguments)
{
	int found = 0;
	int i;

	for (i = 0; i < NR_METRICS; i++) {
		const struct metric_info *info = &metric_infos[i];
		char kind[128];

		if (!is_meant(arguments, info->name))
			continue;
		snprintf(kind, sizeof(kind), "metric, %s; %s is better", info->unit,
			 info->lower_is_better ? "lower" : "higher");
		describe_name(stdout, arguments->format, info->name, kind, info->help);
		if (arguments->format == DESCRIBE_MARKDOWN)
			putchar('\n');
		found++;
	}
	return found;
}

static int explain_run_section(const struct arguments *arguments)
{
	if (!is_meant(arguments, "run"))
		return 0;
	describe_name(stdout, arguments->format, "run", "section of an experiment: how long and how often", NULL);
	describe_params(stdout, arguments->format, run_length_params, sizeof(struct run_length));
	describe_name(stdout, arguments->format, "run.replications",
		      "adaptive: as many replications as a point needs, given as {min: 5, max: 50, until: 1%}", NULL);
	describe_params(stdout, arguments->format, run_replication_params, sizeof(struct run_length));
	return 1;
}

/* What has sections: a machine file, and `kernel` of an experiment. */
struct sectioned {
	const char *key;
	const char *what;
	const struct param_section *sections;
	size_t bytes; /* of what they bind to */
};

static const struct sectioned sectioned[] = {
	{ "machine", "a machine file", machine_sections, sizeof(struct machine_config) },
	{ "kernel", "`kernel` of an experiment", kernel_sections, sizeof(struct kernel_config) },
	{ NULL, NULL, NULL, 0 },
};

/* "transfer" or "machine.transfer". */
static int explain_sections(const struct arguments *arguments, const struct sectioned *whole)
{
	const struct param_section *section;
	int found = 0;

	for (section = whole->sections; section->name; section++) {
		char full[64];
		char kind[128];

		snprintf(full, sizeof(full), "%s.%s", whole->key, section->name);
		if (!is_meant(arguments, section->name) && !is_meant(arguments, full))
			continue;
		snprintf(kind, sizeof(kind), "section of %s; %s.KEY for --set and sweeps", whole->what, full);
		describe_name(stdout, arguments->format, section->name, kind, NULL);
		describe_params(stdout, arguments->format, section->table, whole->bytes);
		found++;
	}
	return found;
}

/* A single key of a section: "socket_ns", "transfer.socket_ns" or "machine.transfer.socket_ns". */
static int explain_parameter(const struct arguments *arguments, const struct sectioned *whole)
{
	const char *name = arguments->name;
	const char *dot = strrchr(name, '.');
	const struct param_section *section;
	int found = 0;

	for (section = whole->sections; section->name; section++) {
		const struct param *entry = param_find(section->table, dot ? dot + 1 : name);
		char full[128];
		char kind[128];

		snprintf(full, sizeof(full), "%s.%s.%s", whole->key, section->name, entry ? entry->key : "");
		if (!entry || (dot && strcmp(name, full) && strcmp(name, full + strlen(whole->key) + 1)))
			continue;
		snprintf(kind, sizeof(kind), "parameter of %s", whole->what);
		explain_entry(arguments, full, kind, entry, whole->bytes);
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

static void append_section_names(struct arena *arena, const char ***list, int *nr, const struct param_section *section)
{
	const struct param *entry;

	for (; section->name; section++) {
		options_append(arena, list, nr, section->name);
		for (entry = section->table; entry->key; entry++)
			options_append(arena, list, nr, entry->key);
	}
}

static int unknown_name(struct arena *arena, const char *name)
{
	const struct sectioned *whole;
	const char **names = NULL;
	struct error err;
	int nr = 0;
	int i;

	append_names(arena, &names, &nr, policy_axis_keys);
	for (i = 0; i < NR_POLICY_AXES; i++)
		append_names(arena, &names, &nr, registry_policy_names((enum policy_axis)i));
	append_names(arena, &names, &nr, registry_workload_names());
	for (i = 0; i < NR_METRICS; i++)
		options_append(arena, &names, &nr, metric_infos[i].name);
	for (whole = sectioned; whole->key; whole++)
		append_section_names(arena, &names, &nr, whole->sections);
	options_append(arena, &names, &nr, "run");
	append_names(arena, &names, &nr, config_names(arena, CONFIG_MACHINE));
	options_append(arena, &names, &nr, NULL);
	bind_unknown((struct source_pos){ 0 }, "nothing is named", name, names, &err);
	if (!strstr(err.text, "did you mean"))
		error_append(&err, "; `contend list` shows policies, workloads and machines");
	return cli_fail(STATUS_USAGE, &err);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'f':
		arguments->format = (enum describe_format)options_choice(state, "format", arg, format_names);
		return 0;
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
	static const struct argp_option options[] = {
		{ "format", 'f', "FORMAT", 0, "text or markdown (default: text)", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "NAME",
		.doc = "Explain a policy, a workload, a machine, a metric, a parameter of any of them, or a section of "
		       "machines or of an experiment (topology, transfer, line, core, memory, run, ...): what it is, "
		       "what it mirrors in the kernel, and each parameter with unit, default and range. `all` explains "
		       "every policy, workload, section and metric.\v"
		       "Example: contend explain fetch-add",
	};
	struct arguments arguments = { 0 };
	const struct sectioned *whole;
	struct arena *arena;
	int found;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	arena = arena_create();
	found = explain_policies(&arguments) + explain_workloads(&arguments) + explain_run_section(&arguments);
	for (whole = sectioned; whole->key; whole++)
		found += explain_sections(&arguments, whole) + explain_parameter(&arguments, whole);
	found += explain_metrics(&arguments) + explain_machine(arena, arguments.name);
	found = found ? STATUS_FINE : unknown_name(arena, arguments.name);
	arena_destroy(arena);
	return found;
}
