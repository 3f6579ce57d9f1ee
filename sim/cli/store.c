/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/store.h"

#include "sim/cli/build_id.h"
#include "sim/cli/cli.h"
#include "sim/io/results_file.h"
#include "sim/util/outfile.h"

#include <string.h>
#include <unistd.h>

static int refuse(const struct store *store, const char *what, struct error *err)
{
	return error_plain(err, "the results in '%s' are of another %s; without --resume they are replaced",
			   store->directory, what);
}

/* Results that are there, complete or not, into the part's. */
static int adopt_results(const struct store *store, struct results *results, struct error *err)
{
	struct arena *scratch;
	const struct results *found;
	const char *difference = NULL;
	int failed = -1;

	if (access(arena_printf(store->arena, "%s/result.json", store->directory), F_OK) != 0)
		return 0;
	scratch = arena_create();
	found = results_load_any(scratch, store->directory, err);
	if (found)
		difference = results_difference(found, results);
	if (found && !difference && (found->shard != results->shard || found->nr_shards != results->nr_shards))
		difference = "shard";
	if (difference)
		refuse(store, difference, err);
	if (found && !difference) {
		memcpy(results->values, found->values, results_nr_values(results) * sizeof(*results->values));
		failed = 0;
	}
	arena_destroy(scratch);
	return failed;
}

/*
 * What an earlier process made. A journal has all of it: results beside one may be those of another sweep, which this one
 * was to replace.
 */
static int read_earlier(struct store *store, const char *build, struct error *err)
{
	struct results *results = store->part->results;

	if (journal_read(store->journal_path, build, results, &store->content, err)) {
		error_append(err, "; without --resume the sweep starts anew");
		return -1;
	}
	if (store->content.nr_damaged > 0)
		cli_warn("%s: %d damaged lines are passed over, their runs are made again", store->journal_path,
			 store->content.nr_damaged);
	return store->content.sound_bytes ? 0 : adopt_results(store, results, err);
}

void store_close(struct store *store)
{
	if (!store->claim)
		return;
	journal_close(store->part->journal);
	store->part->journal = NULL;
	claim_release(store->claim);
	store->claim = NULL;
}

int store_open(struct store *store, bool resume, struct error *err)
{
	char build[BUILD_ID_TEXT_BYTES];

	store->journal_path = arena_printf(store->arena, "%s/journal", store->directory);
	store->claim = claim_take(store->arena, store->directory, err);
	if (!store->claim)
		return -1;
	if (resume && read_earlier(store, build_id(build), err)) {
		store_close(store);
		return -1;
	}
	return 0;
}

/* Everything that results have already, into a journal that was just started. */
static int note_adopted(const struct sweep_part *part, struct error *err)
{
	const struct results *results = part->results;
	const int per_variant = results_nr_points(results) * results->nr_replications;
	const int nr = results->nr_machines * results->nr_variants * per_variant;
	int i;

	for (i = 0; i < nr; i++) {
		struct run_place place = {
			.machine = i / per_variant / results->nr_variants,
			.variant = i / per_variant % results->nr_variants,
			.point = i % per_variant / results->nr_replications,
			.replication = i % results->nr_replications,
		};

		if (results_has_run(results, place.machine, place.variant, place.point, place.replication) &&
		    journal_append(part->journal, results, place, err))
			return -1;
	}
	return 0;
}

int store_begin(struct store *store, struct error *err)
{
	struct sweep_part *part = store->part;
	char build[BUILD_ID_TEXT_BYTES];

	if (store->content.sound_bytes) {
		part->journal = journal_continue(store->journal_path, &store->content, err);
		return part->journal ? 0 : -1;
	}
	if (access(store->journal_path, F_OK) == 0)
		fprintf(stderr,
			"contend: a sweep into '%s' was not finished; it starts anew (--resume would have gone on)\n",
			store->directory);
	part->journal = journal_create(store->journal_path, build_id(build), part->results, err);
	return part->journal ? note_adopted(part, err) : -1;
}

int store_finish(struct store *store, const struct save_options *options)
{
	const struct sweep_part *part = store->part;
	bool nothing = part->nr_done == 0 && part->nr_runs > 0; /* a shard may have no share */
	int status;

	journal_close(store->part->journal);
	store->part->journal = NULL;
	status = save_part(part, store->directory, options);
	/* last: until then a process that is killed leaves something to go on with */
	if (nothing || (status == STATUS_FINE && part->nr_done == part->nr_runs)) {
		outfile_sync_directory(store->directory);
		unlink(store->journal_path);
	}
	store_close(store);
	if (nothing)
		rmdir(store->directory); /* only if it is empty: results of an earlier run stay */
	return status;
}
