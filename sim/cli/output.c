/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/output.h"

#include "models/config.h"
#include "sim/cli/cli.h"
#include "sim/cli/point_names.h"
#include "sim/io/bind.h"
#include "sim/util/outfile.h"

#include <string.h>

static int find_name(const char *what, const char *const *names, int nr, const char *name, struct error *err)
{
	struct arena *arena;
	const char **known;
	int i;

	for (i = 0; i < nr; i++) {
		if (strcmp(names[i], name) == 0)
			return i;
	}
	arena = arena_create();
	known = arena_calloc(arena, (size_t)nr + 1, sizeof(*known));
	for (i = 0; i < nr; i++)
		known[i] = names[i];
	bind_unknown((struct source_pos){ 0 }, what, name, known, err);
	arena_destroy(arena);
	return -1;
}

/* Metrics are too many for bind_unknown to list, but nobody knows them by heart. */
static void append_names(const char *const *names, struct error *err)
{
	const char *before = "; known: ";

	for (; *names; names++) {
		error_append(err, "%s%s", before, *names);
		before = ", ";
	}
}

int output_find_metric(const struct results *results, const char *name, struct error *err)
{
	struct arena *arena = arena_create();
	const char **names = arena_calloc(arena, (size_t)results->nr_metrics + 1, sizeof(*names));
	int i;

	for (i = 0; i < results->nr_metrics; i++)
		names[i] = results->metrics[i].name;
	i = find_name("these results have no metric", names, results->nr_metrics, name, err);
	if (i < 0 && !strstr(err->text, "did you mean"))
		append_names(names, err);
	arena_destroy(arena);
	return i;
}

int output_find_variant(const struct results *results, const char *name, struct error *err)
{
	return find_name("these results have no variant", results->variants, results->nr_variants, name, err);
}

int output_find_machine(const struct results *results, const char *name, struct error *err)
{
	return find_name("these results have no machine", results->machines, results->nr_machines, name, err);
}

struct table_metric output_table_metric(const struct results *results, int index)
{
	struct table_metric metric = { .index = index };
	int i;

	for (i = 0; i < NR_METRICS; i++) {
		if (strcmp(metric_infos[i].name, results->metrics[index].name) == 0)
			metric.lower_is_better = metric_infos[i].lower_is_better;
	}
	return metric;
}

/* Names of points are known here alone: a table has no models beneath it. */
static int write_named(FILE *out, const struct results *results, const struct table_options *options, struct error *err)
{
	struct table_options named = *options;
	struct arena *arena = arena_create();
	int failed;

	if (options->format == TABLE_FASTPATH)
		named.points = point_names(arena, results);
	failed = table_write(out, results, &named, err);
	arena_destroy(arena);
	return failed;
}

int output_table(const struct results *results, const struct table_options *options, const char *path,
		 struct error *err)
{
	struct outfile *file;

	if (!path)
		return write_named(stdout, results, options, err);
	file = outfile_open(path, err);
	if (!file)
		return -1;
	if (write_named(outfile_stream(file), results, options, err)) {
		if (ferror(outfile_stream(file)))
			error_append(err, " ('%s')", path);
		outfile_abort(file);
		return -1;
	}
	return outfile_commit(file, err);
}

const struct published *output_published(struct arena *arena, const struct results *results)
{
	struct published *published;
	struct error err;

	if (!results->published)
		return NULL;
	published = published_load(arena, config_stored_file(arena, results->published), &err);
	if (!published)
		cli_warn("the published table is left out: %s", err.text);
	return published;
}
