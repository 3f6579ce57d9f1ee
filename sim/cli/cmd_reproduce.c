/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend reproduce: published tables against their simulation, with the error of every row. */
#include "models/config.h"
#include "sim/cli/claim.h"
#include "sim/cli/cli.h"
#include "sim/cli/fit.h"
#include "sim/cli/options.h"
#include "sim/cli/reproduction.h"
#include "sim/cli/save.h"
#include "sim/cli/sweep.h"

#include <string.h>
#include <unistd.h>

/* What is reproduced without a name: the tables of patches; those of microbenchmarks calibrate machines. */
static const char *const default_prefixes[] = { "refcount-", "batched-free-", "free-high", "netperf-tcp", NULL };

enum {
	KEY_REPLICATIONS = 0x200,
	KEY_FITTED,
	KEY_REFIT,
	KEY_KEPT,
	KEY_FITS,
	KEY_EVALUATIONS,
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
	bool fitted;
	struct fitted_options fit;
	struct reproduction_plan *plans;
	int nr_plans;
	struct claim **claims; /* with -o: of each plan's directory, as far as they are taken */
	int nr_claims;
};

static const struct argp_option options[] = {
	{ "format", 'f', "FORMAT", 0, "text, json or markdown (default: text)", 0 },
	{ "fitted", KEY_FITTED, NULL, 0,
	  "Values from a part of the cells, scored on the others: alternate rows, and the other machine's table", 0 },
	{ "refit", KEY_REFIT, NULL, 0, "With --fitted: find the values again, kept ones or not", 0 },
	{ "kept", KEY_KEPT, NULL, 0, "With --fitted: fail where kept values are not good any more", 0 },
	{ "fits", KEY_FITS, "DIR", 0, "With --fitted: keep values in DIR (default: configs/fits, which is only read)",
	  0 },
	{ "evaluations", KEY_EVALUATIONS, "N", 0, "With --fitted: choices of values that a fit tries (default: 2000)",
	  0 },
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
	case KEY_FITTED:
		arguments->fitted = true;
		return 0;
	case KEY_REFIT:
		arguments->fit.refit = true;
		return 0;
	case KEY_KEPT:
		arguments->fit.kept = true;
		return 0;
	case KEY_FITS:
		arguments->fit.directory = arg;
		return 0;
	case KEY_EVALUATIONS:
		arguments->fit.max_evaluations = options_number(state, "--evaluations", arg, 1, FIT_MAX_EVALUATIONS);
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

static bool is_default(const char *name)
{
	const char *const *prefix = default_prefixes;

	while (*prefix && strncmp(name, *prefix, strlen(*prefix)) != 0)
		prefix++;
	return *prefix != NULL;
}

/* Without names: every experiment of the patches' tables; only what can be fitted when it is about fits. */
static void name_defaults(struct arguments *arguments)
{
	const char *const *name;

	if (arguments->nr_names > 0)
		return;
	for (name = config_names(arguments->arena, CONFIG_EXPERIMENT); *name; name++) {
		if (arguments->fitted ? strncmp(*name, default_prefixes[0], strlen(default_prefixes[0])) == 0
				      : is_default(*name))
			options_append(arguments->arena, &arguments->names, &arguments->nr_names, *name);
	}
}

static const char *directory_of(const struct arguments *arguments, const struct reproduction_plan *plan)
{
	const char *name = plan->experiment->name;

	if (plan->fitted)
		name = arena_printf(arguments->arena, "%s.%s", name, fitted_split_files[plan->fitted->split]);
	return arena_printf(arguments->arena, "%s/%s", arguments->run.directory, name);
}

static int plan_blind(struct arguments *arguments, struct sweep *sweep, const struct experiment *experiment,
		      struct error *err)
{
	return reproduction_plan(sweep, experiment, &arguments->plans[arguments->nr_plans++], err) ? STATUS_USAGE
												   : STATUS_FINE;
}

/* Both splits, as far as the experiment says how to make them. */
static int plan_fitted(struct arguments *arguments, struct sweep *sweep, const struct experiment *experiment,
		       struct error *err)
{
	int nr_before = arguments->nr_plans;
	int split;

	for (split = 0; split < NR_SPLITS; split++) {
		struct fitted *fitted = arena_alloc(arguments->arena, sizeof(*fitted));
		int status;

		if (!fitted_has_split(experiment, (enum fitted_split)split))
			continue;
		status = fitted_make(&arguments->fit, experiment->path, (enum fitted_split)split, fitted, err);
		if (status)
			return status;
		if (reproduction_plan_fitted(sweep, fitted, &arguments->plans[arguments->nr_plans++], err))
			return STATUS_USAGE;
	}
	if (arguments->nr_plans > nr_before)
		return STATUS_FINE;
	error_plain(err, "%s does not say what to fit: its file has no `fit:` section", experiment->path);
	return STATUS_USAGE;
}

static int plan_experiment(struct arguments *arguments, struct sweep *sweep, const char *name, struct error *err)
{
	const struct run_options *run = &arguments->run;
	const char *path = config_find(arguments->arena, CONFIG_EXPERIMENT, name, (struct source_pos){ 0 }, err);
	const struct experiment *experiment =
		path ? experiment_load(arguments->arena, path, run->sets, run->nr_sets, err) : NULL;

	if (!experiment)
		return STATUS_USAGE;
	return arguments->fitted ? plan_fitted(arguments, sweep, experiment, err)
				 : plan_blind(arguments, sweep, experiment, err);
}

static int claim_directories(struct arguments *arguments, struct error *err)
{
	arguments->claims = arena_calloc(arguments->arena, (size_t)arguments->nr_plans + 1, sizeof(*arguments->claims));
	while (arguments->run.directory && arguments->nr_claims < arguments->nr_plans) {
		const struct reproduction_plan *plan = &arguments->plans[arguments->nr_claims];
		struct claim *claim = claim_take(arguments->arena, directory_of(arguments, plan), err);

		if (!claim)
			return -1;
		arguments->claims[arguments->nr_claims++] = claim;
	}
	return 0;
}

static void give_back_directories(const struct arguments *arguments)
{
	int i;

	for (i = 0; i < arguments->nr_claims; i++) {
		claim_release(arguments->claims[i]);
		rmdir(directory_of(arguments, &arguments->plans[i])); /* only if nothing was written */
	}
}

/* Everything that can be wrong is found here, before the sweep runs. Returns an exit status. */
static int make_plans(struct arguments *arguments, struct sweep *sweep, struct error *err)
{
	int i;

	arguments->plans =
		arena_calloc(arguments->arena, (size_t)arguments->nr_names * NR_SPLITS + 1, sizeof(*arguments->plans));
	for (i = 0; i < arguments->nr_names; i++) {
		int status = plan_experiment(arguments, sweep, arguments->names[i], err);

		if (status)
			return status;
	}
	return claim_directories(arguments, err) ? STATUS_USAGE : STATUS_FINE;
}

static int print(const struct arguments *arguments, struct reproduction *const *all, struct error *err)
{
	if (arguments->format == FORMAT_JSON)
		return reproduction_print_json(stdout, all, arguments->nr_plans, err);
	reproduction_print_text(stdout, all, arguments->nr_plans, arguments->format == FORMAT_MARKDOWN);
	return 0;
}

static int save(const struct arguments *arguments, const struct sweep *sweep, const struct reproduction_plan *plan)
{
	const struct save_options save_options = { .plots = true, .quiet = arguments->run.quiet };

	if (!arguments->run.directory)
		return STATUS_FINE;
	return save_part(&sweep->parts[plan->first_part], directory_of(arguments, plan), &save_options);
}

/* Compare, save and print what the sweep found. */
static int report(const struct arguments *arguments, const struct sweep *sweep)
{
	struct reproduction **all = arena_calloc(arguments->arena, (size_t)arguments->nr_plans + 1, sizeof(*all));
	struct error err;
	int status = STATUS_FINE;
	int i;

	for (i = 0; i < arguments->nr_plans; i++) {
		all[i] = reproduction_make(sweep, &arguments->plans[i], &err);
		if (!all[i])
			return cli_fail(STATUS_USAGE, &err);
		if (save(arguments, sweep, &arguments->plans[i]))
			status = STATUS_FAILED;
	}
	return print(arguments, all, &err) ? cli_fail(STATUS_FAILED, &err) : status;
}

static int execute(const struct arguments *arguments, struct sweep *sweep)
{
	const int status = sweep_execute(sweep, &arguments->run);
	const int reported = report(arguments, sweep);

	return status ? status : reported;
}

static int reproduce(struct arguments *arguments)
{
	struct sweep *sweep = sweep_create(arguments->arena, arguments->run.engine);
	struct error err;
	int status;

	name_defaults(arguments);
	if (arguments->nr_names == 0) {
		error_plain(&err, "there is no experiment of a patch's published table; name one");
		return cli_fail(STATUS_USAGE, &err);
	}
	status = make_plans(arguments, sweep, &err);
	if (status)
		cli_fail((enum exit_status)status, &err);
	else
		status = execute(arguments, sweep);
	give_back_directories(arguments);
	return status;
}

int cmd_reproduce(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[EXPERIMENT...]",
		.doc = "Simulate what somebody measured and published, and print both side by side with the error of "
		       "every row, the band over what nobody measured, and the score. Blind: nothing is tuned to the "
		       "table. Fitted: values that nobody measured come from a part of the cells, and only the others "
		       "are shown and scored. Without a name: every table of a patch, and with --fitted those about "
		       "refcounts. Writes files only with -o and --fits.\v"
		       "Example: contend reproduce refcount-epyc --format markdown",
		.children = children,
	};
	struct arguments arguments = { .arena = arena_create() };
	int status;

	arguments.run.arena = arguments.arena;
	arguments.fit.run = &arguments.run;
	arguments.fit.max_evaluations = FIT_DEFAULT_EVALUATIONS;
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	status = reproduce(&arguments);
	arena_destroy(arguments.arena);
	return status;
}
