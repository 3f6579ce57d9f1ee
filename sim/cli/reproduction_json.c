/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A reproduction for programs. The members are what others check this program
 * with: add to them, never rename or drop one.
 */
#include "sim/cli/reproduction.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 9

/* JSON knows no NAN: what is not there is null. */
static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *interval(double low, double high)
{
	return json_pack("[o, o]", number(low), number(high));
}

static json_t *cell_json(const struct reproduction *reproduction, const struct cell_score *cell)
{
	const struct published *published = reproduction->published;
	json_t *json = json_pack("{s: s, s: s, s: s, s: o, s: o, s: o, s: b}", "row", published->rows[cell->row],
				 "column", published->columns[cell->column], "unit", published->unit, "published",
				 number(cell->published), "simulated", number(cell->simulated.mean), "ci95",
				 interval(cell->simulated.low, cell->simulated.high), "used", cell->used);

	if (reproduction->has_band)
		json_object_set_new(json, "band", interval(cell->band_low, cell->band_high));
	return json;
}

static json_t *cells_json(const struct reproduction *reproduction)
{
	int nr = reproduction->published->nr_rows * reproduction->published->nr_columns;
	json_t *json = json_array();
	int i;

	for (i = 0; i < nr; i++)
		json_array_append_new(json, cell_json(reproduction, &reproduction->cells[i]));
	return json;
}

static json_t *change_json(const struct reproduction *reproduction, const struct cell_score *cell)
{
	const struct published *published = reproduction->published;
	const struct cell_change *change = &cell->change;
	json_t *json = json_pack("{s: s, s: s, s: s, s: o, s: o, s: o}", "row", published->rows[cell->row], "column",
				 published->columns[cell->column], "unit", "%", "published", number(change->published),
				 "simulated", number(change->simulated.mean), "ci95",
				 interval(change->simulated.low, change->simulated.high));

	if (!isnan(change->variation))
		json_object_set_new(json, "variation", number(change->variation));
	if (reproduction->has_band)
		json_object_set_new(json, "band", interval(change->band_low, change->band_high));
	return json;
}

static json_t *changes_json(const struct reproduction *reproduction)
{
	int nr = reproduction->published->nr_rows * reproduction->published->nr_columns;
	json_t *json = json_array();
	int i;

	for (i = 0; i < nr; i++) {
		const struct cell_score *cell = &reproduction->cells[i];

		if (reproduction_has_change(reproduction, cell->column))
			json_array_append_new(json, change_json(reproduction, cell));
	}
	return json;
}

static json_t *score_json(const struct score *score)
{
	return json_pack("{s: o, s: o, s: i, s: i, s: i}", "rms_log", number(score->rms_log), "change_mae_points",
			 number(score->change_mae_points), "signs_right", score->signs_right, "signs_counted",
			 score->signs_counted, "cells", score->nr_cells);
}

static json_t *usl_json(const struct usl_rival *usl)
{
	if (!usl->fitted)
		return json_null();
	return json_pack("{s: i, s: i, s: o, s: o, s: o}", "fitted_rows", usl->nr_fitted_rows, "predicted_rows",
			 usl->nr_predicted_rows, "rms_log", number(usl->rms_log), "simulated_rms_log",
			 number(usl->simulated_rms_log), "last_change", number(usl->last_change));
}

/* The values of a fit by key, as written in the file; null when blind. */
static json_t *values_json(const struct fitted *fitted)
{
	json_t *json;
	int i;

	if (!fitted)
		return json_null();
	json = json_object();
	for (i = 0; i < fitted->nr_values; i++) {
		const char *equals = strchr(fitted->values[i], '=');

		json_object_setn_new(json, fitted->values[i], (size_t)(equals - fitted->values[i]),
				     json_string(equals + 1));
	}
	return json;
}

static json_t *reproduction_json(const struct reproduction *reproduction)
{
	const struct fitted *fitted = reproduction->fitted;

	return json_pack("{s: s, s: s, s: s?, s: o, s: o, s: o, s: o, s: s?, s: o}", "experiment",
			 reproduction->experiment->name, "mode", fitted ? "fitted" : "blind", "split",
			 fitted ? fitted_split_names[fitted->split] : NULL, "score", score_json(&reproduction->score),
			 "cells", cells_json(reproduction), "changes", changes_json(reproduction), "usl",
			 usl_json(&reproduction->usl), "fitted_to", fitted ? fitted->source : NULL, "fitted_values",
			 values_json(fitted));
}

int reproduction_print_json(FILE *out, struct reproduction *const *all, int nr, struct error *err)
{
	json_t *json = json_array();
	int failed = 0;
	int i;

	for (i = 0; i < nr; i++)
		failed |= json_array_append_new(json, reproduction_json(all[i]));
	if (!failed)
		failed = json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) || fputc('\n', out) == EOF;
	json_decref(json);
	return failed ? error_plain(err, "cannot write the reproduction as JSON") : 0;
}
