/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Published tables: read from CSV with a head of comments, scored against a result set.
 *
 * A change is scored unless both its cells were used: with one cell free it is still a prediction.
 */
#include "sim/stats/published.h"

#include "sim/util/csv.h"

#include <math.h>
#include <string.h>

#define MAX_ROWS 10000

/* A table while it is read; rows and values grow. */
struct reading {
	struct arena *arena;
	struct published *table;
	int max_rows;
};

static double *value_at(const struct published *table, int row, int column)
{
	return &table->values[row * table->nr_columns + column];
}

static bool used_at(const struct published *table, int row, int column)
{
	return table->used[row * table->nr_columns + column];
}

static int find_name(const char *const *names, int nr, const char *name)
{
	for (int i = 0; i < nr; i++) {
		if (strcmp(names[i], name) == 0)
			return i;
	}
	return -1;
}

/* "key: value" into the member for key; a comment of another form is prose and passes. */
static int head_line(struct reading *reading, const char *text, struct source_pos pos, struct error *err)
{
	struct published *table = reading->table;
	const struct {
		const char *key;
		const char **value;
		bool repeats;
	} members[] = {
		{ "source", &table->source, true },
		{ "unit", &table->unit, false },
		{ "metric", &table->metric, false },
		{ "axis", &table->axis, false },
	};
	const char *colon = strchr(text, ':');

	for (size_t i = 0; colon && i < sizeof(members) / sizeof(members[0]); i++) {
		const char *value = colon + 1 + strspn(colon + 1, " \t");

		if (strlen(members[i].key) != (size_t)(colon - text) ||
		    strncmp(members[i].key, text, (size_t)(colon - text)) != 0)
			continue;
		if (!*value)
			return error_set(err, pos, "'%s' has no value", members[i].key);
		if (*members[i].value && !members[i].repeats)
			return error_set(err, pos, "'%s' stands here a second time", members[i].key);
		if (*members[i].value)
			value = arena_printf(reading->arena, "%s %s", *members[i].value, value);
		*members[i].value = arena_strdup(reading->arena, value);
	}
	return 0;
}

static const char *missing_key(const struct published *table)
{
	if (!table->source)
		return "source";
	if (!table->unit)
		return "unit";
	if (!table->metric)
		return "metric";
	return table->axis ? NULL : "axis";
}

static int read_head(struct reading *reading, struct csv_reader *csv, struct error *err)
{
	const struct published *table = reading->table;
	const struct source_pos file = { .file = table->path };
	const char *missing;
	const char *text;
	struct source_pos pos;
	int found;

	while ((found = csv_next_comment(csv, &text, &pos, err)) == 1) {
		if (head_line(reading, text, pos, err) != 0)
			return -1;
	}
	if (found < 0)
		return -1;
	missing = missing_key(table);
	return missing ? error_set(err, file, "no line '# %s: ...' at the head of the table", missing) : 0;
}

static int read_columns(struct reading *reading, struct csv_reader *csv, struct error *err)
{
	struct published *table = reading->table;
	const struct source_pos file = { .file = table->path };
	struct csv_row row;
	int found = csv_next(csv, &row, err);

	if (found <= 0)
		return found < 0 ? -1 : error_set(err, file, "no line of column names after the head");
	if (strcmp(row.fields[0], table->axis) != 0)
		return error_set(err, row.pos[0], "the first column is '%s', but the axis is '%s'", row.fields[0],
				 table->axis);
	if (row.nr_fields < 2)
		return error_set(err, row.pos[0], "no column after '%s'", table->axis);
	table->columns = arena_calloc(reading->arena, (size_t)row.nr_fields - 1, sizeof(*table->columns));
	for (int i = 1; i < row.nr_fields; i++) {
		if (!row.fields[i][0])
			return error_set(err, row.pos[i], "a column without a name");
		if (find_name(table->columns, table->nr_columns, row.fields[i]) >= 0)
			return error_set(err, row.pos[i], "two columns are named '%s'", row.fields[i]);
		table->columns[table->nr_columns++] = arena_strdup(reading->arena, row.fields[i]);
	}
	return 0;
}

static void rows_grow(struct reading *reading)
{
	struct published *table = reading->table;
	size_t old = (size_t)table->nr_rows;
	size_t width = (size_t)table->nr_columns;
	const char **rows;
	double *values;

	if (table->nr_rows < reading->max_rows)
		return;
	reading->max_rows = table->nr_rows ? 2 * table->nr_rows : 32;
	rows = arena_calloc(reading->arena, (size_t)reading->max_rows, sizeof(*rows));
	values = arena_calloc(reading->arena, (size_t)reading->max_rows * width, sizeof(*values));
	if (old) {
		memcpy(rows, table->rows, old * sizeof(*rows));
		memcpy(values, table->values, old * width * sizeof(*values));
	}
	table->rows = rows;
	table->values = values;
}

static int read_row(struct reading *reading, const struct csv_row *row, struct error *err)
{
	struct published *table = reading->table;

	if (table->nr_rows == MAX_ROWS)
		return error_set(err, row->pos[0], "more than %d rows", MAX_ROWS);
	if (!row->fields[0][0])
		return error_set(err, row->pos[0], "a row without a value of '%s'", table->axis);
	if (find_name(table->rows, table->nr_rows, row->fields[0]) >= 0)
		return error_set(err, row->pos[0], "two rows have %s '%s'", table->axis, row->fields[0]);
	rows_grow(reading);
	for (int i = 0; i < table->nr_columns; i++) {
		const char *text = row->fields[i + 1];
		double value = results_number(text);

		if (*text && isnan(value))
			return error_set(err, row->pos[i + 1], "'%s' is no number", text);
		*value_at(table, table->nr_rows, i) = value;
	}
	table->rows[table->nr_rows++] = arena_strdup(reading->arena, row->fields[0]);
	return 0;
}

static int read_rows(struct reading *reading, struct csv_reader *csv, struct error *err)
{
	struct published *table = reading->table;
	struct csv_row row;
	int found;

	while ((found = csv_next(csv, &row, err)) == 1) {
		if (read_row(reading, &row, err) != 0)
			return -1;
	}
	if (found < 0)
		return -1;
	if (!table->nr_rows)
		return error_set(err, (struct source_pos){ .file = table->path }, "a table without rows");
	table->used = arena_calloc(reading->arena, (size_t)table->nr_rows * (size_t)table->nr_columns, sizeof(bool));
	return 0;
}

struct published *published_load(struct arena *arena, const char *path, struct error *err)
{
	struct published *table = arena_alloc(arena, sizeof(*table));
	struct reading reading = { .arena = arena, .table = table };
	struct csv_reader *csv = csv_open(arena, path, CSV_MAX_FILE_BYTES, err);
	bool read;

	if (!csv)
		return NULL;
	table->path = arena_strdup(arena, path);
	read = read_head(&reading, csv, err) == 0 && read_columns(&reading, csv, err) == 0 &&
	       read_rows(&reading, csv, err) == 0;
	csv_close(csv);
	return read ? table : NULL;
}

int published_mark_used(struct published *published, const char *cell, struct error *err)
{
	for (int row = 0; row < published->nr_rows; row++) {
		size_t length = strlen(published->rows[row]);
		int column;

		/* names may contain a slash, so compare rather than split */
		if (strncmp(cell, published->rows[row], length) != 0 || cell[length] != '/')
			continue;
		column = find_name(published->columns, published->nr_columns, cell + length + 1);
		if (column < 0)
			continue;
		published->used[row * published->nr_columns + column] = true;
		return 0;
	}
	return error_set(err, (struct source_pos){ .file = published->path },
			 "no cell '%s' in this table; cells are ROW/COLUMN, as '%s/%s'", cell, published->rows[0],
			 published->columns[0]);
}

/* Where a table and a result set meet. */
struct match {
	const struct published *table;
	const struct results *results;
	int axis, metric;
	int *points; /* of each row, -1 when the result set lacks it */
	int *variants; /* of each column */
	int baseline_column; /* -1 when the table lacks it */
};

int published_point(const struct published *published, const struct results *results, int row)
{
	int index = results_find_axis(results, published->axis);
	const char *text = published->rows[row];
	double number = results_number(text);

	for (int i = 0; index >= 0 && i < results_nr_points(results); i++) {
		const struct axis *axis = &results->axes[index];
		int value = results_axis_index(results, i, index);

		if (strcmp(axis->values[value], text) == 0 || axis->value_numbers[value] == number)
			return i;
	}
	return -1;
}

/* A cell of the table is one point only when nothing else varies. */
static int match_shape(const struct match *match, struct error *err)
{
	const struct source_pos file = { .file = match->table->path };
	const struct results *results = match->results;

	if (match->axis < 0)
		return error_set(err, file, "the axis '%s' of this table is not swept by %s", match->table->axis,
				 results->experiment);
	if (match->metric < 0)
		return error_set(err, file, "the metric '%s' of this table is not reported by %s", match->table->metric,
				 results->experiment);
	if (results->nr_machines != 1)
		return error_set(err, file, "this table is of one machine, but %s has %d", results->experiment,
				 results->nr_machines);
	for (int i = 0; i < results->nr_axes; i++) {
		if (i != match->axis && results->axes[i].nr_values > 1)
			return error_set(err, file, "this table sweeps '%s' alone, but %s sweeps '%s' too",
					 match->table->axis, results->experiment, results->axes[i].key);
	}
	return 0;
}

static int match_make(struct arena *arena, struct match *match, struct error *err)
{
	const struct published *table = match->table;
	const struct results *results = match->results;

	match->axis = results_find_axis(results, table->axis);
	match->metric = results_find_metric(results, table->metric);
	match->baseline_column = -1;
	if (match_shape(match, err) != 0)
		return -1;
	match->points = arena_calloc(arena, (size_t)table->nr_rows, sizeof(int));
	match->variants = arena_calloc(arena, (size_t)table->nr_columns, sizeof(int));
	for (int i = 0; i < table->nr_rows; i++)
		match->points[i] = published_point(table, results, i);
	for (int i = 0; i < table->nr_columns; i++) {
		match->variants[i] = find_name(results->variants, results->nr_variants, table->columns[i]);
		if (match->variants[i] < 0)
			return error_set(err, (struct source_pos){ .file = table->path },
					 "the column '%s' of this table is no variant of %s", table->columns[i],
					 results->experiment);
		if (match->variants[i] == results->baseline)
			match->baseline_column = i;
	}
	return 0;
}

static struct estimate simulated_at(const struct match *match, int row, int column)
{
	if (match->points[row] < 0)
		return (struct estimate){ .mean = NAN, .low = NAN, .high = NAN };
	return results_mean(match->results, 0, match->variants[column], match->points[row], match->metric);
}

static void cells_fill(const struct match *match, struct cell_score *cells)
{
	const struct published *table = match->table;

	for (int row = 0; row < table->nr_rows; row++) {
		for (int column = 0; column < table->nr_columns; column++)
			*cells++ = (struct cell_score){
				.row = row,
				.column = column,
				.published = *value_at(table, row, column),
				.simulated = simulated_at(match, row, column),
				.band_low = NAN,
				.band_high = NAN,
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

/* Add one row's change of one column; nr counts those that could be compared. */
static void score_change(const struct match *match, int row, int column, struct score *score, int *nr)
{
	const struct published *table = match->table;
	double published =
		100.0 * (*value_at(table, row, column) / *value_at(table, row, match->baseline_column) - 1.0);
	double simulated;

	if (used_at(table, row, column) && used_at(table, row, match->baseline_column))
		return;
	simulated =
		results_change_pct(match->results, 0, match->variants[column], match->points[row], match->metric).mean;
	if (!isfinite(published) || !isfinite(simulated))
		return;
	score->change_mae_points += fabs(simulated - published);
	(*nr)++;
	if (fabs(published) <= PUBLISHED_SIGN_THRESHOLD_PCT)
		return;
	score->signs_counted++;
	score->signs_right += published > 0 ? simulated > 0 : simulated < 0;
}

static void score_changes(const struct match *match, struct score *score)
{
	int nr = 0;

	for (int row = 0; match->baseline_column >= 0 && row < match->table->nr_rows; row++) {
		for (int column = 0; match->points[row] >= 0 && column < match->table->nr_columns; column++) {
			if (column != match->baseline_column)
				score_change(match, row, column, score, &nr);
		}
	}
	score->change_mae_points = nr ? score->change_mae_points / nr : NAN;
}

int published_score(const struct published *published, const struct results *results, struct cell_score *cells,
		    struct score *score, struct error *err)
{
	struct arena *arena = arena_create();
	struct match match = { .table = published, .results = results };
	int failed = match_make(arena, &match, err);

	if (!failed) {
		*score = (struct score){ 0 };
		cells_fill(&match, cells);
		score_levels(cells, published->nr_rows * published->nr_columns, score);
		score_changes(&match, score);
	}
	arena_destroy(arena);
	return failed;
}
