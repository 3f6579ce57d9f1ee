/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/reproduction.h"

#include <math.h>
#include <string.h>

/* One bound of one prior: a single run per point, short, since the band is wide. */
static int add_prior(struct sweep *sweep, const struct experiment *experiment, const char *key, const char *value,
		     struct error *err)
{
	struct yaml_node *overlay = overlay_create(sweep->arena);

	if (yaml_set(sweep->arena, overlay, key, value, (struct source_pos){ .file = "prior" }, err))
		return -1;
	return sweep_add(sweep, experiment, overlay, SWEEP_BRIEF, err);
}

static int load_published(struct arena *arena, const struct experiment *experiment, struct reproduction_plan *plan,
			  struct error *err)
{
	int i;

	if (!experiment->published)
		return error_plain(err, "%s has no table to reproduce: its file names none under `published:`",
				   experiment->path);
	plan->published = published_load(arena, experiment->published, err);
	if (!plan->published)
		return -1;
	for (i = 0; i < experiment->nr_published_used; i++) {
		if (published_mark_used(plan->published, experiment->published_used[i], err))
			return -1;
	}
	return 0;
}

/* Whether table and experiment fit together, found out on the empty results before anything runs. */
static int check_fit(const struct sweep *sweep, const struct reproduction_plan *plan, struct error *err)
{
	const struct published *published = plan->published;
	struct cell_score *cells =
		arena_calloc(sweep->arena, (size_t)(published->nr_rows * published->nr_columns), sizeof(*cells));
	struct score unused;

	return published_score(published, sweep->parts[plan->first_part].results, cells, &unused, err);
}

int reproduction_plan(struct sweep *sweep, const struct experiment *experiment, struct reproduction_plan *plan,
		      struct error *err)
{
	int i;

	*plan = (struct reproduction_plan){ .experiment = experiment, .first_part = sweep->nr_parts };
	if (load_published(sweep->arena, experiment, plan, err) || sweep_add(sweep, experiment, NULL, 0, err) < 0)
		return -1;
	for (i = 0; i < experiment->priors.nr; i++) {
		const struct key_range *prior = &experiment->priors.ranges[i];

		if (add_prior(sweep, experiment, prior->key, prior->low, err) < 0 ||
		    add_prior(sweep, experiment, prior->key, prior->high, err) < 0)
			return -1;
	}
	plan->nr_parts = sweep->nr_parts - plan->first_part;
	return check_fit(sweep, plan, err);
}

int reproduction_plan_fitted(struct sweep *sweep, const struct fitted *fitted, struct reproduction_plan *plan,
			     struct error *err)
{
	const struct experiment *experiment = fitted->experiment;

	*plan = (struct reproduction_plan){
		.experiment = experiment,
		.fitted = fitted,
		.first_part = sweep->nr_parts,
		.nr_parts = 1,
	};
	if (load_published(sweep->arena, experiment, plan, err) || sweep_add(sweep, experiment, NULL, 0, err) < 0)
		return -1;
	fitted_mark_used(fitted, plan->published);
	return check_fit(sweep, plan, err);
}

/* fmin and fmax leave NAN out, so a part that lacks a cell does not widen or void its band. */
static void widen(double *low, double *high, double value)
{
	*low = fmin(*low, value);
	*high = fmax(*high, value);
}

static int find_column(const struct published *published, const char *name)
{
	int i = 0;

	while (i < published->nr_columns && strcmp(published->columns[i], name) != 0)
		i++;
	return i < published->nr_columns ? i : -1;
}

bool reproduction_has_change(const struct reproduction *reproduction, int column)
{
	if (reproduction->published->kind == PUBLISHED_CHANGE_PCT)
		return true;
	return reproduction->baseline_column >= 0 && column != reproduction->baseline_column;
}

/* Widen every band by one part's values. */
static int add_to_band(struct reproduction *reproduction, const struct results *results, struct cell_score *cells,
		       struct error *err)
{
	const struct published *published = reproduction->published;
	struct score unused;
	int i;

	if (published_score(published, results, cells, &unused, err))
		return -1;
	for (i = 0; i < published->nr_rows * published->nr_columns; i++) {
		struct cell_score *cell = &reproduction->cells[i];

		widen(&cell->band_low, &cell->band_high, cells[i].simulated.mean);
		widen(&cell->change.band_low, &cell->change.band_high, cells[i].change.simulated.mean);
	}
	return 0;
}

static int make_band(struct arena *arena, struct reproduction *reproduction, const struct sweep *sweep,
		     const struct reproduction_plan *plan, struct error *err)
{
	const struct published *published = plan->published;
	struct cell_score *cells =
		arena_calloc(arena, (size_t)(published->nr_rows * published->nr_columns), sizeof(*cells));
	int i;

	reproduction->has_band = plan->nr_parts > 1;
	for (i = 0; reproduction->has_band && i < plan->nr_parts; i++) {
		if (add_to_band(reproduction, sweep->parts[plan->first_part + i].results, cells, err))
			return -1;
	}
	return 0;
}

struct reproduction *reproduction_make(const struct sweep *sweep, const struct reproduction_plan *plan,
				       struct error *err)
{
	struct arena *arena = sweep->arena;
	struct reproduction *reproduction = arena_alloc(arena, sizeof(*reproduction));
	const struct published *published = plan->published;
	size_t nr_cells = (size_t)(published->nr_rows * published->nr_columns);
	const struct results *results = sweep->parts[plan->first_part].results;

	reproduction->experiment = plan->experiment;
	reproduction->fitted = plan->fitted;
	reproduction->published = published;
	reproduction->results = results;
	reproduction->baseline_column = find_column(published, results->variants[results->baseline]);
	reproduction->cells = arena_calloc(arena, nr_cells, sizeof(*reproduction->cells));
	if (published_score(published, results, reproduction->cells, &reproduction->score, err) ||
	    make_band(arena, reproduction, sweep, plan, err))
		return NULL;
	if (!plan->fitted &&
	    published->kind == PUBLISHED_LEVEL) /* the rival sees whole rows of one socket: another game */
		reproduction_add_rival(arena, reproduction);
	return reproduction;
}
