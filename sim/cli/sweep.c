/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/sweep.h"

#include "sim/cli/cli.h"
#include "sim/cli/deal.h"
#include "sim/cli/workers.h"
#include "sim/stats/replications.h"

#include <stdlib.h>
#include <time.h>

/* What a child sends after the metrics: the CPU time that the run took. */
#define VALUE_SECONDS NR_METRICS

_Static_assert(VALUE_SECONDS < WORKERS_MAX_VALUES, "an answer holds every metric and the time");

struct sweep *sweep_create(struct arena *arena, enum engine_kind engine)
{
	struct sweep *sweep = arena_alloc(arena, sizeof(*sweep));

	sweep->arena = arena;
	sweep->engine = engine;
	sweep->spare = engine_spare_create(arena);
	sweep->schedule = schedule_create(arena);
	return sweep;
}

/* --- building --- */

static void make_brief(struct run_length *length)
{
	length->warmup_ps /= 4;
	length->duration_ps /= 4;
	length->min_operations = (length->min_operations + 7) / 8;
}

/* The configuration of a part's (machine, variant, point), made in arena. */
static int resolve(const struct sweep_part *part, struct arena *arena, const struct schedule_point *point, int variant,
		   struct run_config *config, struct error *err)
{
	if (experiment_resolve(part->experiment, arena, point->machine, variant, point->point, part->overlay, config,
			       err))
		return -1;
	if (part->brief)
		make_brief(&config->length);
	return 0;
}

/* Resolve a cell once, for its size; the children resolve again, so the parent keeps no configurations. */
static int set_work(struct sweep *sweep, const struct sweep_part *part, struct schedule_cell *cell, struct error *err)
{
	const struct schedule_point *point = &sweep->schedule->points[cell->point];
	struct arena *scratch = arena_create();
	struct run_config config;
	int failed = resolve(part, scratch, point, cell->variant, &config, err);

	if (!failed)
		cell->work = config.nr_threads * ps_to_s(config.length.warmup_ps + config.length.duration_ps);
	arena_destroy(scratch);
	return failed;
}

static int add_point(struct sweep *sweep, int index, int machine, int number, struct error *err)
{
	const struct sweep_part *part = &sweep->parts[index];
	const struct results *results = part->results;
	int nr = part->nr_replications;
	const struct schedule_point point = {
		.results = results,
		.part = index,
		.machine = machine,
		.point = number,
		.least = nr ? nr : replications_least(results),
		.most = nr ? nr : results->nr_replications,
	};
	int first = schedule_add_point(sweep->schedule, &point);
	int variant;

	for (variant = 0; variant < results->nr_variants; variant++) {
		if (set_work(sweep, part, &sweep->schedule->cells[first + variant], err))
			return -1;
	}
	return 0;
}

int sweep_add(struct sweep *sweep, const struct experiment *experiment, const struct yaml_node *overlay,
	      int nr_replications, struct error *err)
{
	struct results *results = experiment_results(experiment, sweep->arena, err);
	int part = sweep->nr_parts;
	int machine, point;

	if (!results)
		return -1;
	results->engine = engine_names[sweep->engine];
	sweep->parts =
		arena_grow(sweep->arena, sweep->parts, sweep->nr_parts, &sweep->max_parts, sizeof(*sweep->parts));
	sweep->parts[part] = (struct sweep_part){
		.experiment = experiment,
		.overlay = overlay,
		.results = results,
		.nr_replications = nr_replications == SWEEP_BRIEF ? 1 : nr_replications,
		.brief = nr_replications == SWEEP_BRIEF,
	};
	sweep->nr_parts++;
	for (machine = 0; machine < results->nr_machines; machine++) {
		for (point = 0; point < results_nr_points(results); point++) {
			if (add_point(sweep, part, machine, point, err))
				return -1;
		}
	}
	return part;
}

/* --- runs that were made before --- */

static void find_done(struct schedule *schedule)
{
	int i, replication;

	for (i = 0; i < schedule->nr_cells; i++) {
		const struct schedule_cell *cell = &schedule->cells[i];
		const struct schedule_point *point = &schedule->points[cell->point];

		for (replication = 0; replication < point->most; replication++) {
			if (schedule->states[cell->first_run + replication] == RUN_WAITING &&
			    results_has_run(point->results, point->machine, cell->variant, point->point, replication))
				schedule_set(schedule, i, replication, RUN_DONE);
		}
	}
}

/* --- in the child --- */

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int execute(void *context, int run, double *values, struct error *err)
{
	const struct sweep *sweep = context;
	int replication;
	const struct schedule_cell *cell = schedule_cell_of(sweep->schedule, run, &replication);
	const struct schedule_point *point = &sweep->schedule->points[cell->point];
	const struct sweep_part *part = &sweep->parts[point->part];
	struct arena *arena = arena_create();
	double start_s = cpu_s();
	struct run_config config;
	int failed = resolve(part, arena, point, cell->variant, &config, err);

	if (!failed) {
		config.engine = sweep->engine;
		config.spare = sweep->spare;
		failed = run_execute(&config, replication, values, err);
	}
	arena_destroy(arena);
	values[VALUE_SECONDS] = cpu_s() - start_s;
	return failed;
}

/* --- in the parent --- */

static int next_run(void *context)
{
	struct sweep *sweep = context;

	return schedule_next(sweep->schedule);
}

static void report_failure(const struct sweep *sweep, const struct schedule_cell *cell, int replication,
			   const char *failure)
{
	const struct schedule_point *point = &sweep->schedule->points[cell->point];
	const struct results *results = sweep->parts[point->part].results;
	int i;

	progress_clear(&sweep->progress);
	fprintf(stderr, "contend: %s: run failed: machine %s, variant %s", results->experiment,
		results->machines[point->machine], results->variants[cell->variant]);
	for (i = 0; i < results->nr_axes; i++)
		fprintf(stderr, ", %s %s", results->axes[i].key,
			results->axes[i].values[results_axis_index(results, point->point, i)]);
	fprintf(stderr, ", replication %d: %s\n", replication + 1, failure);
}

/* As result files have it, so that what `run` prints and what `compare` prints later are the same bytes. */
static double as_stored(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.9g", value);
	return strtod(text, NULL);
}

/* A journal that cannot be written is no reason to stop: what is in it stays good, and the results come at the end. */
static void note_in_journal(const struct sweep *sweep, struct sweep_part *part, struct run_place place)
{
	struct error err;

	if (!part->journal || journal_append(part->journal, part->results, place, &err) == 0)
		return;
	progress_clear(&sweep->progress);
	cli_warn("%s; --resume will do without what comes from now on", err.text);
	journal_close(part->journal);
	part->journal = NULL;
}

static void keep_values(const struct sweep *sweep, const struct schedule_cell *cell, int replication,
			const double *values)
{
	const struct schedule_point *point = &sweep->schedule->points[cell->point];
	struct sweep_part *part = &sweep->parts[point->part];
	struct run_place place = {
		.machine = point->machine,
		.variant = cell->variant,
		.point = point->point,
		.replication = replication,
	};
	int metric;

	for (metric = 0; metric < NR_METRICS; metric++)
		*results_at(part->results, place.machine, place.variant, place.point, place.replication, metric) =
			as_stored(values[metric]);
	note_in_journal(sweep, part, place);
}

static void show_progress(struct sweep *sweep)
{
	struct progress *progress = &sweep->progress;
	struct schedule_count count;

	if (!progress_is_due(progress))
		return;
	count = schedule_count(sweep->schedule, -1);
	progress->nr_done = count.done + count.failed;
	progress->nr_total = count.needed;
	progress->work_done = sweep->schedule->measured_s;
	progress->work_total = progress->work_done + schedule_left_s(sweep->schedule);
	progress_draw(progress);
}

static void collect(void *context, int run, const double *values, const char *failure)
{
	struct sweep *sweep = context;
	int replication;
	const struct schedule_cell *cell = schedule_cell_of(sweep->schedule, run, &replication);

	if (values)
		keep_values(sweep, cell, replication, values);
	if (schedule_over(sweep->schedule, run, failure != NULL, values ? values[VALUE_SECONDS] : 0) && failure)
		report_failure(sweep, cell, replication, failure);
	show_progress(sweep);
}

/* What an earlier process made. */
static void say_what_is_there(const struct sweep *sweep)
{
	struct schedule_count count = schedule_count(sweep->schedule, -1);

	if (count.done > 0 && count.done == count.needed)
		fputs("contend: all runs were made before\n", stderr);
	else if (count.done > 0)
		fprintf(stderr, "contend: %d of %d runs were made before\n", count.done, count.needed);
}

static void begin(struct sweep *sweep, const struct run_options *options)
{
	int i;

	schedule_make_runs(sweep->schedule);
	for (i = 0; i < sweep->nr_parts; i++) {
		if (sweep->parts[i].results->nr_shards)
			deal(sweep->arena, sweep->schedule, i, sweep->parts[i].results);
	}
	find_done(sweep->schedule);
	schedule_start(sweep->schedule);
	if (!options->quiet)
		say_what_is_there(sweep);
	/* children inherit what an engine loads once per process: a fifth less start-up for each of them */
	engine_destroy(engine_create(sweep->engine, 1, NULL));
	progress_start(&sweep->progress, 0, 0, options->quiet);
}

/* Count what came of each part, and drop what its points turned out not to need. */
static void end(struct sweep *sweep)
{
	int i;

	progress_clear(&sweep->progress);
	for (i = 0; i < sweep->nr_parts; i++) {
		struct sweep_part *part = &sweep->parts[i];
		struct schedule_count count = schedule_count(sweep->schedule, i);

		part->nr_runs = count.needed;
		part->nr_done = count.done;
		replications_trim(part->results);
	}
}

int sweep_execute(struct sweep *sweep, const struct run_options *options)
{
	const struct workers workers = {
		.nr_workers = options->nr_workers,
		/* SimGrid's clock goes on from engine to engine of a process, and what it can hold exactly is limited */
		.jobs_per_process = sweep->engine == ENGINE_SIMGRID ? 1 : 0,
		.context = sweep,
		.next = next_run,
		.run = execute,
		.done = collect,
	};
	struct schedule_count count;
	struct error err;
	int ended_by;

	begin(sweep, options);
	ended_by = workers_run(&workers, &err);
	end(sweep);
	count = schedule_count(sweep->schedule, -1);
	if (ended_by < 0)
		return cli_fail(STATUS_FAILED, &err);
	if (ended_by > 0) {
		fprintf(stderr, "contend: interrupted: %d of %d runs are done\n", count.done, count.needed);
		return STATUS_INTERRUPTED;
	}
	if (count.failed > 0)
		fprintf(stderr, "contend: %d of %d runs failed; the rest is kept\n", count.failed, count.needed);
	return count.failed > 0 ? STATUS_FAILED : STATUS_FINE;
}
