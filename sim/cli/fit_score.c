/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluations: one request to the crew per point and chosen cell, the longest first. */
#include "sim/cli/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A search needs many runs rather than long ones; an experiment's own lengths hold where they are less. */
#define SHORT_WARMUP_PS (200 * PS_PER_US)
#define SHORT_DURATION_PS (500 * PS_PER_US)
#define SHORT_MIN_OPERATIONS 20

/* What a worker knows. The spare memory is made in the parent, where nothing uses it, and grows in each worker. */
struct workplace {
	struct fit fit;
	struct engine_spare *spare;
};

struct request {
	int cell;
	int replication;
	int full_length;
	double point[FIT_MAX_KEYS];
};

static void shorten(struct run_length *length)
{
	if (length->warmup_ps > SHORT_WARMUP_PS)
		length->warmup_ps = SHORT_WARMUP_PS;
	if (length->duration_ps > SHORT_DURATION_PS)
		length->duration_ps = SHORT_DURATION_PS;
	if (length->min_operations > SHORT_MIN_OPERATIONS)
		length->min_operations = SHORT_MIN_OPERATIONS;
}

static int simulate(const struct workplace *place, struct arena *arena, const struct request *request, double *value,
		    struct error *err)
{
	const struct fit *fit = &place->fit;
	const struct fit_cell *cell = &fit->cells[request->cell];
	const struct fit_member *member = &fit->members[cell->member];
	const struct yaml_node *overlay = fit_overlay(fit, arena, cell->member, request->point);
	double metrics[NR_METRICS];
	struct run_config config;

	if (experiment_resolve(member->experiment, arena, 0, cell->variant, cell->point, overlay, &config, err))
		return -1;
	config.engine = fit->engine;
	config.spare = place->spare;
	if (!request->full_length)
		shorten(&config.length);
	if (run_execute(&config, request->replication, metrics, err))
		return -1;
	*value = metrics[member->metric];
	return 0;
}

/* In a worker. */
static int work(void *context, const void *bytes, double *value, struct error *err)
{
	struct arena *arena = arena_create();
	int failed = simulate(context, arena, bytes, value, err);

	arena_destroy(arena);
	return failed;
}

int fit_scorer_start(struct fit_scorer *scorer, const struct fit *fit, int nr_workers, struct error *err)
{
	struct workplace *place = arena_alloc(fit->arena, sizeof(*place));
	const struct crew_job job = { .request_bytes = sizeof(struct request), .context = place, .work = work };

	*place = (struct workplace){ .fit = *fit, .spare = engine_spare_create(fit->arena) };
	*scorer = (struct fit_scorer){ .fit = fit, .best = HUGE_VAL };
	scorer->crew = crew_start(fit->arena, nr_workers, &job, err);
	return scorer->crew ? 0 : -1;
}

void fit_scorer_stop(struct fit_scorer *scorer)
{
	crew_stop(scorer->crew);
}

/* Of cells: the longest runs first; equal ones in the order of the tables. */
static int by_threads(const void *a, const void *b)
{
	const struct fit_cell *const *x = a;
	const struct fit_cell *const *y = b;

	if ((*x)->nr_threads != (*y)->nr_threads)
		return (*x)->nr_threads > (*y)->nr_threads ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static const struct fit_cell **chosen_cells(const struct fit *fit, struct arena *arena)
{
	const struct fit_cell **cells = arena_calloc(arena, (size_t)fit->nr_chosen, sizeof(*cells));
	int nr = 0;
	int i;

	for (i = 0; i < fit->nr_cells; i++) {
		if (fit->cells[i].chosen)
			cells[nr++] = &fit->cells[i];
	}
	qsort(cells, (size_t)nr, sizeof(*cells), by_threads);
	return cells;
}

/* Cell by cell, in each of them all points. */
static struct request *make_requests(const struct fit_scorer *scorer, struct arena *arena,
				     const struct fit_cell *const *cells, const double *points, int nr)
{
	const struct fit *fit = scorer->fit;
	struct request *requests = arena_calloc(arena, (size_t)(nr * fit->nr_chosen), sizeof(*requests));
	int i;

	for (i = 0; i < nr * fit->nr_chosen; i++) {
		requests[i] = (struct request){
			.cell = (int)(cells[i / nr] - fit->cells),
			.replication = scorer->replication,
			.full_length = scorer->full_length,
		};
		memcpy(requests[i].point, points + (size_t)(i % nr) * (size_t)fit->nr_keys,
		       (size_t)fit->nr_keys * sizeof(*points));
	}
	return requests;
}

/* The chosen cell of the same row that the change of this one is counted against; -1: none, or this is it. */
static int baseline_of(const struct fit *fit, const struct fit_cell *const *cells, int index)
{
	const struct fit_cell *cell = cells[index];
	const int baseline = fit->members[cell->member].experiment->baseline;
	int i;

	if (cell->variant == baseline)
		return -1;
	for (i = 0; i < fit->nr_chosen; i++) {
		if (cells[i]->member == cell->member && cells[i]->row == cell->row && cells[i]->variant == baseline)
			return i;
	}
	return -1;
}

/* log(simulated / published) of each chosen cell at point number `index` of nr. Fails when a run did. */
static int cell_errors(struct fit_scorer *scorer, const struct fit_cell *const *cells,
		       const struct crew_answer *answers, int index, int nr, double *errors)
{
	int i;

	for (i = 0; i < scorer->fit->nr_chosen; i++) {
		const struct crew_answer *answer = &answers[i * nr + index];

		if (answer->failed) {
			if (!scorer->first_failure.text[0])
				scorer->first_failure = answer->err;
			return -1;
		}
		errors[i] = log(answer->value / cells[i]->published);
	}
	return 0;
}

/* The RMS, see fit.h. */
static double score_of(const struct fit *fit, const struct fit_cell *const *cells, const double *errors)
{
	int nr = fit->nr_chosen;
	double sum = 0;
	int i;

	for (i = 0; i < fit->nr_chosen; i++) {
		const int baseline = baseline_of(fit, cells, i);

		sum += errors[i] * errors[i];
		if (baseline < 0)
			continue;
		sum += (errors[i] - errors[baseline]) * (errors[i] - errors[baseline]);
		nr++;
	}
	return sqrt(sum / nr);
}

static void show_progress(struct fit_scorer *scorer, double score)
{
	scorer->best = fmin(scorer->best, score);
	snprintf(scorer->progress.note, sizeof(scorer->progress.note), "best score %.4f", scorer->best);
	progress_step(&scorer->progress, 1);
}

int fit_score(void *context, const double *points, int nr, double *scores, struct error *err)
{
	struct fit_scorer *scorer = context;
	const struct fit *fit = scorer->fit;
	struct arena *arena = arena_create();
	const struct fit_cell **cells = chosen_cells(fit, arena);
	struct request *requests = make_requests(scorer, arena, cells, points, nr);
	struct crew_answer *answers = arena_calloc(arena, (size_t)(nr * fit->nr_chosen), sizeof(*answers));
	double *errors = arena_calloc(arena, (size_t)fit->nr_chosen, sizeof(*errors));
	int culprit;
	int failed = crew_run(scorer->crew, requests, nr * fit->nr_chosen, answers, &culprit, err);
	int i;

	for (i = 0; i < nr && !failed; i++) {
		scores[i] =
			cell_errors(scorer, cells, answers, i, nr, errors) ? HUGE_VAL : score_of(fit, cells, errors);
		show_progress(scorer, scores[i]);
	}
	if (failed && culprit >= 0)
		error_append(err, " at %s", fit_point_text(fit, arena, requests[culprit].point));
	arena_destroy(arena);
	return failed;
}
