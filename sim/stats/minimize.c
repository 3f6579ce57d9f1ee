/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Budget, trace and first stage; how the stages share the evaluations. */
#include "sim/stats/minimize_parts.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_qrng.h>

/* Of the evaluations: at most this share for the Sobol sequence, at least this for the simplex. */
#define SOBOL_SHARE 0.2
#define SIMPLEX_SHARE 0.15

#define MIN_POPULATION 8
#define POPULATION_PER_DIMENSION 5
#define SOBOL_PER_DIMENSION 24
#define SIMPLEX_PER_DIMENSION 40

int minimize_choice(double x, int nr)
{
	int choice = (int)(x * nr);

	return choice < nr ? choice : nr - 1;
}

double minimize_choice_position(int choice, int nr)
{
	return (choice + 0.5) / nr;
}

bool search_is_choice(const struct search *search, int dimension)
{
	return search->problem->nr_choices && search->problem->nr_choices[dimension] > 0;
}

int search_left(const struct search *search)
{
	return search->problem->max_evaluations - search->trace->nr;
}

double search_uniform(struct search *search)
{
	return (double)(rng_u64(&search->rng) >> 11) * 0x1p-53;
}

int search_evaluate(struct search *search, const double *points, int nr)
{
	const struct minimize_problem *problem = search->problem;
	struct minimize_trace *trace = search->trace;
	size_t width = (size_t)problem->nr_dimensions;
	double *scores = trace->scores + trace->nr;
	int i;

	nr = nr < search_left(search) ? nr : search_left(search);
	if (nr == 0)
		return 0;
	memcpy(trace->points + (size_t)trace->nr * width, points, (size_t)nr * width * sizeof(*points));
	if (problem->evaluate(problem->context, points, nr, scores, search->err))
		return -1;
	for (i = 0; i < nr; i++) {
		if (!isfinite(scores[i]) || scores[i] > MINIMIZE_WORST)
			scores[i] = MINIMIZE_WORST;
		if (scores[i] < trace->scores[trace->best])
			trace->best = trace->nr + i;
	}
	trace->nr += nr;
	return nr;
}

/* The start, if there is one, and points that are spread evenly over the cube. */
static int search_sobol(struct search *search, int nr)
{
	const struct minimize_problem *problem = search->problem;
	size_t width = (size_t)problem->nr_dimensions;
	double *points = arena_calloc(search->arena, (size_t)nr * width, sizeof(*points));
	gsl_qrng *sequence = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned int)problem->nr_dimensions);
	int i = 0;

	if (problem->start) {
		memcpy(points, problem->start, width * sizeof(*points));
		i = 1;
	}
	for (; i < nr; i++)
		gsl_qrng_get(sequence, points + (size_t)i * width);
	gsl_qrng_free(sequence);
	return search_evaluate(search, points, nr);
}

static int at_most(int value, int limit)
{
	return value < limit ? value : limit;
}

int minimize(struct arena *arena, const struct minimize_problem *problem, struct minimize_trace *trace,
	     struct error *err)
{
	struct search search = { .arena = arena, .problem = problem, .trace = trace, .err = err };
	int width = problem->nr_dimensions;
	int max = problem->max_evaluations;
	int nr_simplex = at_most((int)(SIMPLEX_SHARE * max), SIMPLEX_PER_DIMENSION * width);
	int nr_population = POPULATION_PER_DIMENSION * width;
	int nr_sobol = at_most((int)(SOBOL_SHARE * max), SOBOL_PER_DIMENSION * width);

	assert(width >= 1 && width <= MINIMIZE_MAX_DIMENSIONS && max >= 1);
	if (nr_population < MIN_POPULATION)
		nr_population = MIN_POPULATION;
	if (nr_sobol < nr_population)
		nr_sobol = nr_population;
	search.rng = rng_stream(problem->seed, 0);
	*trace = (struct minimize_trace){ .nr_dimensions = width };
	trace->points = arena_calloc(arena, (size_t)max * (size_t)width, sizeof(*trace->points));
	trace->scores = arena_calloc(arena, (size_t)max, sizeof(*trace->scores));
	if (search_sobol(&search, nr_sobol) < 0 || search_evolve(&search, nr_population, max - nr_simplex) ||
	    search_simplex(&search))
		return -1;
	if (trace->scores[trace->best] >= MINIMIZE_WORST)
		return error_plain(err, "not one of %d points has a score", trace->nr);
	return 0;
}
