/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The empty result set of an experiment.
 */
#include "models/config_parts.h"
#include "models/workloads/workload.h"

#include <inttypes.h>
#include <string.h>

#include "sim/io/yaml_text.h"

static void fill_metrics(struct results *results)
{
	results->nr_metrics = NR_METRICS;
	results->metrics = arena_calloc(results->arena, NR_METRICS, sizeof(*results->metrics));
	for (int i = 0; i < NR_METRICS; i++) {
		results->metrics[i].name = metric_infos[i].name;
		results->metrics[i].unit = metric_infos[i].unit;
	}
}

static void fill_names(struct results *results, const struct experiment *experiment)
{
	results->experiment = experiment->name;
	results->title = experiment->title;
	results->version = CONTEND_VERSION;
	results->published = experiment->published ? config_stored_path(results->arena, experiment->published) : NULL;
	results->machines = experiment->machine_names;
	results->nr_machines = experiment->nr_machines;
	results->variants = experiment->variant_names;
	results->nr_variants = experiment->nr_variants;
	results->baseline = experiment->baseline;
	memcpy(results->axes, experiment->axes, sizeof(results->axes));
	results->nr_axes = experiment->nr_axes;
}

static int fill_text(struct results *results, const struct experiment *experiment, struct error *err)
{
	struct yaml_node *tree = config_whole_tree(experiment, results->arena);
	const char *inputs = config_inputs(experiment, results->arena, err);

	results->config_text = yaml_text(results->arena, tree);
	yaml_take(tree, "title");
	if (!inputs)
		return -1;
	results->config_hash = arena_printf(results->arena, "%016" PRIx64,
					    config_hash(arena_printf(results->arena, "%s%s",
								     yaml_text(results->arena, tree), inputs)));
	return 0;
}

/* The point with the most threads, other axes at their first value; -1 when threads are not swept. */
static int most_threads_point(const struct results *results)
{
	int axis = results_find_axis(results, "threads");
	int nr_points = results_nr_points(results);
	double most = 0;
	int best = -1;

	for (int point = 0; axis >= 0 && point < nr_points; point++) {
		double threads = results->axes[axis].value_numbers[results_axis_index(results, point, axis)];

		if (threads > most) {
			most = threads;
			best = point;
		}
	}
	return best;
}

static void append_boundaries(struct results *results, int machine, const struct boundary *more, int nr)
{
	struct boundary *all = arena_calloc(results->arena, (size_t)(results->nr_boundaries + nr) + 1, sizeof(*all));

	if (results->nr_boundaries)
		memcpy(all, results->boundaries, (size_t)results->nr_boundaries * sizeof(*all));
	results->boundaries = all;
	for (int i = 0; i < nr; i++) {
		all[results->nr_boundaries] = more[i];
		all[results->nr_boundaries++].machine = machine;
	}
}

/* Of the baseline's placement on each machine. */
static int fill_boundaries(struct results *results, const struct experiment *experiment, struct error *err)
{
	int point = most_threads_point(results);

	for (int machine = 0; point >= 0 && machine < experiment->nr_machines; machine++) {
		struct run_config config;
		struct boundary *boundaries;
		int nr;

		if (experiment_resolve(experiment, results->arena, machine, experiment->baseline, point, NULL, &config,
				       err))
			return -1;
		if (config.workload->scheduled) /* more threads are not further away */
			continue;
		nr = config_boundaries(results->arena, &config.machine, config.cpus, config.nr_threads, &boundaries);
		append_boundaries(results, machine, boundaries, nr);
	}
	return 0;
}

struct results *experiment_results(const struct experiment *experiment, struct arena *arena, struct error *err)
{
	struct results *results = arena_alloc(arena, sizeof(*results));
	struct run_config first;

	results->arena = arena;
	if (experiment_resolve(experiment, arena, 0, 0, 0, NULL, &first, err))
		return NULL;
	results->seed = first.length.seed;
	results->nr_replications = (int)first.length.replications;
	results->min_replications = (int)first.length.min_replications;
	results->until_ppm = first.length.until_ppm;
	fill_names(results, experiment);
	fill_metrics(results);
	if (fill_text(results, experiment, err) || fill_boundaries(results, experiment, err))
		return NULL;
	results_allocate(results);
	return results;
}
