/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend reproduce: published tables against their simulation, with the error of every row. */
#include "models/config.h"
#include "sim/cli/cli.h"
#include "sim/cli/options.h"
#include "sim/cli/paths.h"
#include "sim/cli/reproduction.h"
#include "sim/cli/save.h"
#include "sim/cli/sweep.h"

#include <string.h>

#define DEFAULT_PREFIX "refcount-"

enum {
	KEY_REPLICATIONS = 0x200,
};

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_MARKDOWN,
};

static const char *const format_names[] = {
	[FORMAT_TEXT] = "text",
	[FORMAT_JSON] = "json",
	[FORMAT_MARKDOWN] = "markdown",
	NULL,
};

struct arguments {
	struct run_options run;
	struct arena *arena;
	const char **names;
	int nr_names;
	enum format format;
};

static const struct argp_option options[] = {
	{ "format", 'f', "FORMAT", 0, "text, json or markdown (default: text)", 0 },
	{ "replications", KEY_REPLICATIONS, "N", 0, "Replications of every point, instead of the experiment's", 0 },
	{ 0 },
};

static const struct argp_child children[] = { { &run_options_argp, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->run;
		return 0;
	case 'f':
		arguments->format = (enum format)options_choice(state, "format", arg, format_names);
		return 0;
	case KEY_REPLICATIONS:
		options_append(arguments->arena, &arguments->run.sets, &arguments->run.nr_sets,
			       arena_printf(arguments->arena, "run.replications=%d",
					    options_number(state, "--replications", arg, 1, 10000)));
		return 0;
	case ARGP_KEY_ARG:
		options_append(arguments->arena, &arguments->names, &arguments->nr_names, arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Without names: every experiment of the refcount tables. */
static void name_defaults(struct arguments *arguments)
{
	const char *const *name;

	if (arguments->nr_names > 0)
		return;
	for (name = config_names(arguments->arena, CONFIG_EXPERIMENT); *name; name++) {
		if (strncmp(*name, DEFAULT_PREFIX, sizeof(DEFAULT_PREFIX) - 1) == 0)
			options_append(arguments->arena, &arguments->names, &arguments->nr_names, *name);
	}
}

static struct reproduction_plan *make_plans(struct arguments *arguments, struct sweep *sweep, struct error *err)
{
	struct reproduction_plan *plans =
		arena_calloc(arguments->arena, (size_t)arguments->nr_names + 1, sizeof(*plans));
	const struct run_options *run = &arguments->run;
	int i;

	for (i = 0; i < arguments->nr_names; i++) {
		const char *path = config_find(arguments->arena, CONFIG_EXPERIMENT, arguments->names[i],
					       (struct source_pos){ 0 }, err);
		const struct experiment *experiment =
			path ? experiment_load(arguments->arena, path, run->sets, run->nr_sets, err) : NULL;

		if (!experiment || reproduction_plan(sweep, experiment, &plans[i], err))
			return NULL;
		if (run->directory &&
		    path_make_writable(arguments->arena,
				       arena_printf(arguments->arena, "%s/%s", run->directory, experiment->name), err))
			return NULL;
	}
	return plans;
}

static int print(const struct arguments *arguments, struct reproduction *const *all, struct error *err)
{
	if (arguments->format == FORMAT_JSON)
		return reproduction_print_json(stdout, all, arguments->nr_names, err);
	reproduction_print_text(stdout, all, arguments->nr_names, arguments->format == FORMAT_MARKDOWN);
	return 0;
}

static int save(const struct arguments *arguments, const struct sweep *sweep, const struct reproduction_plan *plan)
{
	const struct save_options save_options = { .plots = true, .quiet = arguments->run.quiet };
	const char *directory;

	if (!arguments->run.directory)
		return STATUS_FINE;
	directory = arena_printf(arguments->arena, "%s/%s", arguments->run.directory, plan->experiment->name);
	return save_part(&sweep->parts[plan->first_part], directory, &save_options);
}

/* Compare, save and print what the sweep found. */
static int report(const struct arguments *arguments, const struct sweep *sweep, const struct reproduction_plan *plans)
{
	struct reproduction **all = arena_calloc(arguments->arena, (size_t)arguments->nr_names + 1, sizeof(*all));
	struct error err;
	int status = STATUS_FINE;
	int i;

	for (i = 0; i < arguments->nr_names; i++) {
		all[i] = reproduction_make(sweep, &plans[i], &err);
		if (!all[i])
			return cli_fail(STATUS_USAGE, &err);
		if (save(arguments, sweep, &plans[i]))
			status = STATUS_FAILED;
	}
	return print(arguments, all, &err) ? cli_fail(STATUS_FAILED, &err) : status;
}

static int reproduce(struct arguments *arguments)
{
	struct sweep *sweep = sweep_create(arguments->arena, arguments->run.engine);
	struct reproduction_plan *plans;
	struct error err;
	int status, reported;

	name_defaults(arguments);
	plans = make_plans(arguments, sweep, &err);
	if (!plans)
		return cli_fail(STATUS_USAGE, &err);
	if (arguments->nr_names == 0) {
		error_plain(&err, "there is no experiment named " DEFAULT_PREFIX "*; name one");
		return cli_fail(STATUS_USAGE, &err);
	}
	status = sweep_execute(sweep, &arguments->run);
	reported = report(arguments, sweep, plans);
	return status ? status : reported;
}

int cmd_reproduce(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[EXPERIMENT...]",
		.doc = "Simulate what somebody measured and published, and print both side by side with the error of "
		       "every "
		       "row, the band over what nobody measured, and the score. Blind: nothing is tuned to the table. "
		       "Without a name: every refcount experiment. Writes files only with -o.\v"
		       "Example: contend reproduce refcount-epyc --format markdown",
		.children = children,
	};
	struct arguments arguments = { .arena = arena_create() };
	int status;

	arguments.run.arena = arguments.arena;
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	status = reproduce(&arguments);
	arena_destroy(arguments.arena);
	return status;
}
