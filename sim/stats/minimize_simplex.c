/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nelder and Mead's simplex (gsl_multimin) over the numbers, choices fixed.
 *
 * GSL knows no bounds: its coordinate t stands for x = sin^2(t), so a minimum
 * on a side of the cube is an ordinary one for the simplex.
 */
#include "sim/stats/minimize_parts.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>

#define FIRST_STEP 0.1 /* in t, whose whole range is pi / 2 */
#define LAST_SIZE 1e-4 /* of a simplex: it moves no more */

struct simplex {
	struct search *search;
	double base[MINIMIZE_MAX_DIMENSIONS]; /* the point it starts from */
	int dimensions[MINIMIZE_MAX_DIMENSIONS]; /* of the cube, by the simplex's own */
	int nr_dimensions;
	bool failed;
};

static double value_at(const gsl_vector *t, void *context)
{
	struct simplex *simplex = context;
	struct search *search = simplex->search;
	double point[MINIMIZE_MAX_DIMENSIONS];
	int i, nr;

	if (simplex->failed)
		return MINIMIZE_WORST;
	memcpy(point, simplex->base, sizeof(point));
	for (i = 0; i < simplex->nr_dimensions; i++) {
		double sine = sin(gsl_vector_get(t, (size_t)i));

		point[simplex->dimensions[i]] = sine * sine;
	}
	nr = search_evaluate(search, point, 1);
	simplex->failed = nr < 0;
	return nr == 1 ? search->trace->scores[search->trace->nr - 1] : MINIMIZE_WORST;
}

static struct simplex simplex_at_best(struct search *search)
{
	const struct minimize_trace *trace = search->trace;
	struct simplex simplex = { .search = search };
	int i;

	memcpy(simplex.base, trace->points + (size_t)trace->best * (size_t)trace->nr_dimensions,
	       (size_t)trace->nr_dimensions * sizeof(double));
	for (i = 0; i < trace->nr_dimensions; i++) {
		if (!search_is_choice(search, i))
			simplex.dimensions[simplex.nr_dimensions++] = i;
	}
	return simplex;
}

static void iterate(gsl_multimin_fminimizer *minimizer, const struct simplex *simplex)
{
	do {
		if (gsl_multimin_fminimizer_iterate(minimizer))
			return;
	} while (!simplex->failed && search_left(simplex->search) > 0 &&
		 gsl_multimin_fminimizer_size(minimizer) > LAST_SIZE);
}

/* One simplex, until it is small or the budget is used. */
static int run(struct simplex *simplex, double step)
{
	size_t nr = (size_t)simplex->nr_dimensions;
	gsl_multimin_function function = { .f = value_at, .n = nr, .params = simplex };
	gsl_multimin_fminimizer *minimizer = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, nr);
	gsl_vector *start = gsl_vector_alloc(nr);
	gsl_vector *steps = gsl_vector_alloc(nr);
	size_t i;

	gsl_vector_set_all(steps, step);
	for (i = 0; i < nr; i++)
		gsl_vector_set(start, i, asin(sqrt(simplex->base[simplex->dimensions[i]])));
	if (!gsl_multimin_fminimizer_set(minimizer, &function, start, steps))
		iterate(minimizer, simplex);
	gsl_vector_free(steps);
	gsl_vector_free(start);
	gsl_multimin_fminimizer_free(minimizer);
	return simplex->failed ? -1 : 0;
}

/* A simplex can die on a slope; a fresh one from where it died, half as large, goes on as long as that helps. */
static int run_and_restart(struct search *search)
{
	double step = FIRST_STEP;
	int best = -1;

	while (best != search->trace->best && search_left(search) > 0) {
		struct simplex simplex = simplex_at_best(search);

		best = search->trace->best;
		if (simplex.nr_dimensions == 0)
			return 0;
		if (run(&simplex, step))
			return -1;
		step /= 2;
	}
	return 0;
}

int search_simplex(struct search *search)
{
	/* GSL's own handler ends the program */
	gsl_error_handler_t *before = gsl_set_error_handler_off();
	int failed = run_and_restart(search);

	gsl_set_error_handler(before);
	return failed;
}
