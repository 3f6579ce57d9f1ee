/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/fit.h"

#include <math.h>
#include <string.h>

#include "sim/io/bind.h"

struct fit *fit_create(struct arena *arena, enum engine_kind engine)
{
	struct fit *fit = arena_alloc(arena, sizeof(*fit));

	fit->arena = arena;
	fit->engine = engine;
	return fit;
}

static int find_metric(const struct published *published)
{
	int metric = 0;

	while (strcmp(metric_infos[metric].name, published->metric) != 0)
		metric++; /* published_score found it among the results' metrics, which are these */
	return metric;
}

static int add_cell(struct fit *fit, const struct results *results, int row, int column, struct error *err)
{
	const struct fit_member *member = &fit->members[fit->nr_members - 1];
	const struct published *published = member->published;
	struct fit_cell cell = {
		.member = fit->nr_members - 1,
		.row = row,
		.column = column,
		.point = published_point(published, results, row),
		.published = published->values[row * published->nr_columns + column],
	};
	struct arena *scratch;
	struct run_config config;
	int failed;

	if (cell.point < 0 || !(cell.published > 0))
		return 0;
	while (strcmp(results->variants[cell.variant], published->columns[column]) != 0)
		cell.variant++; /* published_score found it */
	scratch = arena_create();
	failed = experiment_resolve(member->experiment, scratch, 0, cell.variant, cell.point, NULL, &config, err);
	cell.nr_threads = failed ? 0 : config.nr_threads;
	arena_destroy(scratch);
	fit->cells[fit->nr_cells++] = cell;
	return failed;
}

static int add_cells(struct fit *fit, const struct results *results, struct error *err)
{
	const struct published *published = fit->members[fit->nr_members - 1].published;
	int nr = published->nr_rows * published->nr_columns;
	struct fit_cell *cells = arena_calloc(fit->arena, (size_t)(fit->nr_cells + nr), sizeof(*cells));
	int i;

	if (fit->nr_cells > 0)
		memcpy(cells, fit->cells, (size_t)fit->nr_cells * sizeof(*cells));
	fit->cells = cells;
	for (i = 0; i < nr; i++) {
		if (add_cell(fit, results, i / published->nr_columns, i % published->nr_columns, err))
			return -1;
	}
	return 0;
}

int fit_add_experiment(struct fit *fit, const struct experiment *experiment, struct error *err)
{
	struct fit_member *member = &fit->members[fit->nr_members];
	struct results *results = experiment_results(experiment, fit->arena, err);
	struct cell_score *unused;
	struct score score;

	if (!results)
		return -1;
	if (fit->nr_members == FIT_MAX_EXPERIMENTS)
		return error_plain(err, "a fit takes at most %d experiments", FIT_MAX_EXPERIMENTS);
	if (!experiment->published)
		return error_plain(err, "%s has no table to fit to: its file names none under `published:`",
				   experiment->path);
	member->experiment = experiment;
	member->published = published_load(fit->arena, experiment->published, err);
	if (!member->published)
		return -1;
	unused = arena_calloc(fit->arena, (size_t)(member->published->nr_rows * member->published->nr_columns),
			      sizeof(*unused));
	if (published_score(member->published, results, unused, &score, err))
		return -1;
	if (member->published->kind != PUBLISHED_LEVEL || !member->published->metric)
		return error_plain(err, "%s: a fit needs levels of one metric, but '%s' has others", experiment->path,
				   experiment->published);
	member->metric = (enum run_metric)find_metric(member->published);
	fit->nr_members++;
	return add_cells(fit, results, err);
}

/* Whose key it is: -1 all members'. *key moves behind "EXPERIMENT:". */
static int read_owner(const struct fit *fit, const char **key, int *owner, struct source_pos pos, struct error *err)
{
	const char *names[FIT_MAX_EXPERIMENTS + 1] = { NULL };
	const char *colon = strchr(*key, ':');
	const char *name;
	int i;

	*owner = -1;
	if (!colon)
		return 0;
	name = arena_strndup(fit->arena, *key, (size_t)(colon - *key));
	*key = colon + 1;
	for (i = 0; i < fit->nr_members; i++) {
		names[i] = fit->members[i].experiment->name;
		if (strcmp(names[i], name) == 0)
			*owner = i;
	}
	return *owner >= 0 ? 0 : bind_unknown(pos, "no experiment of this fit is called", name, names, err);
}

/* Is a member's value of the key varied already? */
static bool is_taken(const struct fit *fit, int member, const char *key)
{
	int i;

	for (i = 0; i < fit->nr_keys; i++) {
		if (fit->members[member].takes[i] && strcmp(fit->keys[i].key, key) == 0)
			return true;
	}
	return false;
}

/* The key for one member; the range that the first one has holds for all. */
static int read_key(struct fit *fit, int member, const char *key, const char *range[2], struct source_pos pos,
		    struct error *err)
{
	struct tunable tunable;

	if (tunable_read(&tunable, fit->members[member].experiment, key, range[0], range[1], pos, err))
		return -1;
	if (is_taken(fit, member, key))
		return error_set(err, pos, "'%s' is varied twice", key);
	fit->members[member].takes[fit->nr_keys] = tunable.taken;
	if (!tunable.taken || fit->keys[fit->nr_keys].taken)
		return 0;
	fit->keys[fit->nr_keys] = tunable;
	range[0] = tunable_text(&tunable, fit->arena, tunable.low);
	range[1] = tunable_text(&tunable, fit->arena, tunable.high);
	return 0;
}

int fit_add_key(struct fit *fit, const char *name, const char *low, const char *high, struct source_pos pos,
		struct error *err)
{
	const char *range[2] = { low, high };
	const char *key = name;
	int owner, i;

	if (fit->nr_keys == FIT_MAX_KEYS)
		return error_set(err, pos, "at most %d keys can be varied", FIT_MAX_KEYS);
	if (read_owner(fit, &key, &owner, pos, err))
		return -1;
	fit->keys[fit->nr_keys] = (struct tunable){ 0 };
	for (i = 0; i < fit->nr_members; i++) {
		fit->members[i].takes[fit->nr_keys] = false;
		if ((owner < 0 || owner == i) && read_key(fit, i, key, range, pos, err))
			return -1;
	}
	if (!fit->keys[fit->nr_keys].taken)
		return error_set(err, pos, "no variant takes '%s': what it names is not in use", key);
	fit->key_names[fit->nr_keys++] = arena_strdup(fit->arena, name);
	return 0;
}

int fit_add_key_text(struct fit *fit, const char *text, struct error *err)
{
	const struct source_pos pos = { .file = arena_printf(fit->arena, "--vary %s", text) };
	const char *equals = strchr(text, '=');
	const char *dots = equals ? strstr(equals, "..") : NULL;
	const char *key;

	if (!*text || text == equals)
		return error_plain(err, "--vary: a key is empty");
	if (!equals)
		return fit_add_key(fit, text, NULL, NULL, pos, err);
	key = arena_strndup(fit->arena, text, (size_t)(equals - text));
	if (!dots || dots == equals + 1 || !dots[2])
		return error_set(err, pos, "a range is KEY=LOW..HIGH, e.g. machine.transfer.socket_ns=40..60");
	return fit_add_key(fit, key, arena_strndup(fit->arena, equals + 1, (size_t)(dots - equals - 1)), dots + 2, pos,
			   err);
}

static bool has_key(const struct fit *fit, const char *key)
{
	int i;

	for (i = 0; i < fit->nr_members; i++) {
		if (is_taken(fit, i, key))
			return true;
	}
	return false;
}

int fit_add_ranges(struct fit *fit, const struct experiment *experiment, const struct key_ranges *ranges,
		   struct error *err)
{
	const struct source_pos pos = { .file = experiment->path };
	int i;

	for (i = 0; i < ranges->nr; i++) {
		const struct key_range *range = &ranges->ranges[i];

		if (!has_key(fit, range->key) && fit_add_key(fit, range->key, range->low, range->high, pos, err))
			return -1;
	}
	return 0;
}

int fit_add_listed(struct fit *fit, struct error *err)
{
	int i;

	for (i = 0; i < fit->nr_members; i++) {
		const struct experiment *experiment = fit->members[i].experiment;
		const struct key_ranges *vary = &experiment->fit.vary;

		if (fit_add_ranges(fit, experiment, vary->nr > 0 ? vary : &experiment->priors, err))
			return -1;
	}
	if (fit->nr_keys == 0)
		return error_plain(err, "nothing to vary: name keys with --vary, or list them under `fit:` in %s",
				   fit->members[0].experiment->path);
	return 0;
}
