/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files minimize*.c share among themselves; nobody else includes this. */
#ifndef CONTEND_STATS_MINIMIZE_PARTS_H
#define CONTEND_STATS_MINIMIZE_PARTS_H

#include <stdbool.h>

#include "sim/stats/minimize.h"
#include "sim/util/rng.h"

/* Counts as the worst score; finite, since GSL's simplex takes nothing else. */
#define MINIMIZE_WORST 1e30

struct search {
	struct arena *arena;
	const struct minimize_problem *problem;
	struct minimize_trace *trace;
	struct rng rng;
	struct error *err;
};

bool search_is_choice(const struct search *search, int dimension);

/* Evaluate points, as many as the budget has left, and append them to the trace. How many, or -1. */
int search_evaluate(struct search *search, const double *points, int nr);

int search_left(const struct search *search);

/* Uniform in [0, 1). */
double search_uniform(struct search *search);

/* minimize_evolve.c: from the best points of the trace until `last` evaluations are made or the population is one point. */
int search_evolve(struct search *search, int nr_population, int last);

/* minimize_simplex.c: from the best point of the trace until the budget is used or nothing moves. */
int search_simplex(struct search *search);

#endif
