/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/run_experiments.h"

#include "sim/cli/cli.h"
#include "sim/cli/output.h"
#include "sim/cli/store.h"
#include "sim/cli/sweep.h"

#include <string.h>

enum {
	KEY_RESUME = 0x200,
	KEY_SHARD,
};

static const struct argp_option options[] = {
	{ "resume", KEY_RESUME, NULL, 0, "Make only the runs that a process which was stopped or killed did not make",
	  0 },
	{ "shard", KEY_SHARD, "I/N", 0,
	  "Make only the I-th of N shares, into DIR/shard-I-of-N, for `contend merge` (default: what Slurm or MPI say)",
	  0 },
	{ 0 },
};

static const struct argp_child children[] = {
	{ &run_options_argp, 0, NULL, 0 },
	{ &show_options_argp, 0, NULL, 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run_request *request = state->input;
	struct error err;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &request->run;
		state->child_inputs[1] = &request->show;
		return 0;
	case KEY_RESUME:
		request->resume = true;
		return 0;
	case KEY_SHARD:
		if (shard_parse(arg, &request->shard, &err))
			argp_error(state, "%s", err.text);
		request->shard_given = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp run_request_argp = { .options = options, .parser = parse, .children = children };

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

static int add_experiment(struct sweep *sweep, const struct experiment *experiment, struct error *err)
{
	if (check_name_is_new(sweep, experiment, err))
		return -1;
	return sweep_add(sweep, experiment, NULL, 0, err) < 0 ? -1 : 0;
}

static const char *directory_of(const struct run_request *request, const char *name, bool alone)
{
	const char *parent = request->run.directory;
	const char *directory = parent;

	if (!parent || !alone)
		directory = arena_printf(request->arena, "%s/%s", parent ? parent : "results", name);
	if (request->shard.of)
		directory = arena_printf(request->arena, "%s/" SHARD_DIRECTORY, directory, request->shard.index,
					 request->shard.of);
	return directory;
}

static int find_shard(struct run_request *request, struct error *err)
{
	if (request->shard_given)
		return 0;
	if (shard_from_environment(&request->shard, err))
		return -1;
	if (request->shard.of)
		fprintf(stderr, "contend: shard %d/%d, as %s say\n", request->shard.index, request->shard.of,
			request->shard.from);
	return 0;
}

/* Everything that can be wrong is found here, before the first run. One store per part. */
static int prepare(struct run_request *request, struct sweep *sweep, struct store *stores, struct error *err)
{
	int i;

	if (sweep->nr_parts > 1 && (request->show.format == TABLE_CSV || request->show.format == TABLE_JSON))
		return error_plain(err, "a program reads one table: with this format name one experiment");
	if (find_shard(request, err))
		return -1;
	for (i = 0; i < sweep->nr_parts; i++) {
		struct sweep_part *part = &sweep->parts[i];

		part->results->shard = request->shard.index;
		part->results->nr_shards = request->shard.of;
		stores[i] = (struct store){
			.arena = request->arena,
			.part = part,
			.directory = directory_of(request, part->experiment->name, sweep->nr_parts == 1),
		};
		if (store_open(&stores[i], request->resume, err))
			return -1;
	}
	for (i = 0; i < sweep->nr_parts; i++) {
		if (store_begin(&stores[i], err))
			return -1;
	}
	return 0;
}

static int show(const struct run_request *request, struct store *store)
{
	const struct sweep_part *part = store->part;
	const struct table_options table = { .format = request->show.format, .baseline = -1, .why = request->show.why };
	const struct save_options save = { .plots = !request->show.no_plots, .quiet = request->run.quiet };
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

static int execute(const struct run_request *request, struct sweep *sweep, struct store *stores)
{
	int status = sweep_execute(sweep, &request->run);
	int i;

	for (i = 0; i < sweep->nr_parts; i++) {
		int shown;

		if (i > 0 && !request->shard.of)
			putchar('\n');
		shown = show(request, &stores[i]);
		if (status == STATUS_FINE)
			status = shown;
	}
	if (status != STATUS_FINE)
		say_how_to_go_on(sweep);
	return status;
}

int run_experiments(struct run_request *request, const struct experiment *const *experiments, int nr_experiments)
{
	struct sweep *sweep = sweep_create(request->arena, request->run.engine);
	struct store *stores = arena_calloc(request->arena, (size_t)nr_experiments, sizeof(*stores));
	struct error err;
	int failed = 0;

	for (int i = 0; i < nr_experiments && !failed; i++)
		failed = add_experiment(sweep, experiments[i], &err);
	if (!failed && prepare(request, sweep, stores, &err) == 0)
		return execute(request, sweep, stores);
	for (int i = 0; i < nr_experiments; i++)
		store_close(&stores[i]);
	return cli_fail(STATUS_USAGE, &err);
}
