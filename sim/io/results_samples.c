/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading samples.csv: every field is held against the names, units and sizes that result.json gave. */
#include "sim/io/results_parts.h"

#include "sim/io/results_file.h"
#include "sim/util/csv.h"

#include <math.h>
#include <string.h>

int names_find(struct names *list, const char *name)
{
	for (int i = 0; i < list->nr; i++) {
		int at = (list->last + i) % list->nr;

		if (strcmp(list->names[at], name) == 0) {
			list->last = at;
			return at;
		}
	}
	return -1;
}

/* How samples.csv is laid out for one result set, and lookups of its names. */
struct samples {
	const struct results *results;
	const char *path;
	struct names machines, variants, metrics;
	struct names axes[RESULTS_MAX_AXES];
	int replication, metric, value, unit, nr_fields; /* columns */
};

static struct samples samples_layout(const struct results *results, const char *path)
{
	struct samples out = {
		.results = results,
		.path = path,
		.machines = { .names = results->machines, .nr = results->nr_machines },
		.variants = { .names = results->variants, .nr = results->nr_variants },
		.metrics = { .names = arena_calloc(results->arena, (size_t)results->nr_metrics, sizeof(char *)),
			     .nr = results->nr_metrics },
		.replication = 2 + results->nr_axes,
		.metric = 3 + results->nr_axes,
		.value = 4 + results->nr_axes,
		.unit = 5 + results->nr_axes,
		.nr_fields = 6 + results->nr_axes,
	};

	for (int i = 0; i < results->nr_metrics; i++)
		out.metrics.names[i] = results->metrics[i].name;
	for (int i = 0; i < results->nr_axes; i++)
		out.axes[i] = (struct names){ .names = results->axes[i].values, .nr = results->axes[i].nr_values };
	return out;
}

static const char *column_name(const struct samples *samples, int column)
{
	static const char *const last[] = { "replication", "metric", "value", "unit" };

	if (column == 0)
		return "machine";
	if (column == 1)
		return "variant";
	if (column < samples->replication)
		return samples->results->axes[column - 2].key;
	return last[column - samples->replication];
}

static int check_header(const struct samples *samples, const struct csv_row *row, struct error *err)
{
	for (int i = 0; i < samples->nr_fields && i < row->nr_fields; i++) {
		if (strcmp(row->fields[i], column_name(samples, i)) != 0)
			return error_set(err, row->pos[i], "the column is '%s' where '%s' is due", row->fields[i],
					 column_name(samples, i));
	}
	if (row->nr_fields != samples->nr_fields)
		return error_set(err, row->pos[0], "%d columns where result.json asks for %d", row->nr_fields,
				 samples->nr_fields);
	return 0;
}

/* The index of a field in the names that result.json gives for its column. */
static int field_find(const struct samples *samples, const struct csv_row *row, int column, struct names *names,
		      struct error *err)
{
	int found = names_find(names, row->fields[column]);

	if (found < 0)
		error_set(err, row->pos[column], "%s '%s' is not in result.json", column_name(samples, column),
			  row->fields[column]);
	return found;
}

static int field_replication(const struct samples *samples, const struct csv_row *row, struct error *err)
{
	const char *text = row->fields[samples->replication];
	double number = results_number(text);

	if (!(number >= 0 && number < samples->results->nr_replications) || text[strspn(text, "0123456789")])
		return error_set(err, row->pos[samples->replication], "replication '%s' is not one of 0 to %d", text,
				 samples->results->nr_replications - 1);
	return (int)number;
}

static int field_point(struct samples *samples, const struct csv_row *row, struct error *err)
{
	const struct results *results = samples->results;
	int point = 0;

	for (int i = 0; i < results->nr_axes; i++) {
		int value = field_find(samples, row, 2 + i, &samples->axes[i], err);

		if (value < 0)
			return -1;
		point = point * results->axes[i].nr_values + value;
	}
	return point;
}

static int load_sample(struct samples *samples, const struct csv_row *row, struct error *err)
{
	const struct results *results = samples->results;
	int machine = field_find(samples, row, 0, &samples->machines, err);
	int variant = machine < 0 ? -1 : field_find(samples, row, 1, &samples->variants, err);
	int point = variant < 0 ? -1 : field_point(samples, row, err);
	int replication = point < 0 ? -1 : field_replication(samples, row, err);
	int metric = replication < 0 ? -1 : field_find(samples, row, samples->metric, &samples->metrics, err);
	double number = results_number(row->fields[samples->value]);
	double *place;

	if (metric < 0)
		return -1;
	if (isnan(number))
		return error_set(err, row->pos[samples->value], "'%s' is no number", row->fields[samples->value]);
	if (strcmp(row->fields[samples->unit], results->metrics[metric].unit) != 0)
		return error_set(err, row->pos[samples->unit], "the unit is '%s' where result.json says '%s'",
				 row->fields[samples->unit], results->metrics[metric].unit);
	place = results_at(results, machine, variant, point, replication, metric);
	if (!isnan(*place))
		return error_set(err, row->pos[0], "this number stands here a second time");
	*place = number;
	return 0;
}

static int load_rows(struct samples *samples, struct csv_reader *csv, struct error *err)
{
	struct csv_row row;
	int found = csv_next(csv, &row, err);

	if (found == 0)
		return error_set(err, (struct source_pos){ .file = samples->path }, "the file is empty");
	if (found < 0 || check_header(samples, &row, err) != 0)
		return -1;
	while ((found = csv_next(csv, &row, err)) == 1) {
		if (load_sample(samples, &row, err) != 0)
			return -1;
	}
	return found;
}

int results_read_samples(struct results *results, const char *path, struct error *err)
{
	struct samples samples = samples_layout(results, path);
	struct csv_reader *csv = csv_open(results->arena, path, RESULTS_MAX_SAMPLES_BYTES, err);
	int failed;

	if (!csv)
		return -1;
	results_allocate(results);
	failed = load_rows(&samples, csv, err);
	csv_close(csv);
	return failed;
}
