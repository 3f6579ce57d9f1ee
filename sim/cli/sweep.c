/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/sweep.h"

#include "sim/cli/cli.h"
#include "sim/cli/workers.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(NR_METRICS <= WORKERS_MAX_VALUES, "an answer holds every metric");

struct sweep *sweep_create(struct arena *arena, enum engine_kind engine)
{
	struct sweep *sweep = arena_alloc(arena, sizeof(*sweep));

	sweep->arena = arena;
	sweep->engine = engine;
	return sweep;
}

/* Room for one more element of an array that doubles in an arena. */
static void *grown(struct arena *arena, void *array, int nr, int *max, size_t element_bytes)
{
	void *larger;

	if (nr < *max)
		return array;
	*max = *max ? 2 * *max : 16;
	larger = arena_calloc(arena, (size_t)*max, element_bytes);
	if (nr > 0)
		memcpy(larger, array, (size_t)nr * element_bytes);
	return larger;
}

static void add_run(struct sweep *sweep, struct sweep_run run)
{
	sweep->runs = grown(sweep->arena, sweep->runs, sweep->nr_runs, &sweep->max_runs, sizeof(*sweep->runs));
	sweep->runs[sweep->nr_runs++] = run;
}

/* Resolve a point once, for its size; the children resolve again, so the parent keeps no configurations. */
static int add_point(struct sweep *sweep, struct sweep_run run, struct error *err)
{
	const struct sweep_part *part = &sweep->parts[run.part];
	struct arena *scratch = arena_create();
	struct run_config config;
	int failed = experiment_resolve(part->experiment, scratch, run.machine, run.variant, run.point, part->overlay,
					&config, err);

	if (!failed) {
		run.nr_threads = config.nr_threads;
		run.work = config.nr_threads * ps_to_s(config.length.warmup_ps + config.length.duration_ps);
		for (run.replication = 0; run.replication < part->nr_replications; run.replication++)
			add_run(sweep, run);
	}
	arena_destroy(scratch);
	return failed;
}

static int add_points(struct sweep *sweep, int part, struct error *err)
{
	const struct experiment *experiment = sweep->parts[part].experiment;
	int nr_points = experiment_nr_points(experiment);
	int total = experiment->nr_machines * experiment->nr_variants * nr_points;
	int i;

	for (i = 0; i < total; i++) {
		struct sweep_run run = {
			.part = part,
			.machine = i / (nr_points * experiment->nr_variants),
			.variant = i / nr_points % experiment->nr_variants,
			.point = i % nr_points,
		};

		if (add_point(sweep, run, err))
			return -1;
	}
	return 0;
}

int sweep_add(struct sweep *sweep, const struct experiment *experiment, const struct yaml_node *overlay,
	      int nr_replications, struct error *err)
{
	struct results *results = experiment_results(experiment, sweep->arena, err);
	int part = sweep->nr_parts;

	if (!results)
		return -1;
	results->engine = engine_names[sweep->engine];
	sweep->parts = grown(sweep->arena, sweep->parts, sweep->nr_parts, &sweep->max_parts, sizeof(*sweep->parts));
	sweep->parts[part] = (struct sweep_part){
		.experiment = experiment,
		.overlay = overlay,
		.results = results,
		.nr_replications = nr_replications > 0 ? nr_replications : results->nr_replications,
	};
	sweep->nr_parts++;
	return add_points(sweep, part, err) ? -1 : part;
}

/* Longest first; equal ones in the order in which they were added, which is ascending in every member. */
static int by_work(const void *a, const void *b)
{
	const struct sweep_run *x = a;
	const struct sweep_run *y = b;

	if (x->work != y->work)
		return x->work > y->work ? -1 : 1;
	if (x->part != y->part)
		return x->part - y->part;
	if (x->machine != y->machine)
		return x->machine - y->machine;
	if (x->point != y->point)
		return x->point - y->point;
	if (x->replication != y->replication)
		return x->replication - y->replication;
	return x->variant - y->variant;
}

/* In the child. */
static int execute(void *context, int job, double *values, struct error *err)
{
	struct sweep *sweep = context;
	const struct sweep_run *run = &sweep->runs[job];
	const struct sweep_part *part = &sweep->parts[run->part];
	struct run_config config;

	if (experiment_resolve(part->experiment, sweep->arena, run->machine, run->variant, run->point, part->overlay,
			       &config, err))
		return -1;
	config.engine = sweep->engine;
	return run_execute(&config, run->replication, values, err);
}

static void report_failure(struct sweep *sweep, const struct sweep_run *run, const char *failure)
{
	const struct sweep_part *part = &sweep->parts[run->part];
	const struct results *results = part->results;
	int i;

	progress_clear(&sweep->progress);
	fprintf(stderr, "contend: %s: run failed: machine %s, variant %s", results->experiment,
		results->machines[run->machine], results->variants[run->variant]);
	for (i = 0; i < results->nr_axes; i++)
		fprintf(stderr, ", %s %s", results->axes[i].key,
			results->axes[i].values[results_axis_index(results, run->point, i)]);
	fprintf(stderr, ", replication %d: %s\n", run->replication + 1, failure);
}

/* As result files have it, so that what `run` prints and what `compare` prints later are the same bytes. */
static double as_stored(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.9g", value);
	return strtod(text, NULL);
}

/* In the parent. */
static void collect(void *context, int job, const double *values, const char *failure)
{
	struct sweep *sweep = context;
	const struct sweep_run *run = &sweep->runs[job];
	struct sweep_part *part = &sweep->parts[run->part];
	int metric;

	if (failure) {
		report_failure(sweep, run, failure);
		part->nr_failed++;
	} else {
		for (metric = 0; metric < NR_METRICS; metric++)
			*results_at(part->results, run->machine, run->variant, run->point, run->replication, metric) =
				as_stored(values[metric]);
		part->nr_done++;
	}
	progress_step(&sweep->progress, run->work);
}

static int count_failed(const struct sweep *sweep)
{
	int nr = 0;
	int i;

	for (i = 0; i < sweep->nr_parts; i++)
		nr += sweep->parts[i].nr_failed;
	return nr;
}

static double total_work(const struct sweep *sweep)
{
	double total = 0;
	int i;

	for (i = 0; i < sweep->nr_runs; i++)
		total += sweep->runs[i].work;
	return total;
}

int sweep_execute(struct sweep *sweep, const struct run_options *options)
{
	struct workers workers = {
		.nr_jobs = sweep->nr_runs,
		.nr_workers = options->nr_workers,
		.context = sweep,
		.run = execute,
		.done = collect,
	};
	struct error err;
	int ended_by, nr_failed;

	/* children inherit what an engine loads once per process: a fifth less start-up for each of them */
	engine_destroy(engine_create(sweep->engine, 1, NULL));
	if (sweep->nr_runs > 0)
		qsort(sweep->runs, (size_t)sweep->nr_runs, sizeof(*sweep->runs), by_work);
	progress_start(&sweep->progress, sweep->nr_runs, total_work(sweep), options->quiet);
	ended_by = workers_run(&workers, &err);
	progress_clear(&sweep->progress);
	if (ended_by < 0)
		return cli_fail(STATUS_FAILED, &err);
	if (ended_by > 0) {
		fprintf(stderr, "contend: interrupted: %d of %d runs are done\n", sweep->progress.nr_done,
			sweep->nr_runs);
		return STATUS_INTERRUPTED;
	}
	nr_failed = count_failed(sweep);
	if (nr_failed > 0)
		fprintf(stderr, "contend: %d of %d runs failed; the rest is kept\n", nr_failed, sweep->nr_runs);
	return nr_failed > 0 ? STATUS_FAILED : STATUS_FINE;
}
