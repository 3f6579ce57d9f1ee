/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a result set. Reading is in results_load.c; the columns and keys of both are in the header. */
#include "sim/io/results_file.h"

#include "sim/stats/estimate.h"
#include "sim/util/csv.h"
#include "sim/util/outfile.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

/* The numbers of a result set as samples.csv stores them. */
static double *values_as_written(struct arena *arena, const struct results *results)
{
	size_t nr = results_nr_values(results);
	double *out = arena_calloc(arena, nr, sizeof(*out));

	for (size_t i = 0; i < nr; i++) {
		char text[32];

		snprintf(text, sizeof(text), "%.9g", results->values[i]);
		out[i] = isnan(results->values[i]) ? NAN : strtod(text, NULL);
	}
	return out;
}

static void write_header(struct csv_writer *csv, const struct results *results, const char *const *others)
{
	csv_text(csv, "machine");
	csv_text(csv, "variant");
	for (int i = 0; i < results->nr_axes; i++)
		csv_text(csv, results->axes[i].key);
	for (; *others; others++)
		csv_text(csv, *others);
	csv_end_row(csv);
}

static void write_place(struct csv_writer *csv, const struct results *results, int machine, int variant, int point)
{
	csv_text(csv, results->machines[machine]);
	csv_text(csv, results->variants[variant]);
	for (int i = 0; i < results->nr_axes; i++)
		csv_text(csv, results->axes[i].values[results_axis_index(results, point, i)]);
}

static void write_point_samples(struct csv_writer *csv, const struct results *results, int machine, int variant,
				int point)
{
	for (int replication = 0; replication < results->nr_replications; replication++) {
		for (int metric = 0; metric < results->nr_metrics; metric++) {
			double value = *results_at(results, machine, variant, point, replication, metric);

			if (isnan(value))
				continue;
			write_place(csv, results, machine, variant, point);
			csv_int(csv, replication);
			csv_text(csv, results->metrics[metric].name);
			csv_number(csv, value);
			csv_text(csv, results->metrics[metric].unit);
			csv_end_row(csv);
		}
	}
}

static void write_point_summary(struct csv_writer *csv, const struct results *results, int machine, int variant,
				int point)
{
	for (int metric = 0; metric < results->nr_metrics; metric++) {
		struct estimate mean = results_mean(results, machine, variant, point, metric);

		write_place(csv, results, machine, variant, point);
		csv_text(csv, results->metrics[metric].name);
		csv_text(csv, results->metrics[metric].unit);
		csv_number(csv, mean.mean);
		/* one replication has no interval */
		csv_number(csv, mean.n < 2 ? NAN : mean.low);
		csv_number(csv, mean.n < 2 ? NAN : mean.high);
		csv_int(csv, mean.n);
		csv_end_row(csv);
	}
}

/* One CSV file: its last columns, and what it says about a point. */
struct layout {
	const char *file;
	const char *const *columns;
	void (*write_point)(struct csv_writer *csv, const struct results *results, int machine, int variant, int point);
	bool whole_only; /* makes no sense of a shard */
};

static const char *const samples_columns[] = { "replication", "metric", "value", "unit", NULL };
static const char *const summary_columns[] = { "metric", "unit", "mean", "ci95_low", "ci95_high", "n", NULL };
static const struct layout layouts[] = {
	{ "samples.csv", samples_columns, write_point_samples, false },
	{ "summary.csv", summary_columns, write_point_summary, true },
};

static int save_csv(const struct layout *layout, const struct results *results, const char *path, struct error *err)
{
	struct outfile *file = outfile_open(path, err);
	struct csv_writer csv = { 0 };

	if (!file)
		return -1;
	csv.out = outfile_stream(file);
	write_header(&csv, results, layout->columns);
	for (int machine = 0; machine < results->nr_machines; machine++) {
		for (int variant = 0; variant < results->nr_variants; variant++) {
			for (int point = 0; point < results_nr_points(results); point++)
				layout->write_point(&csv, results, machine, variant, point);
		}
	}
	return outfile_commit(file, err);
}

/*
 * The makers below return new references. A text that is no UTF-8 makes json_string and json_pack return NULL, and
 * appending NULL fails: is_bad collects that.
 */
static json_t *names_json(const char *const *names, int nr, bool *is_bad)
{
	json_t *out = json_array();

	for (int i = 0; i < nr; i++)
		*is_bad |= json_array_append_new(out, json_string(names[i])) != 0;
	return out;
}

static json_t *axes_json(const struct results *results, bool *is_bad)
{
	json_t *out = json_array();

	for (int i = 0; i < results->nr_axes; i++) {
		const struct axis *axis = &results->axes[i];
		json_t *values = names_json(axis->values, axis->nr_values, is_bad);

		*is_bad |= json_array_append_new(out, json_pack("{s:s, s:o}", "key", axis->key, "values", values)) != 0;
	}
	return out;
}

static json_t *metrics_json(const struct results *results, bool *is_bad)
{
	json_t *out = json_array();

	for (int i = 0; i < results->nr_metrics; i++) {
		const struct metric *metric = &results->metrics[i];

		*is_bad |= json_array_append_new(out, json_pack("{s:s, s:s}", "name", metric->name, "unit",
								metric->unit)) != 0;
	}
	return out;
}

static json_t *boundaries_json(const struct results *results, bool *is_bad)
{
	json_t *out = json_array();

	for (int i = 0; i < results->nr_boundaries; i++) {
		const struct boundary *boundary = &results->boundaries[i];

		*is_bad |= json_array_append_new(out, json_pack("{s:s, s:i, s:s, s:b}", "machine",
								results->machines[boundary->machine], "before",
								boundary->before, "label", boundary->label, "minor",
								boundary->minor)) != 0;
	}
	return out;
}

/* NULL, which leaves the member out, when all points have the same number of replications. */
static json_t *adaptive_json(const struct results *results)
{
	if (!results->until_ppm)
		return NULL;
	return json_pack("{s:i, s:I}", "min", results->min_replications, "until_ppm", (json_int_t)results->until_ppm);
}

static json_t *shard_json(const struct results *results)
{
	if (!results->nr_shards)
		return NULL;
	return json_pack("{s:i, s:i}", "index", results->shard, "of", results->nr_shards);
}

/* NULL with err when a text cannot be written as JSON. */
static json_t *results_json(const struct results *results, struct error *err)
{
	bool is_bad = false;
	char seed[24];
	json_error_t why;
	json_t *out;

	/* as text: readers of JSON round numbers above 2^53 */
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)results->seed);
	/* clang-format off */
	out = json_pack_ex(&why, 0,
			   "{s:i, s:s, s:s, s:s, s:s, s:s, s:s?, s:s, s:i, s:o*, s:o*, s:o, s:o, s:s, s:o, s:o, s:o, s:s}",
			   "format", RESULTS_FORMAT,
			   "experiment", results->experiment,
			   "title", results->title,
			   "version", results->version,
			   "config_hash", results->config_hash,
			   "engine", results->engine,
			   "published", results->published,
			   "seed", seed,
			   "replications", results->nr_replications,
			   "adaptive", adaptive_json(results),
			   "shard", shard_json(results),
			   "machines", names_json(results->machines, results->nr_machines, &is_bad),
			   "variants", names_json(results->variants, results->nr_variants, &is_bad),
			   "baseline", results->variants[results->baseline],
			   "axes", axes_json(results, &is_bad),
			   "metrics", metrics_json(results, &is_bad),
			   "boundaries", boundaries_json(results, &is_bad),
			   "config", results->config_text);
	/* clang-format on */
	if (out && !is_bad)
		return out;
	error_plain(err, "a name, a title or the configuration cannot be written as JSON: %s",
		    out ? "it is not UTF-8 text" : why.text);
	json_decref(out);
	return NULL;
}

static int save_json(const json_t *json, const char *path, struct error *err)
{
	struct outfile *file = outfile_open(path, err);

	if (!file)
		return -1;
	/* a failed write stays in the stream, for outfile_commit to report */
	json_dumpf(json, outfile_stream(file), JSON_INDENT(2));
	fputc('\n', outfile_stream(file));
	return outfile_commit(file, err);
}

static int save_files(struct arena *arena, const struct results *results, const json_t *json, const char *dir,
		      struct error *err)
{
	if (outfile_mkdirs(dir, err) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (results->nr_shards && layouts[i].whole_only)
			continue;
		if (save_csv(&layouts[i], results, arena_printf(arena, "%s/%s", dir, layouts[i].file), err) != 0)
			return -1;
	}
	/* last: a directory with a result.json is complete */
	return save_json(json, arena_printf(arena, "%s/result.json", dir), err);
}

int results_save(const struct results *results, const char *dir, struct error *err)
{
	struct arena *arena = arena_create();
	struct results written = *results;
	json_t *json = results_json(results, err);
	int failed = -1;

	if (json) {
		written.values = values_as_written(arena, results);
		failed = save_files(arena, &written, json, dir, err);
	}
	json_decref(json);
	arena_destroy(arena);
	return failed;
}
