/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/save.h"

#include "sim/cli/cli.h"
#include "sim/cli/output.h"
#include "sim/cli/paths.h"
#include "sim/io/plot.h"
#include "sim/io/results_file.h"

static int save_files(struct arena *arena, const struct results *results, const char *directory, struct error *err)
{
	const struct table_options table = { .format = TABLE_TEXT, .baseline = -1, .why = true };

	if (results_save(results, directory, err))
		return -1;
	if (results->nr_shards)
		return 0;
	return output_table(results, &table, arena_printf(arena, "%s/table.txt", directory), err);
}

static void draw_figures(struct arena *arena, const struct results *results, const char *directory, bool quiet)
{
	struct plot_options plot = { .plots_dir = path_of_plots(), .variant = -1 };
	struct plot_list drawn = { 0 };
	struct error err;
	int i;

	plot.metric = results_find_metric(results, "throughput");
	if (plot.metric < 0)
		return;
	plot.published = output_published(arena, results);
	if (plot_all(arena, results, &plot, directory, &drawn, &err))
		cli_warn("figures are missing: %s", err.text);
	for (i = 0; i < drawn.nr_paths && !quiet; i++)
		fprintf(stderr, "contend: figure %s\n", drawn.paths[i]);
}

int save_results(const struct results *results, const char *directory, const struct save_options *options)
{
	struct arena *arena = arena_create();
	struct error err;
	int status = STATUS_FINE;

	if (save_files(arena, results, directory, &err)) {
		status = cli_fail(STATUS_FAILED, &err);
	} else {
		if (!options->quiet)
			fprintf(stderr, "contend: results in %s\n", directory);
		if (options->plots && !results->nr_shards)
			draw_figures(arena, results, directory, options->quiet);
	}
	arena_destroy(arena);
	return status;
}

int save_part(const struct sweep_part *part, const char *directory, const struct save_options *options)
{
	if (part->nr_done == 0 && part->nr_runs > 0) {
		fprintf(stderr, "contend: no run of %s was finished; nothing was written\n", part->experiment->name);
		return STATUS_FAILED;
	}
	return save_results(part->results, directory, options);
}
