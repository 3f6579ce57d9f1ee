/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/fit.h"

#include <math.h>
#include <string.h>

#define MAX_CANDIDATES 5
#define APART 0.02 /* in some coordinate: what makes two points two candidates */
#define NR_CHECKS 2 /* replications of a candidate */

int fit_search_evaluations(const struct fit_options *options)
{
	return options->max_evaluations + MAX_CANDIDATES * NR_CHECKS;
}

static bool is_near(const double *a, const double *b, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (fabs(a[i] - b[i]) > APART)
			return false;
	}
	return true;
}

static bool is_near_any(const double *point, const double *candidates, int nr_candidates, int nr_keys)
{
	int i;

	for (i = 0; i < nr_candidates; i++) {
		if (is_near(point, candidates + (size_t)i * (size_t)nr_keys, nr_keys))
			return true;
	}
	return false;
}

/* The best point of the trace that is near no candidate yet, or NULL. */
static const double *next_candidate(const struct minimize_trace *trace, const double *candidates, int nr_candidates)
{
	int best = -1;
	int i;

	for (i = 0; i < trace->nr; i++) {
		const double *point = trace->points + (size_t)i * (size_t)trace->nr_dimensions;

		if ((best < 0 || trace->scores[i] < trace->scores[best]) &&
		    !is_near_any(point, candidates, nr_candidates, trace->nr_dimensions))
			best = i;
	}
	return best < 0 ? NULL : trace->points + (size_t)best * (size_t)trace->nr_dimensions;
}

static int find_candidates(const struct minimize_trace *trace, double *candidates)
{
	const double *point;
	int nr = 0;

	while (nr < MAX_CANDIDATES && (point = next_candidate(trace, candidates, nr)))
		memcpy(candidates + (size_t)nr++ * (size_t)trace->nr_dimensions, point,
		       (size_t)trace->nr_dimensions * sizeof(*point));
	return nr;
}

/* Sums of the candidates' scores in full length, over replications that the search did not see. */
static int check_candidates(struct fit_scorer *scorer, const double *candidates, int nr, double *sums,
			    struct error *err)
{
	double scores[MAX_CANDIDATES];
	int failed = 0;
	int i;

	scorer->full_length = true;
	for (scorer->replication = 1; scorer->replication <= NR_CHECKS && !failed; scorer->replication++) {
		failed = fit_score(scorer, candidates, nr, scores, err);
		for (i = 0; i < nr && !failed; i++)
			sums[i] += scores[i];
	}
	scorer->full_length = false;
	scorer->replication = 0;
	return failed;
}

static int choose_candidate(struct fit_scorer *scorer, struct fit_found *found, struct error *err)
{
	struct arena *arena = scorer->fit->arena;
	const struct minimize_trace *trace = &found->trace;
	size_t width = (size_t)trace->nr_dimensions;
	double *candidates = arena_calloc(arena, MAX_CANDIDATES * width, sizeof(*candidates));
	double sums[MAX_CANDIDATES] = { 0 };
	int nr = find_candidates(trace, candidates);
	int best = 0;
	int i;

	if (check_candidates(scorer, candidates, nr, sums, err))
		return -1;
	for (i = 1; i < nr; i++)
		best = sums[i] < sums[best] ? i : best;
	found->point = candidates + (size_t)best * width;
	return 0;
}

/* What is wrong when every single evaluation failed. */
static int say_why(const struct fit_scorer *scorer, struct error *err)
{
	if (scorer->first_failure.text[0])
		error_append(err, ": %s", scorer->first_failure.text);
	return -1;
}

int fit_search(struct fit_scorer *scorer, const struct fit_options *options, struct fit_found *found, struct error *err)
{
	const struct fit *fit = scorer->fit;
	const struct minimize_problem problem = {
		.nr_dimensions = fit->nr_keys,
		.nr_choices = fit_choices(fit, fit->arena),
		.start = fit_start(fit, fit->arena),
		.max_evaluations = options->max_evaluations,
		.seed = options->seed,
		.context = scorer,
		.evaluate = fit_score,
	};

	if (minimize(fit->arena, &problem, &found->trace, err))
		return say_why(scorer, err);
	return choose_candidate(scorer, found, err);
}
