/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend run: simulate experiments, write their results, print their tables. */
#include "models/config.h"
#include "sim/cli/cli.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/paths.h"
#include "sim/cli/save.h"
#include "sim/cli/sweep.h"

#include <string.h>

enum {
	KEY_NO_PLOTS = 0x200,
	KEY_WHY,
};

struct arguments {
	struct run_options run;
	struct arena *arena;
	const char **names;
	int nr_names;
	enum table_format format;
	bool why;
	bool no_plots;
};

static const struct argp_option options[] = {
	{ "format", 'f', "FORMAT", 0, "The printed table: text, cover-letter, mmtests, markdown, csv or json", 0 },
	{ "why", KEY_WHY, NULL, 0, "Add what explains it: failures, transactions by distance, waiting, fairness", 0 },
	{ "no-plots", KEY_NO_PLOTS, NULL, 0, "Draw no figures", 0 },
	{ 0 },
};

static const struct argp_child children[] = { { &run_options_argp, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct error err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->run;
		return 0;
	case 'f':
		if (table_format_parse(arg, &arguments->format, &err))
			argp_error(state, "%s", err.text);
		return 0;
	case KEY_WHY:
		arguments->why = true;
		return 0;
	case KEY_NO_PLOTS:
		arguments->no_plots = true;
		return 0;
	case ARGP_KEY_ARG:
		options_append(arguments->arena, &arguments->names, &arguments->nr_names, arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name an experiment or its file; `contend list experiments` shows what there is");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Two experiments of one name would write into one directory. */
static int check_name_is_new(const struct sweep *sweep, const struct experiment *experiment, struct error *err)
{
	int i;

	for (i = 0; i < sweep->nr_parts; i++) {
		if (strcmp(sweep->parts[i].experiment->name, experiment->name) == 0)
			return error_plain(err, "two experiments are named '%s' and would write the same results",
					   experiment->name);
	}
	return 0;
}

static int add_experiment(const struct arguments *arguments, struct sweep *sweep, const char *name, struct error *err)
{
	const struct run_options *run = &arguments->run;
	const char *path = config_find(arguments->arena, CONFIG_EXPERIMENT, name, (struct source_pos){ 0 }, err);
	const struct experiment *experiment =
		path ? experiment_load(arguments->arena, path, run->sets, run->nr_sets, err) : NULL;

	if (!experiment || check_name_is_new(sweep, experiment, err))
		return -1;
	return sweep_add(sweep, experiment, NULL, 0, err) < 0 ? -1 : 0;
}

static const char *directory_of(const struct arguments *arguments, const char *name)
{
	const char *parent = arguments->run.directory;

	if (parent && arguments->nr_names == 1)
		return parent;
	return arena_printf(arguments->arena, "%s/%s", parent ? parent : "results", name);
}

/* Everything that can be wrong is found here, before the first run. */
static int prepare(const struct arguments *arguments, struct sweep *sweep, struct error *err)
{
	int i;

	if (arguments->nr_names > 1 && (arguments->format == TABLE_CSV || arguments->format == TABLE_JSON))
		return error_plain(err, "a program reads one table: with this format name one experiment");
	for (i = 0; i < arguments->nr_names; i++) {
		if (add_experiment(arguments, sweep, arguments->names[i], err))
			return -1;
	}
	for (i = 0; i < sweep->nr_parts; i++) {
		const char *directory = directory_of(arguments, sweep->parts[i].experiment->name);

		if (path_make_writable(arguments->arena, directory, err))
			return -1;
	}
	return 0;
}

static int show(const struct arguments *arguments, const struct sweep_part *part)
{
	const struct table_options table = { .format = arguments->format, .baseline = -1, .why = arguments->why };
	const struct save_options save = { .plots = !arguments->no_plots, .quiet = arguments->run.quiet };
	const char *directory = directory_of(arguments, part->experiment->name);
	struct error err;
	int status = save_part(part, directory, &save);

	if (part->nr_done > 0 && output_table(part->results, &table, NULL, &err))
		status = cli_fail(STATUS_FAILED, &err);
	return status;
}

static int run(const struct arguments *arguments)
{
	struct sweep *sweep = sweep_create(arguments->arena, arguments->run.engine);
	struct error err;
	int status;
	int i;

	if (prepare(arguments, sweep, &err))
		return cli_fail(STATUS_USAGE, &err);
	status = sweep_execute(sweep, &arguments->run);
	for (i = 0; i < sweep->nr_parts; i++) {
		int shown;

		if (i > 0)
			putchar('\n');
		shown = show(arguments, &sweep->parts[i]);
		if (status == STATUS_FINE)
			status = shown;
	}
	return status;
}

int cmd_run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "EXPERIMENT...",
		.doc = "Simulate every machine, variant, point and replication of experiments; print a table; write "
		       "samples.csv, summary.csv, result.json, table.txt and figures into results/NAME. EXPERIMENT is "
		       "a "
		       "file or one of `contend list experiments`.\v"
		       "Example: contend run demo --set machine.transfer.remote_ns=100 -o half",
		.children = children,
	};
	struct arguments arguments = { .arena = arena_create() };
	int status;

	arguments.run.arena = arguments.arena;
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	status = run(&arguments);
	arena_destroy(arguments.arena);
	return status;
}
