/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a result set that may come from anybody: its shape from result.json here, then its numbers from samples.csv
 * in results_samples.c.
 */
#include "sim/io/results_file.h"

#include "sim/io/results_parts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

struct loading {
	struct arena *arena;
	struct results *results;
	const char *json_path;
	const char *samples_path;
};

static int fail(const struct loading *loading, const char *what, const char *problem, struct error *err)
{
	return error_set(err, (struct source_pos){ .file = loading->json_path }, "%s: %s", what, problem);
}

static const char *copy(struct loading *loading, const char *text)
{
	return text ? arena_strdup(loading->arena, text) : NULL;
}

/* How many items an array has, or -1 when it is no array of min to RESULTS_MAX_NAMES. */
static int load_count(const struct loading *loading, const json_t *array, int min, const char *what, struct error *err)
{
	if (!json_is_array(array))
		return fail(loading, what, "must be an array", err);
	if (json_array_size(array) < (size_t)min)
		return fail(loading, what, "must not be empty", err);
	if (json_array_size(array) > RESULTS_MAX_NAMES)
		return fail(loading, what, "too many items", err);
	return (int)json_array_size(array);
}

/* An array of names, all different and none empty. */
static int load_names(struct loading *loading, const json_t *array, const char *what, struct names *out,
		      struct error *err)
{
	int nr = load_count(loading, array, 1, what, err);

	if (nr < 0)
		return -1;
	*out = (struct names){ .names = arena_calloc(loading->arena, (size_t)nr, sizeof(*out->names)) };
	for (int i = 0; i < nr; i++) {
		const char *name = json_string_value(json_array_get(array, (size_t)i));

		if (!name || !*name)
			return fail(loading, what, "every item must be a text that is not empty", err);
		if (names_find(out, name) >= 0)
			return fail(loading, what, "two items are equal", err);
		out->names[out->nr++] = copy(loading, name);
	}
	return 0;
}

static int load_axis(struct loading *loading, json_t *json, struct axis *out, struct error *err)
{
	struct names values;
	const char *key;
	json_t *array;
	json_error_t why;

	if (json_unpack_ex(json, &why, JSON_STRICT, "{s:s, s:o}", "key", &key, "values", &array) != 0)
		return fail(loading, "axes", why.text, err);
	if (!*key || results_find_axis(loading->results, key) >= 0)
		return fail(loading, "axes", "every key must be different and not empty", err);
	if (load_names(loading, array, "axes: values", &values, err) != 0)
		return -1;
	*out = (struct axis){
		.key = copy(loading, key),
		.values = values.names,
		.value_numbers = arena_calloc(loading->arena, (size_t)values.nr, sizeof(double)),
		.nr_values = values.nr,
	};
	for (int i = 0; i < values.nr; i++)
		out->value_numbers[i] = results_number(values.names[i]);
	return 0;
}

static int load_axes(struct loading *loading, const json_t *array, struct error *err)
{
	struct results *results = loading->results;
	int nr = load_count(loading, array, 0, "axes", err);

	if (nr < 0)
		return -1;
	if (nr > RESULTS_MAX_AXES)
		return fail(loading, "axes", "too many items", err);
	for (int i = 0; i < nr; i++) {
		if (load_axis(loading, json_array_get(array, (size_t)i), &results->axes[i], err) != 0)
			return -1;
		results->nr_axes++;
	}
	return 0;
}

static int load_metrics(struct loading *loading, const json_t *array, struct error *err)
{
	struct results *results = loading->results;
	int nr = load_count(loading, array, 1, "metrics", err);

	if (nr < 0)
		return -1;
	results->metrics = arena_calloc(loading->arena, (size_t)nr, sizeof(*results->metrics));
	for (int i = 0; i < nr; i++) {
		const char *name, *unit;
		json_error_t why;

		if (json_unpack_ex(json_array_get(array, (size_t)i), &why, JSON_STRICT, "{s:s, s:s}", "name", &name,
				   "unit", &unit) != 0)
			return fail(loading, "metrics", why.text, err);
		if (!*name || results_find_metric(results, name) >= 0)
			return fail(loading, "metrics", "every name must be different and not empty", err);
		results->metrics[results->nr_metrics++] =
			(struct metric){ .name = copy(loading, name), .unit = copy(loading, unit) };
	}
	return 0;
}

static int load_boundaries(struct loading *loading, const json_t *array, struct names *machines, struct error *err)
{
	struct results *results = loading->results;
	int nr = load_count(loading, array, 0, "boundaries", err);

	if (nr < 0)
		return -1;
	results->boundaries = arena_calloc(loading->arena, (size_t)nr, sizeof(*results->boundaries));
	for (int i = 0; i < nr; i++) {
		const char *machine, *label;
		json_int_t before;
		json_error_t why;
		int minor;

		if (json_unpack_ex(json_array_get(array, (size_t)i), &why, JSON_STRICT, "{s:s, s:I, s:s, s:b}",
				   "machine", &machine, "before", &before, "label", &label, "minor", &minor) != 0)
			return fail(loading, "boundaries", why.text, err);
		if (names_find(machines, machine) < 0)
			return fail(loading, "boundaries", "an unknown machine", err);
		if (before < 0 || before >= INT_MAX)
			return fail(loading, "boundaries", "'before' is out of range", err);
		results->boundaries[results->nr_boundaries++] = (struct boundary){
			.machine = names_find(machines, machine),
			.before = (int)before,
			.label = copy(loading, label),
			.minor = minor,
		};
	}
	return 0;
}

/* The members that others count by. Every count is at most RESULTS_MAX_NAMES, so no step overflows. */
static int check_size(const struct loading *loading, json_int_t replications, struct error *err)
{
	const struct results *results = loading->results;
	const int counts[] = { results->nr_machines, results->nr_variants, results->nr_metrics };
	json_int_t size = replications;

	if (replications < 1 || replications > RESULTS_MAX_VALUES)
		return fail(loading, "replications", "out of range", err);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]) && size <= RESULTS_MAX_VALUES; i++)
		size *= counts[i];
	for (int i = 0; i < results->nr_axes && size <= RESULTS_MAX_VALUES; i++)
		size *= results->axes[i].nr_values;
	if (size > RESULTS_MAX_VALUES)
		return error_set(err, (struct source_pos){ .file = loading->json_path }, "more than %d numbers",
				 RESULTS_MAX_VALUES);
	return 0;
}

static int load_seed(const struct loading *loading, const char *text, uint64_t *out, struct error *err)
{
	errno = 0;
	*out = strtoull(text, NULL, 10);
	if (!*text || text[strspn(text, "0123456789")] || errno)
		return fail(loading, "seed", "must be the digits of a 64-bit number", err);
	return 0;
}

/* The members with a structure of their own, borrowed from the document. */
struct parts {
	json_t *machines, *variants, *axes, *metrics, *boundaries;
	json_t *adaptive, *shard; /* NULL: not there */
	const char *baseline, *seed;
	json_int_t replications;
};

static int load_adaptive(const struct loading *loading, json_t *json, struct error *err)
{
	struct results *results = loading->results;
	json_int_t min, until_ppm;
	json_error_t why;

	if (!json)
		return 0;
	if (json_unpack_ex(json, &why, JSON_STRICT, "{s:I, s:I}", "min", &min, "until_ppm", &until_ppm) != 0)
		return fail(loading, "adaptive", why.text, err);
	/* to judge a point takes the square of its replications */
	if (results->nr_replications > RESULTS_MAX_ADAPTIVE)
		return fail(loading, "adaptive", "too many replications", err);
	if (min < 2 || min > results->nr_replications || until_ppm < 1 || until_ppm > 1000000)
		return fail(loading, "adaptive", "out of range", err);
	results->min_replications = (int)min;
	results->until_ppm = (uint64_t)until_ppm;
	return 0;
}

static int load_shard(const struct loading *loading, json_t *json, struct error *err)
{
	struct results *results = loading->results;
	json_int_t index, of;
	json_error_t why;

	if (!json)
		return 0;
	if (json_unpack_ex(json, &why, JSON_STRICT, "{s:I, s:I}", "index", &index, "of", &of) != 0)
		return fail(loading, "shard", why.text, err);
	if (index < 1 || index > of || of > RESULTS_MAX_SHARDS)
		return fail(loading, "shard", "out of range", err);
	results->shard = (int)index;
	results->nr_shards = (int)of;
	return 0;
}

static int load_parts(struct loading *loading, const struct parts *parts, struct error *err)
{
	struct results *results = loading->results;
	struct names machines, variants;

	if (load_names(loading, parts->machines, "machines", &machines, err) != 0 ||
	    load_names(loading, parts->variants, "variants", &variants, err) != 0)
		return -1;
	results->machines = machines.names;
	results->nr_machines = machines.nr;
	results->variants = variants.names;
	results->nr_variants = variants.nr;
	results->baseline = names_find(&variants, parts->baseline);
	if (results->baseline < 0)
		return fail(loading, "baseline", "must be one of the variants", err);
	if (load_axes(loading, parts->axes, err) != 0 || load_metrics(loading, parts->metrics, err) != 0 ||
	    load_boundaries(loading, parts->boundaries, &machines, err) != 0 ||
	    load_seed(loading, parts->seed, &results->seed, err) != 0 ||
	    check_size(loading, parts->replications, err) != 0)
		return -1;
	results->nr_replications = (int)parts->replications;
	return load_adaptive(loading, parts->adaptive, err) || load_shard(loading, parts->shard, err) ? -1 : 0;
}

static int load_document(struct loading *loading, json_t *json, struct error *err)
{
	struct results *results = loading->results;
	const char *experiment, *title, *version, *hash, *engine, *config;
	json_t *published;
	json_int_t format;
	struct parts parts = { .adaptive = NULL, .shard = NULL };
	json_error_t why;

	/* clang-format off */
	if (json_unpack_ex(json, &why, JSON_STRICT,
			   "{s:I, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:I, s?o, s?o, s:o, s:o, s:s, s:o, s:o, s:o, s:s}",
			   "format", &format,
			   "experiment", &experiment,
			   "title", &title,
			   "version", &version,
			   "config_hash", &hash,
			   "engine", &engine,
			   "published", &published,
			   "seed", &parts.seed,
			   "replications", &parts.replications,
			   "adaptive", &parts.adaptive,
			   "shard", &parts.shard,
			   "machines", &parts.machines,
			   "variants", &parts.variants,
			   "baseline", &parts.baseline,
			   "axes", &parts.axes,
			   "metrics", &parts.metrics,
			   "boundaries", &parts.boundaries,
			   "config", &config) != 0)
		return fail(loading, "not a result of contend", why.text, err);
	/* clang-format on */
	if (format != RESULTS_FORMAT)
		return fail(loading, "format", "written by another version of contend", err);
	if (!json_is_null(published) && !json_is_string(published))
		return fail(loading, "published", "must be a path or null", err);
	results->experiment = copy(loading, experiment);
	results->title = copy(loading, title);
	results->version = copy(loading, version);
	results->config_hash = copy(loading, hash);
	results->engine = copy(loading, engine);
	results->published = copy(loading, json_string_value(published));
	results->config_text = copy(loading, config);
	return load_parts(loading, &parts, err);
}

struct json_source {
	FILE *in;
	size_t left_bytes;
};

/* jansson's reader: -1 ends it with an error. One byte over the allowance tells a file that is too large. */
static size_t json_source_read(void *buffer, size_t bytes, void *arg)
{
	struct json_source *source = arg;
	size_t nr = fread(buffer, 1, bytes, source->in);

	if (ferror(source->in) || nr > source->left_bytes)
		return (size_t)-1;
	source->left_bytes -= nr;
	return nr;
}

static int load_json(struct loading *loading, struct error *err)
{
	struct json_source source = { .in = fopen(loading->json_path, "re"), .left_bytes = RESULTS_MAX_JSON_BYTES };
	struct source_pos pos = { .file = loading->json_path };
	json_error_t why;
	json_t *json;
	int failed;

	if (!source.in)
		return error_plain(err, "cannot read '%s': %s", loading->json_path, strerror(errno));
	json = json_load_callback(json_source_read, &source, JSON_REJECT_DUPLICATES, &why);
	if (json) {
		failed = load_document(loading, json, err);
	} else {
		pos.line = why.line > 0 ? why.line : 0;
		pos.column = why.column > 0 ? why.column : 0;
		failed = error_set(err, pos, "%s", ferror(source.in) ? strerror(EIO) : why.text);
	}
	json_decref(json);
	fclose(source.in);
	return failed;
}

/* The two files, from a directory or from the path of one of them. */
static void find_files(struct loading *loading, const char *path)
{
	struct stat status;
	const char *slash = strrchr(path, '/');

	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
		const char *joint = slash && !slash[1] ? "" : "/";

		loading->json_path = arena_printf(loading->arena, "%s%sresult.json", path, joint);
		loading->samples_path = arena_printf(loading->arena, "%s%ssamples.csv", path, joint);
		return;
	}
	loading->json_path = copy(loading, path);
	loading->samples_path =
		arena_printf(loading->arena, "%.*ssamples.csv", slash ? (int)(slash - path + 1) : 0, path);
}

struct results *results_load_any(struct arena *arena, const char *path, struct error *err)
{
	struct loading loading = { .arena = arena, .results = arena_alloc(arena, sizeof(struct results)) };

	loading.results->arena = arena;
	find_files(&loading, path);
	if (load_json(&loading, err) != 0 || results_read_samples(loading.results, loading.samples_path, err) != 0)
		return NULL;
	return loading.results;
}

struct results *results_load(struct arena *arena, const char *path, struct error *err)
{
	struct results *results = results_load_any(arena, path, err);

	if (!results || !results->nr_shards)
		return results;
	error_plain(err, "'%s' is shard %d of %d: put the shards together with `contend merge`", path, results->shard,
		    results->nr_shards);
	return NULL;
}
