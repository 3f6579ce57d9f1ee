/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables for programs: CSV and JSON, with every metric asked for, nine digits, and no rounding for the eye. */
#include "sim/io/table_parts.h"

#include "sim/util/csv.h"

#include <math.h>

#include <jansson.h>

#define DIGITS 9

/* Whether the result set has any number of a metric. */
static bool has_numbers(const struct results *results, int metric)
{
	for (int machine = 0; machine < results->nr_machines; machine++) {
		for (int variant = 0; variant < results->nr_variants; variant++) {
			for (int point = 0; point < results_nr_points(results); point++) {
				if (results_mean(results, machine, variant, point, metric).n)
					return true;
			}
		}
	}
	return false;
}

static int append_group(const struct results *results, const struct why_group *group, int *out, int nr)
{
	for (const struct why_metric *metric = group->metrics; metric->name; metric++) {
		int index = results_find_metric(results, metric->name);
		int seen = 0;

		while (seen < nr && out[seen] != index)
			seen++;
		if (index >= 0 && seen == nr && has_numbers(results, index))
			out[nr++] = index;
	}
	return nr;
}

/* The metrics asked for, then with `why` the others that say why. Returns how many; out has room for all. */
static int list_metrics(const struct results *results, const struct table_options *options, int *out)
{
	int nr = 0;

	for (int i = 0; i < options->nr_metrics; i++)
		out[nr++] = options->metrics[i].index;
	for (const struct why_group *group = table_why_groups; options->why && group->explains; group++)
		nr = append_group(results, group, out, nr);
	return nr;
}

/* Calls `write` for each (metric, machine, point). */
static void for_each_row(const struct results *results, const struct table_options *options,
			 void (*write)(const struct table_view *view, int point, void *arg), void *arg)
{
	struct arena *arena = arena_create();
	int *metrics = arena_calloc(arena, (size_t)(options->nr_metrics + results->nr_metrics), sizeof(*metrics));
	int nr_metrics = list_metrics(results, options, metrics);

	for (int i = 0; i < nr_metrics; i++) {
		for (int machine = 0; machine < results->nr_machines; machine++) {
			const struct table_view view = {
				.arena = arena,
				.results = results,
				.machine = machine,
				.metric = { .index = metrics[i] },
			};

			for (int point = 0; point < results_nr_points(results); point++)
				write(&view, point, arg);
		}
	}
	arena_destroy(arena);
}

/* One replication has no interval. */
static void csv_estimate(struct csv_writer *csv, struct estimate estimate)
{
	csv_number(csv, estimate.mean);
	csv_number(csv, estimate.n < 2 ? NAN : estimate.low);
	csv_number(csv, estimate.n < 2 ? NAN : estimate.high);
}

static void csv_row(const struct table_view *view, int point, void *arg)
{
	const struct results *results = view->results;
	struct csv_writer *csv = arg;

	for (int i = 0; i < results->nr_variants; i++) {
		struct estimate mean = view_mean(view, i, point);
		struct estimate change = { .mean = NAN };

		csv_text(csv, results->machines[view->machine]);
		for (int axis = 0; axis < results->nr_axes; axis++)
			csv_text(csv, axis_value(results, point, axis));
		csv_text(csv, results->variants[i]);
		csv_text(csv, view_metric_name(view));
		csv_text(csv, view_metric_unit(view));
		csv_estimate(csv, mean);
		csv_int(csv, mean.n);
		if (i != results->baseline)
			change = view_change(view, i, point);
		csv_estimate(csv, change);
		csv_text(csv, change.n < 2 ? "" : estimate_significant(change) ? "yes" : "no");
		csv_end_row(csv);
	}
}

/* After the machine and the axes. */
/* clang-format off */
static const char *const csv_columns[] = {
	"variant", "metric", "unit", "mean", "ci95_low", "ci95_high", "n",
	"change_pct", "change_ci95_low", "change_ci95_high", "significant",
};
/* clang-format on */

void table_csv(const struct results *results, const struct table_options *options, FILE *out)
{
	struct csv_writer csv = { .out = out };

	csv_text(&csv, "machine");
	for (int i = 0; i < results->nr_axes; i++)
		csv_text(&csv, results->axes[i].key);
	for (size_t i = 0; i < sizeof(csv_columns) / sizeof(csv_columns[0]); i++)
		csv_text(&csv, csv_columns[i]);
	csv_end_row(&csv);
	for_each_row(results, options, csv_row, &csv);
}

/* The makers below return new references; jansson passes a NULL on to the end. */
static json_t *json_number(double number)
{
	return isnan(number) ? json_null() : json_real(number);
}

static json_t *json_interval(struct estimate estimate)
{
	if (estimate.n < 2)
		return json_null();
	return json_pack("[o, o]", json_number(estimate.low), json_number(estimate.high));
}

/* A number where the user wrote one. */
static json_t *json_axis_value(const struct results *results, int point, int axis)
{
	double number = results->axes[axis].value_numbers[results_axis_index(results, point, axis)];

	if (isnan(number))
		return json_string(axis_value(results, point, axis));
	if (number == trunc(number) && fabs(number) < 1e15)
		return json_integer((json_int_t)number);
	return json_real(number);
}

static json_t *json_point(const struct results *results, int point)
{
	json_t *out = json_object();

	for (int i = 0; i < results->nr_axes; i++)
		json_object_set_new(out, results->axes[i].key, json_axis_value(results, point, i));
	return out;
}

static json_t *json_variant(const struct table_view *view, int variant, int point)
{
	struct estimate mean = view_mean(view, variant, point);
	json_t *out = json_pack("{s:s, s:o, s:o, s:i}", "variant", view->results->variants[variant], "mean",
				json_number(mean.mean), "ci95", json_interval(mean), "n", mean.n);
	struct estimate change;

	if (variant == view->results->baseline)
		return out;
	change = view_change(view, variant, point);
	json_object_set_new(out, "change_pct", json_number(change.mean));
	json_object_set_new(out, "change_ci95", json_interval(change));
	json_object_set_new(out, "significant", json_boolean(estimate_significant(change)));
	return out;
}

static void json_row(const struct table_view *view, int point, void *arg)
{
	json_t *variants = json_array();

	for (int i = 0; i < view->results->nr_variants; i++)
		json_array_append_new(variants, json_variant(view, i, point));
	json_array_append_new(arg, json_pack("{s:s, s:s, s:s, s:o, s:s, s:o}", "machine",
					     view->results->machines[view->machine], "metric", view_metric_name(view),
					     "unit", view_metric_unit(view), "point", json_point(view->results, point),
					     "baseline", view_baseline(view), "variants", variants));
}

void table_json(const struct results *results, const struct table_options *options, FILE *out)
{
	json_t *rows = json_array();

	for_each_row(results, options, json_row, rows);
	json_dumpf(rows, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
	fputc('\n', out);
	json_decref(rows);
}
