/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend fit: values of configuration keys that bring simulations nearest to published tables. */
#include "sim/cli/cli.h"
#include "sim/cli/fit.h"
#include "sim/cli/options.h"
#include "sim/util/outfile.h"

#include <stdlib.h>
#include <string.h>

enum {
	KEY_VARY = 0x200,
	KEY_ROWS,
	KEY_COLUMNS,
	KEY_EVALUATIONS,
	KEY_SEED,
	KEY_NO_PROFILE,
};

struct arguments {
	struct run_options run;
	struct arena *arena;
	struct fit_options fit;
	const char **names;
	int nr_names;
	const char **vary;
	int nr_vary;
	const char *rows, *columns;
	const char *overlay; /* -o, or NULL */
	bool no_profile;
};

static const struct argp_option options[] = {
	{ "vary", KEY_VARY, "KEY[=LOW..HIGH],...", 0,
	  "Find values of these keys (as in --set); without a range: that of the experiment's prior, else all that is "
	  "legal. EXPERIMENT:KEY is a value of that one alone. Default: what the experiments list under `fit:`, or "
	  "under `priors:`",
	  0 },
	{ "rows", KEY_ROWS, "even|odd|LIST", 0,
	  "Use these rows of the published tables: every other one, or values of the axis, e.g. 1,5,12 (default: all)",
	  0 },
	{ "columns", KEY_COLUMNS, "LIST", 0, "Use these columns, e.g. vanilla,patched (default: all)", 0 },
	{ "output", 'o', "FILE", 0,
	  "Write the values as a YAML file for --overlay; a file per experiment, with its name before .yaml, where "
	  "they do not share all of them",
	  0 },
	{ "evaluations", KEY_EVALUATIONS, "N", 0, "Choices of values that the search tries (default: 2000)", 0 },
	{ "no-profile", KEY_NO_PROFILE, NULL, 0, "Do not find out how well the data determine each value", 0 },
	{ "seed", KEY_SEED, "N", 0, "Seed of the search (default: 1)", 0 },
	{ 0 },
};

static const struct argp_child children[] = { { &simulation_options_argp, 0, NULL, 0 }, { 0 } };

static void split_keys(struct arguments *arguments, const char *list)
{
	for (;;) {
		size_t length = strcspn(list, ",");

		options_append(arguments->arena, &arguments->vary, &arguments->nr_vary,
			       arena_strndup(arguments->arena, list, length));
		if (!list[length])
			return;
		list += length + 1;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->run;
		return 0;
	case KEY_VARY:
		split_keys(arguments, arg);
		return 0;
	case KEY_ROWS:
		arguments->rows = arg;
		return 0;
	case KEY_COLUMNS:
		arguments->columns = arg;
		return 0;
	case 'o':
		arguments->overlay = arg;
		return 0;
	case KEY_EVALUATIONS:
		arguments->fit.max_evaluations = options_number(state, "--evaluations", arg, 1, FIT_MAX_EVALUATIONS);
		return 0;
	case KEY_SEED:
		arguments->fit.seed = (uint64_t)options_number(state, "--seed", arg, 0, 1000000000);
		return 0;
	case KEY_NO_PROFILE:
		arguments->no_profile = true;
		return 0;
	case ARGP_KEY_ARG:
		options_append(arguments->arena, &arguments->names, &arguments->nr_names, arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name an experiment with a published table, or its file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The file for a member's values: FILE itself, or, where members differ, FILE with the experiment's name before .yaml. */
static const char *overlay_path(const struct arguments *arguments, const struct fit *fit, int member)
{
	static const char suffix[] = ".yaml";
	const char *path = arguments->overlay;
	size_t bytes = strlen(path);

	if (fit_shares_all(fit))
		return path;
	if (bytes > strlen(suffix) && strcmp(path + bytes - strlen(suffix), suffix) == 0)
		bytes -= strlen(suffix);
	return arena_printf(arguments->arena, "%.*s.%s%s", (int)bytes, path, fit->members[member].experiment->name,
			    path + bytes);
}

static int nr_overlays(const struct arguments *arguments, const struct fit *fit)
{
	if (!arguments->overlay)
		return 0;
	return fit_shares_all(fit) ? 1 : fit->nr_members;
}

/* Can the overlays be written? Known before the search, which may take long. */
static int probe_overlays(const struct arguments *arguments, const struct fit *fit, struct error *err)
{
	int i;

	for (i = 0; i < nr_overlays(arguments, fit); i++) {
		struct outfile *file = outfile_open(overlay_path(arguments, fit, i), err);

		if (!file)
			return -1;
		outfile_abort(file);
	}
	return 0;
}

static int write_overlays(const struct arguments *arguments, const struct fit_report *report, struct error *err)
{
	const struct fit *fit = report->fit;
	const char *head = fit_head(report, arguments->arena);
	int i;

	for (i = 0; i < nr_overlays(arguments, fit); i++) {
		if (fit_write_overlay(overlay_path(arguments, fit, i), head,
				      fit_overlay(fit, arguments->arena, i, report->found->point), err))
			return -1;
	}
	return 0;
}

/* Everything that can be wrong is found here, before the first run. */
static struct fit *prepare(const struct arguments *arguments, struct error *err)
{
	struct fit *fit = fit_create(arguments->arena, arguments->run.engine);
	int i;

	for (i = 0; i < arguments->nr_names; i++) {
		const char *path = config_find(arguments->arena, CONFIG_EXPERIMENT, arguments->names[i],
					       (struct source_pos){ 0 }, err);
		const struct experiment *experiment =
			path ? experiment_load(arguments->arena, path, arguments->run.sets, arguments->run.nr_sets, err)
			     : NULL;

		if (!experiment || fit_add_experiment(fit, experiment, err))
			return NULL;
	}
	for (i = 0; i < arguments->nr_vary; i++) {
		if (fit_add_key_text(fit, arguments->vary[i], err))
			return NULL;
	}
	if ((arguments->nr_vary == 0 && fit_add_listed(fit, err)) ||
	    fit_choose(fit, arguments->rows, arguments->columns, err) || probe_overlays(arguments, fit, err))
		return NULL;
	return fit;
}

/* The command that gives the same values again, in one form whatever the user typed. */
static const char *command_text(const struct arguments *arguments, const struct fit *fit)
{
	struct arena *arena = arguments->arena;
	char *text = arena_strdup(arena, "contend fit");
	int i;

	for (i = 0; i < arguments->nr_names; i++)
		text = arena_printf(arena, "%s %s", text, arguments->names[i]);
	for (i = 0; i < arguments->run.nr_sets; i++) {
		const char *set = arguments->run.sets[i];
		bool is_file = set[0] == CONFIG_OVERLAY_MARK;

		text = arena_printf(arena, "%s %s %s", text, is_file ? "--overlay" : "--set", is_file ? set + 1 : set);
	}
	for (i = 0; i < fit->nr_keys; i++) {
		const struct tunable *key = &fit->keys[i];

		text = arena_printf(arena, "%s%s%s=%s..%s", text, i ? "," : " --vary ", fit->key_names[i],
				    tunable_text(key, arena, key->low), tunable_text(key, arena, key->high));
	}
	if (arguments->rows)
		text = arena_printf(arena, "%s --rows %s", text, arguments->rows);
	if (arguments->columns)
		text = arena_printf(arena, "%s --columns %s", text, arguments->columns);
	return arena_printf(arena, "%s --evaluations %d --seed %llu%s", text, arguments->fit.max_evaluations,
			    (unsigned long long)arguments->fit.seed, arguments->no_profile ? " --no-profile" : "");
}

static int fit_and_report(const struct arguments *arguments, const struct fit *fit)
{
	struct fit_verdict before[FIT_MAX_EXPERIMENTS], after[FIT_MAX_EXPERIMENTS];
	struct fit_profile profile = { 0 };
	struct fit_found found;
	const struct fit_report report = {
		.fit = fit,
		.found = &found,
		.profile = arguments->no_profile ? NULL : &profile,
		.before = before,
		.after = after,
		.command = command_text(arguments, fit),
	};
	struct error err;
	int status;

	if (fit_run(fit, &arguments->fit, &found, arguments->no_profile ? NULL : &profile, &err))
		return cli_fail(STATUS_FAILED, &err);
	status = fit_judge(fit, found.point, &arguments->run, before, after);
	if (status)
		return status;
	fit_print(stdout, &report);
	return write_overlays(arguments, &report, &err) ? cli_fail(STATUS_FAILED, &err) : STATUS_FINE;
}

static int run(const struct arguments *arguments)
{
	struct error err;
	const struct fit *fit = prepare(arguments, &err);

	return fit ? fit_and_report(arguments, fit) : cli_fail(STATUS_USAGE, &err);
}

int cmd_fit(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "EXPERIMENT...",
		.doc = "Find the values of configuration keys at which the simulation comes nearest to published "
		       "numbers: the RMS of log(simulated / published) over the cells chosen by --rows and --columns, "
		       "and over their changes against the baseline, is least. Several experiments share the values. A "
		       "fit has seen the cells that it used; only the others test it.\v"
		       "Example: contend fit refcount-haswell --rows odd -o fitted.yaml; "
		       "contend reproduce refcount-haswell --overlay fitted.yaml",
		.children = children,
	};
	struct arguments arguments = {
		.arena = arena_create(),
		.fit = { .max_evaluations = FIT_DEFAULT_EVALUATIONS, .seed = 1 },
	};
	int status;

	arguments.run.arena = arguments.arena;
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	arguments.fit.nr_workers = arguments.run.nr_workers;
	arguments.fit.quiet = arguments.run.quiet;
	status = run(&arguments);
	arena_destroy(arguments.arena);
	return status;
}
