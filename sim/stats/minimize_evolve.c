/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Differential evolution. A generation makes one trial per member and
 * evaluates all of them together; a trial that is no worse takes its member's
 * place.
 *
 *	trial = member + F (one of the best - member) + F (one member - another)
 *
 * taken over coordinate by coordinate with probability CR, at least one. Each
 * member has an F and a CR of its own, drawn anew now and then, that go with
 * the trials that win.
 */
#include "sim/stats/minimize_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BEST_SHARE 0.15 /* of the population: what "one of the best" means */
#define REDRAW 0.1 /* probability that a trial draws F and CR anew */
#define LEAST_FACTOR 0.2
#define MOST_FACTOR 0.9
#define LEAST_CROSSOVER 0.3
#define SAME_POINT 1e-4 /* a population no wider than this has converged */

struct member {
	double *point;
	double score;
	double factor, crossover;
};

struct population {
	struct member *members; /* best first */
	double *trials; /* nr x dimensions, with the F and CR that made them */
	double *factors, *crossovers;
	int nr;
};

static int by_score(const void *a, const void *b)
{
	const struct member *x = a;
	const struct member *y = b;

	/* equal scores keep the order of their places in memory, which is that of the trace or of the population */
	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return (x->point > y->point) - (x->point < y->point);
}

static void sort(struct member *members, int nr)
{
	qsort(members, (size_t)nr, sizeof(*members), by_score);
}

/* The best points of the trace, each in memory of its own. */
static struct population population_create(struct search *search, int nr)
{
	const struct minimize_trace *trace = search->trace;
	size_t width = (size_t)trace->nr_dimensions;
	struct member *all = arena_calloc(search->arena, (size_t)trace->nr, sizeof(*all));
	struct population population = { .members = all, .nr = nr < trace->nr ? nr : trace->nr };
	size_t size = (size_t)population.nr;
	double *points = arena_calloc(search->arena, size * width, sizeof(*points));
	int i;

	for (i = 0; i < trace->nr; i++)
		all[i] = (struct member){
			.point = trace->points + (size_t)i * width,
			.score = trace->scores[i],
			.factor = 0.6,
			.crossover = 0.9,
		};
	sort(all, trace->nr);
	for (i = 0; i < population.nr; i++) {
		memcpy(points + (size_t)i * width, all[i].point, width * sizeof(*points));
		all[i].point = points + (size_t)i * width;
	}
	population.trials = arena_calloc(search->arena, size * width, sizeof(double));
	population.factors = arena_calloc(search->arena, size, sizeof(double));
	population.crossovers = arena_calloc(search->arena, size, sizeof(double));
	return population;
}

static const struct member *any_but(struct search *search, const struct population *population, int this, int other)
{
	int index;

	do {
		index = (int)rng_below(&search->rng, (uint64_t)population->nr);
	} while (index == this || index == other);
	return &population->members[index];
}

/* Back into [0, 1]: onto the side that was passed, or half of the way from where it came. Optima lie on sides too. */
static double inside(struct search *search, double x, double from)
{
	double side = x < 0 ? 0 : 1;

	if (x >= 0 && x <= 1)
		return x;
	return search_uniform(search) < 0.5 ? side : (from + side) / 2;
}

static void make_trial(struct search *search, struct population *population, int index)
{
	int width = search->problem->nr_dimensions;
	const struct member *member = &population->members[index];
	int nr_best = (int)ceil(BEST_SHARE * population->nr);
	const double *best = population->members[rng_below(&search->rng, (uint64_t)nr_best)].point;
	const struct member *one = any_but(search, population, index, index);
	const struct member *other = any_but(search, population, index, (int)(one - population->members));
	bool redrawn = search_uniform(search) < REDRAW;
	double *trial = population->trials + (size_t)index * (size_t)width;
	double factor = member->factor;
	double crossover = member->crossover;
	int certain = (int)rng_below(&search->rng, (uint64_t)width);
	int i;

	if (redrawn) {
		factor = LEAST_FACTOR + (MOST_FACTOR - LEAST_FACTOR) * search_uniform(search);
		crossover = LEAST_CROSSOVER + (1 - LEAST_CROSSOVER) * search_uniform(search);
	}
	for (i = 0; i < width; i++) {
		double from = member->point[i];
		double x = from + factor * (best[i] - from) + factor * (one->point[i] - other->point[i]);

		trial[i] = i == certain || search_uniform(search) < crossover ? inside(search, x, from) : from;
	}
	population->factors[index] = factor;
	population->crossovers[index] = crossover;
}

/* How far apart members are in any coordinate. */
static double population_width(const struct population *population, int nr_dimensions)
{
	double widest = 0;
	int i, member;

	for (i = 0; i < nr_dimensions; i++) {
		double low = 1;
		double high = 0;

		for (member = 0; member < population->nr; member++) {
			low = fmin(low, population->members[member].point[i]);
			high = fmax(high, population->members[member].point[i]);
		}
		widest = fmax(widest, high - low);
	}
	return widest;
}

static int make_generation(struct search *search, struct population *population, int nr)
{
	size_t width = (size_t)search->problem->nr_dimensions;
	const double *scores = search->trace->scores + search->trace->nr;
	int i;

	for (i = 0; i < nr; i++)
		make_trial(search, population, i);
	nr = search_evaluate(search, population->trials, nr);
	for (i = 0; i < nr; i++) {
		struct member *member = &population->members[i];

		if (scores[i] > member->score)
			continue;
		memcpy(member->point, population->trials + (size_t)i * width, width * sizeof(double));
		member->score = scores[i];
		member->factor = population->factors[i];
		member->crossover = population->crossovers[i];
	}
	sort(population->members, population->nr);
	return nr < 0 ? -1 : 0;
}

int search_evolve(struct search *search, int nr_population, int last)
{
	struct population population = population_create(search, nr_population);

	if (population.nr < 4) /* a trial needs three others */
		return 0;
	while (search->trace->nr < last && population_width(&population, search->problem->nr_dimensions) > SAME_POINT) {
		int left = last - search->trace->nr;

		if (make_generation(search, &population, left < population.nr ? left : population.nr))
			return -1;
	}
	return 0;
}
