/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published tables: read from CSV with a head of comments. */
#include "sim/stats/published.h"

#include "sim/util/csv.h"

#include <math.h>
#include <string.h>

#define MAX_ROWS 10000
#define VARIATION_COLUMN "variation"
#define METRIC_AXIS "metric"
#define INDEX_BASE 100.0

static const char *const kind_names[] = {
	[PUBLISHED_LEVEL] = "level",
	[PUBLISHED_INDEX] = "index",
	[PUBLISHED_CHANGE_PCT] = "change_pct",
};
#define NR_KINDS ((int)(sizeof(kind_names) / sizeof(kind_names[0])))

/* A table while it is read; rows and values grow. */
struct reading {
	struct arena *arena;
	struct published *table;
	const char *kind; /* as written, or NULL */
	bool has_variation; /* after the last column */
	int max_rows;
};

static double *value_at(const struct published *table, int row, int column)
{
	return &table->values[row * table->nr_columns + column];
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
		{ "source", &table->source, true },  { "kind", &reading->kind, false },
		{ "base", &table->base, false },     { "unit", &table->unit, false },
		{ "metric", &table->metric, false }, { "axis", &table->axis, false },
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
	if (!table->axis)
		return "axis";
	if (!table->metric && strcmp(table->axis, METRIC_AXIS) != 0)
		return "metric";
	return table->kind == PUBLISHED_INDEX && !table->base ? "base" : NULL;
}

/* A key that a table of this kind or axis cannot have, or NULL. */
static const char *excess_key(const struct published *table)
{
	if (table->unit && table->kind != PUBLISHED_LEVEL)
		return "unit";
	if (table->base && table->kind != PUBLISHED_INDEX)
		return "base";
	return table->metric && table->axis && strcmp(table->axis, METRIC_AXIS) == 0 ? "metric" : NULL;
}

/* What the kind says about the other keys. */
static int check_head(struct reading *reading, struct error *err)
{
	static const char *const units[] = { [PUBLISHED_INDEX] = "index", [PUBLISHED_CHANGE_PCT] = "%" };
	struct published *table = reading->table;
	const struct source_pos file = { .file = table->path };
	int kind = reading->kind ? find_name(kind_names, NR_KINDS, reading->kind) : PUBLISHED_LEVEL;
	const char *key;

	if (kind < 0)
		return error_set(err, file, "unknown kind '%s'; known are level, index, change_pct", reading->kind);
	table->kind = (enum published_kind)kind;
	key = excess_key(table);
	if (key)
		return error_set(err, file, "'# %s: ...' has no meaning in a table of kind %s by %s", key,
				 kind_names[kind], table->axis ? table->axis : "nothing");
	if (kind != PUBLISHED_LEVEL)
		table->unit = units[kind];
	key = missing_key(table);
	return key ? error_set(err, file, "no line '# %s: ...' at the head of the table", key) : 0;
}

static int read_head(struct reading *reading, struct csv_reader *csv, struct error *err)
{
	const char *text;
	struct source_pos pos;
	int found;

	while ((found = csv_next_comment(csv, &text, &pos, err)) == 1) {
		if (head_line(reading, text, pos, err) != 0)
			return -1;
	}
	return found < 0 ? -1 : check_head(reading, err);
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
	reading->has_variation = table->kind == PUBLISHED_CHANGE_PCT && row.nr_fields > 2 &&
				 strcmp(row.fields[row.nr_fields - 1], VARIATION_COLUMN) == 0;
	table->columns = arena_calloc(reading->arena, (size_t)row.nr_fields - 1, sizeof(*table->columns));
	for (int i = 1; i < row.nr_fields - reading->has_variation; i++) {
		if (!row.fields[i][0])
			return error_set(err, row.pos[i], "a column without a name");
		if (find_name(table->columns, table->nr_columns, row.fields[i]) >= 0)
			return error_set(err, row.pos[i], "two columns are named '%s'", row.fields[i]);
		table->columns[table->nr_columns++] = arena_strdup(reading->arena, row.fields[i]);
	}
	if (table->base && find_name(table->columns, table->nr_columns, table->base) < 0)
		return error_set(err, row.pos[0], "no column is named '%s', the base", table->base);
	return 0;
}

static void rows_grow(struct reading *reading)
{
	struct published *table = reading->table;
	size_t old = (size_t)table->nr_rows;
	size_t width = (size_t)table->nr_columns;
	const char **rows;
	double *values, *variations;

	if (table->nr_rows < reading->max_rows)
		return;
	reading->max_rows = table->nr_rows ? 2 * table->nr_rows : 32;
	rows = arena_calloc(reading->arena, (size_t)reading->max_rows, sizeof(*rows));
	values = arena_calloc(reading->arena, (size_t)reading->max_rows * width, sizeof(*values));
	variations = arena_calloc(reading->arena, (size_t)reading->max_rows, sizeof(*variations));
	if (old) {
		memcpy(rows, table->rows, old * sizeof(*rows));
		memcpy(values, table->values, old * width * sizeof(*values));
		memcpy(variations, table->variations, old * sizeof(*variations));
	}
	table->rows = rows;
	table->values = values;
	table->variations = variations;
}

/* NAN for an empty field. */
static int read_number(const struct csv_row *row, int field, double *out, struct error *err)
{
	const char *text = row->fields[field];

	*out = results_number(text);
	return *text && isnan(*out) ? error_set(err, row->pos[field], "'%s' is no number", text) : 0;
}

static int check_base(const struct published *table, const struct csv_row *row, int column, struct error *err)
{
	const double value = *value_at(table, table->nr_rows, column);

	if (!table->base || strcmp(table->columns[column], table->base) != 0 || fabs(value - INDEX_BASE) <= 0)
		return 0;
	return error_set(err, row->pos[column + 1], "the base column is %g in every row", INDEX_BASE);
}

static int read_values(const struct reading *reading, const struct csv_row *row, struct error *err)
{
	struct published *table = reading->table;

	for (int i = 0; i < table->nr_columns; i++) {
		if (read_number(row, i + 1, value_at(table, table->nr_rows, i), err) != 0 ||
		    check_base(table, row, i, err) != 0)
			return -1;
	}
	table->variations[table->nr_rows] = NAN;
	if (!reading->has_variation)
		return 0;
	if (read_number(row, row->nr_fields - 1, &table->variations[table->nr_rows], err) != 0)
		return -1;
	if (table->variations[table->nr_rows] < 0)
		return error_set(err, row->pos[row->nr_fields - 1], "a variation is not negative");
	return 0;
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
	if (read_values(reading, row, err) != 0)
		return -1;
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
