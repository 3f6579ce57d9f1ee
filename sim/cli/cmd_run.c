/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend run: simulate experiments, write their results, print their tables. */
#include "models/config.h"
#include "sim/cli/cli.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/shard.h"
#include "sim/cli/store.h"
#include "sim/cli/sweep.h"

#include <string.h>

enum {
	KEY_NO_PLOTS = 0x200,
	KEY_WHY,
	KEY_RESUME,
	KEY_SHARD,
};

struct arguments {
	struct run_options run;
	struct arena *arena;
	const char **names;
	int nr_names;
	enum table_format format;
	bool why;
	bool no_plots;
	bool resume;
	bool shard_given; /* otherwise the environment says */
	struct shard shard;
};

static const struct argp_option options[] = {
	{ "format", 'f', "FORMAT", 0,
	  "The printed table: text, cover-letter, mmtests, delta, fastpath, markdown, csv or json", 0 },
	{ "why", KEY_WHY, NULL, 0, "Add what explains it: failures, transactions by distance, waiting, fairness", 0 },
	{ "no-plots", KEY_NO_PLOTS, NULL, 0, "Draw no figures", 0 },
	{ "resume", KEY_RESUME, NULL, 0, "Make only the runs that a process which was stopped or killed did not make",
	  0 },
	{ "shard", KEY_SHARD, "I/N", 0,
	  "Make only the I-th of N shares, into DIR/shard-I-of-N, for `contend merge` (default: what Slurm or MPI say)",
	  0 },
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
	case KEY_RESUME:
		arguments->resume = true;
		return 0;
	case KEY_SHARD:
		if (shard_parse(arg, &arguments->shard, &err))
			argp_error(state, "%s", err.text);
		arguments->shard_given = true;
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
	const char *directory = parent;

	if (!parent || arguments->nr_names > 1)
		directory = arena_printf(arguments->arena, "%s/%s", parent ? parent : "results", name);
	if (arguments->shard.of)
		directory = arena_printf(arguments->arena, "%s/" SHARD_DIRECTORY, directory, arguments->shard.index,
					 arguments->shard.of);
	return directory;
}

static int find_shard(struct arguments *arguments, struct error *err)
{
	if (arguments->shard_given)
		return 0;
	if (shard_from_environment(&arguments->shard, err))
		return -1;
	if (arguments->shard.of)
		fprintf(stderr, "contend: shard %d/%d, as %s say\n", arguments->shard.index, arguments->shard.of,
			arguments->shard.from);
	return 0;
}

/* Everything that can be wrong is found here, before the first run. One store per part. */
static int prepare(struct arguments *arguments, struct sweep *sweep, struct store *stores, struct error *err)
{
	int i;

	if (arguments->nr_names > 1 && (arguments->format == TABLE_CSV || arguments->format == TABLE_JSON))
		return error_plain(err, "a program reads one table: with this format name one experiment");
	if (find_shard(arguments, err))
		return -1;
	for (i = 0; i < arguments->nr_names; i++) {
		if (add_experiment(arguments, sweep, arguments->names[i], err))
			return -1;
	}
	for (i = 0; i < sweep->nr_parts; i++) {
		struct sweep_part *part = &sweep->parts[i];

		part->results->shard = arguments->shard.index;
		part->results->nr_shards = arguments->shard.of;
		stores[i] = (struct store){
			.arena = arguments->arena,
			.part = part,
			.directory = directory_of(arguments, part->experiment->name),
		};
		if (store_open(&stores[i], arguments->resume, err))
			return -1;
	}
	for (i = 0; i < sweep->nr_parts; i++) {
		if (store_begin(&stores[i], err))
			return -1;
	}
	return 0;
}

static int show(const struct arguments *arguments, struct store *store)
{
	const struct sweep_part *part = store->part;
	const struct table_options table = { .format = arguments->format, .baseline = -1, .why = arguments->why };
	const struct save_options save = { .plots = !arguments->no_plots, .quiet = arguments->run.quiet };
	struct error err;
	int status = store_finish(store, &save);

	if (part->nr_done > 0 && !part->results->nr_shards && output_table(part->results, &table, NULL, &err))
		status = cli_fail(STATUS_FAILED, &err);
	return status;
}

/* After a sweep that lacks runs. */
static void say_how_to_go_on(const struct sweep *sweep)
{
	bool kept = false;
	int i;

	for (i = 0; i < sweep->nr_parts; i++)
		kept |= sweep->parts[i].nr_done > 0 && sweep->parts[i].nr_done < sweep->parts[i].nr_runs;
	if (kept)
		fputs("contend: the same command with --resume makes only the runs that are missing\n", stderr);
}

static int execute(const struct arguments *arguments, struct sweep *sweep, struct store *stores)
{
	int status = sweep_execute(sweep, &arguments->run);
	int i;

	for (i = 0; i < sweep->nr_parts; i++) {
		int shown;

		if (i > 0 && !arguments->shard.of)
			putchar('\n');
		shown = show(arguments, &stores[i]);
		if (status == STATUS_FINE)
			status = shown;
	}
	if (status != STATUS_FINE)
		say_how_to_go_on(sweep);
	return status;
}

static int run(struct arguments *arguments)
{
	struct sweep *sweep = sweep_create(arguments->arena, arguments->run.engine);
	struct store *stores = arena_calloc(arguments->arena, (size_t)arguments->nr_names, sizeof(*stores));
	struct error err;
	int i;

	if (prepare(arguments, sweep, stores, &err) == 0)
		return execute(arguments, sweep, stores);
	for (i = 0; i < arguments->nr_names; i++)
		store_close(&stores[i]);
	return cli_fail(STATUS_USAGE, &err);
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
