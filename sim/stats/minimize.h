/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The least value of a costly, noisy function of a few bounded parameters.
 *
 * Parameters are coordinates of the unit cube. A choice among n names is a
 * coordinate too: minimize_choice() says which name it stands for.
 *
 * Three stages share the evaluations: a Sobol sequence over the cube; a
 * differential evolution from its best points (current-to-best/1/bin, with
 * factors that adapt themselves as in jDE), in generations that are evaluated
 * together; a simplex of Nelder and Mead from the best of those, choices
 * fixed. Deterministic: the same problem and seed ask for the same points in
 * the same order.
 *
 * Sources: Storn and Price, Journal of Global Optimization 11, 1997; Zhang and
 * Sanderson (JADE), IEEE TEC 13(5), 2009; Brest et al. (jDE), IEEE TEC 10(6),
 * 2006; Nelder and Mead as in gsl_multimin (nmsimplex2).
 */
#ifndef CONTEND_STATS_MINIMIZE_H
#define CONTEND_STATS_MINIMIZE_H

#include <stdint.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"

#define MINIMIZE_MAX_DIMENSIONS 40 /* what gsl_qrng_sobol has */

struct minimize_problem {
	int nr_dimensions; /* 1 .. MINIMIZE_MAX_DIMENSIONS */
	const int *nr_choices; /* of each dimension, 0: it is a number; NULL: all are */
	const double *start; /* a first point, or NULL */
	int max_evaluations; /* at least 1 */
	uint64_t seed;
	void *context;

	/*
	 * Values of nr points (nr x nr_dimensions) into scores; one that is not finite counts as the worst. Returns 0,
	 * or -1 with err, which ends the search.
	 */
	int (*evaluate)(void *context, const double *points, int nr, double *scores, struct error *err);
};

/* Every point that was evaluated, in order. */
struct minimize_trace {
	int nr_dimensions;
	int nr;
	double *points; /* nr x nr_dimensions */
	double *scores;
	int best; /* the first with the least score */
};

/* The name that coordinate x of a choice among nr stands for: 0 .. nr - 1. */
int minimize_choice(double x, int nr);

/* The middle of a name's share of [0, 1]. */
double minimize_choice_position(int choice, int nr);

/* Search. The trace is in arena. -1 with the evaluation's err, or when no point has a finite score. */
int minimize(struct arena *arena, const struct minimize_problem *problem, struct minimize_trace *trace,
	     struct error *err);

#endif
