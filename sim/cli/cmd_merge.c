/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend merge: the shards of a sweep put together into what one process would have written. */
#include "sim/cli/cli.h"
#include "sim/cli/claim.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/paths.h"
#include "sim/cli/save.h"
#include "sim/cli/shard.h"
#include "sim/io/results_file.h"
#include "sim/stats/replications.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arguments {
	struct arena *arena;
	const char **names; /* directories of shards, or of directories of shards */
	int nr_names;
	const char *output;
	struct show_options show;
	bool quiet;
};

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Where the whole goes (default: the one directory that holds all shards)", 0 },
	{ "quiet", 'q', NULL, 0, "Do not say where the results are", 0 },
	{ 0 },
};

static const struct argp_child children[] = { { &show_options_argp, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->show;
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case 'q':
		arguments->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		options_append(arguments->arena, &arguments->names, &arguments->nr_names, arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name the directories of the shards, or one that holds them, e.g. results/demo");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The directories of the shards, in the order in which they were named. */
struct pieces {
	struct arena *arena;
	const char **directories;
	int nr, max;
};

static bool has_file(struct arena *arena, const char *directory, const char *name)
{
	return access(arena_printf(arena, "%s/%s", directory, name), F_OK) == 0;
}

static void add_piece(struct pieces *pieces, const char *directory)
{
	pieces->directories =
		arena_grow(pieces->arena, pieces->directories, pieces->nr, &pieces->max, sizeof(*pieces->directories));
	pieces->directories[pieces->nr++] = directory;
}

static int is_shard_name(const struct dirent *entry)
{
	int index, of;
	int end = 0;

	return sscanf(entry->d_name, SHARD_DIRECTORY "%n", &index, &of, &end) == 2 && !entry->d_name[end];
}

/* A directory of a shard, or those in a directory of shards. Returns whether it was one of shards. */
static bool add_named(struct pieces *pieces, const char *name)
{
	struct dirent **entries = NULL;
	int nr = scandir(name, &entries, is_shard_name, versionsort);
	int i;

	for (i = 0; i < nr; i++) {
		add_piece(pieces, arena_printf(pieces->arena, "%s/%s", name, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	if (nr <= 0)
		add_piece(pieces, name);
	return nr > 0;
}

static struct results *load_piece(struct arena *arena, const char *directory, struct error *err)
{
	struct results *results;

	if (!has_file(arena, directory, "result.json")) {
		error_plain(err, "there is no shard in '%s'%s", directory,
			    has_file(arena, directory, "journal")
				    ? " yet: its sweep was not finished (--resume goes on with it)"
				    : ": it has no result.json");
		return NULL;
	}
	results = results_load_any(arena, directory, err);
	if (results && !results->nr_shards) {
		error_plain(err, "'%s' is no shard: it is a whole", directory);
		return NULL;
	}
	return results;
}

/* The whole as it grows. */
struct whole {
	struct results *results;
	const char **from; /* by shard: the directory, or NULL */
	int nr_shards;
};

static int check_fit(const struct whole *whole, const char *directory, const struct results *piece, struct error *err)
{
	const char *difference = results_difference(piece, whole->results);
	const char *before = whole->from[piece->shard <= whole->nr_shards ? piece->shard - 1 : 0];

	if (difference)
		return error_plain(err, "'%s' is of another sweep than the shards before it: another %s", directory,
				   difference);
	if (piece->nr_shards != whole->nr_shards)
		return error_plain(err, "'%s' is one of %d shards, the ones before it are of %d", directory,
				   piece->nr_shards, whole->nr_shards);
	if (before)
		return error_plain(err, "shard %d/%d is there twice: '%s' and '%s'", piece->shard, piece->nr_shards,
				   before, directory);
	return 0;
}

/* What no other shard has, into the whole. Two that have the same run are not of one deal. */
static int take_values(struct results *whole, const struct results *piece, const char *directory, struct error *err)
{
	size_t nr = results_nr_values(whole);
	size_t i;

	for (i = 0; i < nr; i++) {
		if (isnan(piece->values[i]))
			continue;
		if (!isnan(whole->values[i]))
			return error_plain(err, "'%s' has runs that another shard has, too", directory);
		whole->values[i] = piece->values[i];
	}
	return 0;
}

/* The first shard says what the whole looks like. */
static void whole_begin(struct arena *arena, struct whole *whole, const struct results *piece)
{
	whole->nr_shards = piece->nr_shards;
	whole->from = arena_calloc(arena, (size_t)piece->nr_shards, sizeof(*whole->from));
	whole->results = arena_alloc(arena, sizeof(*whole->results));
	*whole->results = *piece;
	whole->results->arena = arena;
	whole->results->shard = 0;
	whole->results->nr_shards = 0;
	results_allocate(whole->results);
}

static int take_piece(struct arena *arena, struct whole *whole, const char *directory, struct error *err)
{
	struct arena *scratch = arena_create();
	/* the first one's names and axes become those of the whole */
	struct results *piece = load_piece(whole->results ? scratch : arena, directory, err);
	int failed = -1;

	if (piece && !whole->results)
		whole_begin(arena, whole, piece);
	if (piece && check_fit(whole, directory, piece, err) == 0) {
		whole->from[piece->shard - 1] = directory;
		failed = take_values(whole->results, piece, directory, err);
	}
	arena_destroy(scratch);
	return failed;
}

static struct results *put_together(const struct pieces *pieces, struct error *err)
{
	struct whole whole = { .results = NULL };
	int i;

	for (i = 0; i < pieces->nr; i++) {
		if (take_piece(pieces->arena, &whole, pieces->directories[i], err))
			return NULL;
	}
	for (i = 0; i < whole.nr_shards; i++) {
		if (!whole.from[i]) {
			error_plain(err, "shard %d/%d is missing", i + 1, whole.nr_shards);
			return NULL;
		}
	}
	return whole.results;
}

/* Runs that should be there and are not: they failed, or a shard was interrupted. */
static int count_missing(const struct results *results)
{
	int nr = 0;
	int machine, point, variant;

	for (machine = 0; machine < results->nr_machines; machine++) {
		for (point = 0; point < results_nr_points(results); point++) {
			int kept = replications_kept(results, machine, point);

			for (variant = 0; variant < results->nr_variants; variant++)
				nr += kept - results_nr_done(results, machine, variant, point);
		}
	}
	return nr;
}

static int warn_missing(const struct pieces *pieces, const struct results *whole)
{
	int nr = count_missing(whole);
	int i;

	if (nr == 0)
		return STATUS_FINE;
	fprintf(stderr, "contend: %d run%s missing; the rest is put together\n", nr, nr == 1 ? " is" : "s are");
	for (i = 0; i < pieces->nr; i++) {
		if (has_file(pieces->arena, pieces->directories[i], "journal"))
			fprintf(stderr, "contend: '%s' was not finished: --resume would make what it lacks\n",
				pieces->directories[i]);
	}
	return STATUS_FAILED;
}

static int write_whole(const struct arguments *arguments, const struct results *whole, const char *directory)
{
	const struct save_options save = { .plots = !arguments->show.no_plots, .quiet = arguments->quiet };
	const struct table_options table = { .format = arguments->show.format,
					     .baseline = -1,
					     .why = arguments->show.why };
	struct error err;
	struct claim *claim = claim_take(arguments->arena, directory, &err);
	int status;

	if (!claim)
		return cli_fail(STATUS_USAGE, &err);
	status = save_results(whole, directory, &save);
	claim_release(claim);
	if (output_table(whole, &table, NULL, &err))
		return cli_fail(STATUS_FAILED, &err);
	return status;
}

static int merge(const struct arguments *arguments)
{
	struct pieces pieces = { .arena = arguments->arena };
	const char *directory = arguments->output;
	struct results *whole;
	struct error err;
	int missing, status;
	int i;

	for (i = 0; i < arguments->nr_names; i++) {
		if (add_named(&pieces, arguments->names[i]) && arguments->nr_names == 1 && !directory)
			directory = arguments->names[i];
	}
	if (!directory) {
		error_plain(&err, "say with -o where the whole goes");
		return cli_fail(STATUS_USAGE, &err);
	}
	whole = put_together(&pieces, &err);
	if (!whole)
		return cli_fail(STATUS_USAGE, &err);
	missing = warn_missing(&pieces, whole);
	status = write_whole(arguments, whole, directory);
	return status ? status : missing;
}

int cmd_merge(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "DIR...",
		.doc = "Put the shards that `contend run --shard I/N` wrote together: print the table and write the "
		       "files that one process would have written, byte by byte. DIR is the directory of a shard, or "
		       "one that holds shard-1-of-N to shard-N-of-N.\v"
		       "Example: contend merge results/demo",
		.children = children,
	};
	struct arguments arguments = { .arena = arena_create() };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	status = merge(&arguments);
	arena_destroy(arguments.arena);
	return status;
}
