/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Published tables against a result set.
 *
 * A change is scored unless both its cells were used: with one cell free it is still a prediction.
 */
#include "sim/stats/published.h"

#include <math.h>
#include <string.h>

/* Where a table and a result set meet. */
struct match {
	const struct published *table;
	struct results results; /* the baseline is that of the changes */
	int *points; /* of each row, -1 when the result set lacks it */
	int *metrics; /* of each row */
	int *variants; /* of each column */
	int baseline_column, base_column; /* -1 when the table lacks it */
};

static const struct estimate nothing = { .mean = NAN, .low = NAN, .high = NAN };

static int find_name(const char *const *names, int nr, const char *name)
{
	for (int i = 0; i < nr; i++) {
		if (strcmp(names[i], name) == 0)
			return i;
	}
	return -1;
}

static double value_at(const struct published *table, int row, int column)
{
	return table->values[row * table->nr_columns + column];
}

static bool used_at(const struct published *table, int row, int column)
{
	return table->used[row * table->nr_columns + column];
}

int published_point(const struct published *published, const struct results *results, int row)
{
	int index = results_find_axis(results, published->axis);
	const char *text = published->rows[row];
	double number = results_number(text);

	if (!published->metric)
		return 0;
	for (int i = 0; index >= 0 && i < results_nr_points(results); i++) {
		const struct axis *axis = &results->axes[index];
		int value = results_axis_index(results, i, index);

		if (strcmp(axis->values[value], text) == 0 || axis->value_numbers[value] == number)
			return i;
	}
	return -1;
}

/* A cell of the table is one point only when nothing else varies. */
static int check_axes(const struct published *table, const struct results *results, struct error *err)
{
	const struct source_pos file = { .file = table->path };
	int axis = table->metric ? results_find_axis(results, table->axis) : -1;

	if (table->metric && axis < 0)
		return error_set(err, file, "the axis '%s' of this table is not swept by %s", table->axis,
				 results->experiment);
	if (results->nr_machines != 1)
		return error_set(err, file, "this table is of one machine, but %s has %d", results->experiment,
				 results->nr_machines);
	for (int i = 0; i < results->nr_axes; i++) {
		if (i == axis || results->axes[i].nr_values == 1)
			continue;
		if (axis < 0)
			return error_set(err, file, "this table sweeps nothing, but %s sweeps '%s'",
					 results->experiment, results->axes[i].key);
		return error_set(err, file, "this table sweeps '%s' alone, but %s sweeps '%s' too", table->axis,
				 results->experiment, results->axes[i].key);
	}
	return 0;
}

static int match_rows(struct match *match, struct error *err)
{
	const struct published *table = match->table;

	for (int i = 0; i < table->nr_rows; i++) {
		const char *metric = table->metric ? table->metric : table->rows[i];

		match->points[i] = published_point(table, &match->results, i);
		match->metrics[i] = results_find_metric(&match->results, metric);
		if (match->metrics[i] < 0)
			return error_set(err, (struct source_pos){ .file = table->path },
					 "the metric '%s' of this table is not reported by %s", metric,
					 match->results.experiment);
	}
	return 0;
}

static int match_columns(struct match *match, struct error *err)
{
	const struct published *table = match->table;
	const struct results *results = &match->results;

	match->baseline_column = match->base_column = -1;
	for (int i = 0; i < table->nr_columns; i++) {
		match->variants[i] = find_name(results->variants, results->nr_variants, table->columns[i]);
		if (match->variants[i] < 0)
			return error_set(err, (struct source_pos){ .file = table->path },
					 "the column '%s' of this table is no variant of %s", table->columns[i],
					 results->experiment);
		if (match->variants[i] == results->baseline)
			match->baseline_column = i;
		if (table->base && strcmp(table->columns[i], table->base) == 0)
			match->base_column = i;
	}
	if (table->kind == PUBLISHED_CHANGE_PCT && match->baseline_column >= 0)
		return error_set(err, (struct source_pos){ .file = table->path },
				 "the column '%s' of this table is the baseline of %s: it has no change",
				 table->columns[match->baseline_column], results->experiment);
	return 0;
}

static int match_make(struct arena *arena, struct match *match, struct error *err)
{
	const struct published *table = match->table;

	match->points = arena_calloc(arena, (size_t)table->nr_rows, sizeof(int));
	match->metrics = arena_calloc(arena, (size_t)table->nr_rows, sizeof(int));
	match->variants = arena_calloc(arena, (size_t)table->nr_columns, sizeof(int));
	if (match_rows(match, err) != 0 || check_axes(table, &match->results, err) != 0)
		return -1;
	return match_columns(match, err);
}

static struct estimate simulated_change(const struct match *match, int row, int column)
{
	if (match->points[row] < 0)
		return nothing;
	return results_change_pct(&match->results, 0, match->variants[column], match->points[row], match->metrics[row]);
}

/* The base's value is 100, others that and their paired change against it. */
static struct estimate simulated_index(const struct match *match, int row, int column)
{
	struct match against_base = *match;
	struct estimate index;

	against_base.results.baseline = match->variants[match->base_column];
	index = simulated_change(&against_base, row, column);
	index.mean += 100;
	index.low += 100;
	index.high += 100;
	return index;
}

static struct estimate simulated_at(const struct match *match, int row, int column)
{
	if (match->table->kind == PUBLISHED_INDEX)
		return simulated_index(match, row, column);
	if (match->table->kind == PUBLISHED_CHANGE_PCT)
		return simulated_change(match, row, column);
	if (match->points[row] < 0)
		return nothing;
	return results_mean(&match->results, 0, match->variants[column], match->points[row], match->metrics[row]);
}

static struct cell_change change_at(const struct match *match, int row, int column)
{
	const struct published *table = match->table;
	struct cell_change change = { NAN, NAN, nothing, NAN, NAN };

	if (table->kind == PUBLISHED_CHANGE_PCT)
		change.published = value_at(table, row, column);
	else if (match->baseline_column >= 0 && column != match->baseline_column)
		change.published =
			100.0 * (value_at(table, row, column) / value_at(table, row, match->baseline_column) - 1.0);
	else
		return change;
	change.variation = table->variations[row];
	change.simulated = simulated_change(match, row, column);
	return change;
}

static void cells_fill(const struct match *match, struct cell_score *cells)
{
	const struct published *table = match->table;

	for (int row = 0; row < table->nr_rows; row++) {
		for (int column = 0; column < table->nr_columns; column++)
			*cells++ = (struct cell_score){
				.row = row,
				.column = column,
				.published = value_at(table, row, column),
				.simulated = simulated_at(match, row, column),
				.band_low = NAN,
				.band_high = NAN,
				.change = change_at(match, row, column),
				.used = used_at(table, row, column),
			};
	}
}

static void score_levels(const struct cell_score *cells, int nr, struct score *score)
{
	double sum = 0;

	for (int i = 0; i < nr; i++) {
		double ratio_log = log(cells[i].simulated.mean / cells[i].published);

		/* written so that NAN fails: an empty cell, a point that was not simulated */
		if (cells[i].used || !(cells[i].published > 0) || !(cells[i].simulated.mean > 0))
			continue;
		sum += ratio_log * ratio_log;
		score->nr_cells++;
	}
	score->rms_log = score->nr_cells ? sqrt(sum / score->nr_cells) : NAN;
}

/* A change comes of its own cell and, but in a table of changes, of the baseline's. */
static bool change_is_used(const struct match *match, const struct cell_score *cell)
{
	return cell->used && (match->baseline_column < 0 || used_at(match->table, cell->row, match->baseline_column));
}

static bool sign_counts(const struct cell_change *change)
{
	const double size = fabs(change->published);

	return size > PUBLISHED_SIGN_THRESHOLD_PCT && !(size <= change->variation);
}

static void score_changes(const struct match *match, const struct cell_score *cells, int nr, struct score *score)
{
	int nr_changes = 0;

	for (int i = 0; i < nr; i++) {
		const struct cell_change *change = &cells[i].change;
		const double simulated = change->simulated.mean;

		if (change_is_used(match, &cells[i]) || !isfinite(change->published) || !isfinite(simulated))
			continue;
		score->change_mae_points += fabs(simulated - change->published);
		nr_changes++;
		score->signs_counted += sign_counts(change);
		score->signs_right += sign_counts(change) && (change->published > 0 ? simulated > 0 : simulated < 0);
	}
	score->change_mae_points = nr_changes ? score->change_mae_points / nr_changes : NAN;
}

int published_score(const struct published *published, const struct results *results, struct cell_score *cells,
		    struct score *score, struct error *err)
{
	struct arena *arena = arena_create();
	struct match match = { .table = published, .results = *results };
	const int nr = published->nr_rows * published->nr_columns;
	int failed = match_make(arena, &match, err);

	if (!failed) {
		*score = (struct score){ .rms_log = NAN };
		cells_fill(&match, cells);
		if (published->kind == PUBLISHED_LEVEL)
			score_levels(cells, nr, score);
		score_changes(&match, cells, nr, score);
	}
	arena_destroy(arena);
	return failed;
}
