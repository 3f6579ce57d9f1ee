/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes are places at which one key is held: a number at NR_PLACES over its
 * range, a choice at each name. Each node keeps the best values of the other
 * keys that it knows. First they come from the search: the best point of all
 * and the best one near the node. Then nodes that are still above the limit
 * take turns at two moves, all nodes in one batch: what the better neighbour
 * has, and a step along the difference of two good points of the search, which
 * goes where keys make up for each other.
 */
#include "sim/cli/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "sim/util/rng.h"

#define NR_PLACES 11
#define NR_MOVES 6
#define NR_NOISE 8 /* replications that tell the noise */
#define LEVEL 0.95
#define NOISE_FACTOR 2.0
#define STEP 0.5 /* of a difference of good points */
#define GOOD_PER_KEY 3 /* how many points of the search are good ones */
#define STREAM 1 /* of the search's seed; the search itself has 0 */

struct node {
	int key;
	double x;
	double *point; /* with coordinate `key` at x */
	double score; /* HUGE_VAL: none yet */
};

struct profiling {
	struct fit_scorer *scorer;
	const struct fit *fit;
	const struct fit_found *found;
	struct fit_profile *profile;
	struct arena *arena;
	struct node *nodes; /* by key, then by x */
	int nr_nodes;
	int *order; /* points of the trace, best first */
	double *batch; /* a point per node */
	int *owners; /* the node of each point of the batch */
	int nr_batch;
	struct rng rng;
	struct error *err;
};

static int places_of(const struct fit *fit, int key)
{
	return fit->keys[key].nr_choices > 0 ? fit->keys[key].nr_choices : NR_PLACES;
}

static double place_of(const struct fit *fit, int key, int index)
{
	int nr = fit->keys[key].nr_choices;

	return nr > 0 ? minimize_choice_position(index, nr) : (double)index / (NR_PLACES - 1);
}

int fit_profile_evaluations(const struct fit *fit)
{
	int nr = 0;
	int i;

	for (i = 0; i < fit->nr_keys; i++)
		nr += places_of(fit, i);
	return NR_NOISE + nr * (2 + NR_MOVES);
}

static const double *trace_point(const struct profiling *profiling, int index)
{
	return profiling->found->trace.points + (size_t)index * (size_t)profiling->fit->nr_keys;
}

static int by_score(const void *a, const void *b, void *context)
{
	const double *scores = context;
	int x = *(const int *)a;
	int y = *(const int *)b;

	if (scores[x] < scores[y] || scores[x] > scores[y])
		return scores[x] < scores[y] ? -1 : 1;
	return x - y;
}

static void make_nodes(struct profiling *profiling)
{
	const struct fit *fit = profiling->fit;
	size_t width = (size_t)fit->nr_keys;
	int key, i;

	for (key = 0; key < fit->nr_keys; key++)
		profiling->nr_nodes += places_of(fit, key);
	profiling->nodes = arena_calloc(profiling->arena, (size_t)profiling->nr_nodes, sizeof(struct node));
	profiling->batch = arena_calloc(profiling->arena, (size_t)profiling->nr_nodes * width, sizeof(double));
	profiling->owners = arena_calloc(profiling->arena, (size_t)profiling->nr_nodes, sizeof(int));
	profiling->nr_nodes = 0;
	for (key = 0; key < fit->nr_keys; key++) {
		for (i = 0; i < places_of(fit, key); i++)
			profiling->nodes[profiling->nr_nodes++] = (struct node){
				.key = key,
				.x = place_of(fit, key, i),
				.point = arena_calloc(profiling->arena, width, sizeof(double)),
				.score = HUGE_VAL,
			};
	}
}

static void sort_trace(struct profiling *profiling)
{
	const struct minimize_trace *trace = &profiling->found->trace;
	int i;

	profiling->order = arena_calloc(profiling->arena, (size_t)trace->nr, sizeof(int));
	for (i = 0; i < trace->nr; i++)
		profiling->order[i] = i;
	qsort_r(profiling->order, (size_t)trace->nr, sizeof(int), by_score, trace->scores);
}

/* Put a point, with the node's key held, into the batch. */
static void propose(struct profiling *profiling, int node, const double *point)
{
	size_t width = (size_t)profiling->fit->nr_keys;
	double *to = profiling->batch + (size_t)profiling->nr_batch * width;

	memcpy(to, point, width * sizeof(*point));
	to[profiling->nodes[node].key] = profiling->nodes[node].x;
	profiling->owners[profiling->nr_batch++] = node;
}

static int evaluate_batch(struct profiling *profiling)
{
	size_t width = (size_t)profiling->fit->nr_keys;
	double *scores = arena_calloc(profiling->arena, (size_t)profiling->nr_batch + 1, sizeof(*scores));
	int i;

	if (fit_score(profiling->scorer, profiling->batch, profiling->nr_batch, scores, profiling->err))
		return -1;
	for (i = 0; i < profiling->nr_batch; i++) {
		struct node *node = &profiling->nodes[profiling->owners[i]];

		if (scores[i] >= node->score)
			continue;
		node->score = scores[i];
		memcpy(node->point, profiling->batch + (size_t)i * width, width * sizeof(double));
		profiling->profile->best = fmin(profiling->profile->best, scores[i]);
	}
	profiling->nr_batch = 0;
	return 0;
}

/* The best point of the search that lies nearest to the node among all nodes of its key. */
static const double *best_near(const struct profiling *profiling, const struct node *node)
{
	const struct fit *fit = profiling->fit;
	double reach = 0.5 / (fit->keys[node->key].nr_choices > 0 ? fit->keys[node->key].nr_choices : NR_PLACES - 1);
	int i;

	for (i = 0; i < profiling->found->trace.nr; i++) {
		const double *point = trace_point(profiling, profiling->order[i]);

		if (fabs(point[node->key] - node->x) <= reach)
			return point;
	}
	return trace_point(profiling, profiling->order[0]);
}

static int start_nodes(struct profiling *profiling)
{
	int i;

	for (i = 0; i < profiling->nr_nodes; i++)
		propose(profiling, i, trace_point(profiling, profiling->order[0]));
	if (evaluate_batch(profiling))
		return -1;
	for (i = 0; i < profiling->nr_nodes; i++)
		propose(profiling, i, best_near(profiling, &profiling->nodes[i]));
	return evaluate_batch(profiling);
}

static const double *better_neighbour(const struct profiling *profiling, int index)
{
	const struct node *node = &profiling->nodes[index];
	const struct node *best = node;
	int i;

	for (i = index - 1; i <= index + 1; i += 2) {
		if (i >= 0 && i < profiling->nr_nodes && profiling->nodes[i].key == node->key &&
		    profiling->nodes[i].score < best->score)
			best = &profiling->nodes[i];
	}
	return best->point;
}

static void propose_step(struct profiling *profiling, int index)
{
	const struct fit *fit = profiling->fit;
	int nr_good = GOOD_PER_KEY * fit->nr_keys;
	double point[FIT_MAX_KEYS] = { 0 };
	const double *from, *to;
	int i;

	nr_good = nr_good < profiling->found->trace.nr ? nr_good : profiling->found->trace.nr;
	from = trace_point(profiling, profiling->order[rng_below(&profiling->rng, (uint64_t)nr_good)]);
	to = trace_point(profiling, profiling->order[rng_below(&profiling->rng, (uint64_t)nr_good)]);
	for (i = 0; i < fit->nr_keys; i++)
		point[i] = fmin(fmax(profiling->nodes[index].point[i] + STEP * (to[i] - from[i]), 0), 1);
	propose(profiling, index, point);
}

static void set_limit(struct profiling *profiling)
{
	struct fit_profile *profile = profiling->profile;

	profile->limit = profile->best * exp(gsl_cdf_chisq_Pinv(LEVEL, 1) / (2 * profiling->fit->nr_chosen)) +
			 NOISE_FACTOR * profile->noise;
}

static int move_nodes(struct profiling *profiling)
{
	int move, i;

	for (move = 0; move < NR_MOVES; move++) {
		set_limit(profiling);
		for (i = 0; i < profiling->nr_nodes; i++) {
			if (profiling->nodes[i].score <= profiling->profile->limit)
				continue;
			if (move % 2 == 0)
				propose(profiling, i, better_neighbour(profiling, i));
			else
				propose_step(profiling, i);
		}
		if (evaluate_batch(profiling))
			return -1;
	}
	set_limit(profiling);
	return 0;
}

static int measure_noise(struct profiling *profiling)
{
	struct fit_scorer *scorer = profiling->scorer;
	double scores[NR_NOISE];
	int failed = 0;

	for (scorer->replication = 1; scorer->replication <= NR_NOISE && !failed; scorer->replication++)
		failed =
			fit_score(scorer, profiling->found->point, 1, &scores[scorer->replication - 1], profiling->err);
	scorer->replication = 0;
	if (!failed)
		profiling->profile->noise = gsl_stats_sd(scores, 1, NR_NOISE);
	return failed;
}

/* Where the score crosses the limit between a node below it and its neighbour above it. */
static double crossing(const struct node *below, const struct node *above, double limit)
{
	double rise = above->score - below->score;

	if (!isfinite(rise) || rise <= 0)
		return below->x;
	return below->x + (above->x - below->x) * (limit - below->score) / rise;
}

/* From the fitted value, which is inside, to what the nodes say. */
static struct fit_interval number_interval(const struct profiling *profiling, int key)
{
	const double limit = profiling->profile->limit;
	const double x = profiling->found->point[key];
	const double best_x = trace_point(profiling, profiling->order[0])[key];
	struct fit_interval interval = { .low = fmin(x, best_x), .high = fmax(x, best_x) };
	int i;

	for (i = 0; i < profiling->nr_nodes; i++) {
		const struct node *node = &profiling->nodes[i];
		bool first = i == 0 || node[-1].key != key;
		bool last = i + 1 == profiling->nr_nodes || node[1].key != key;

		if (node->key != key || node->score > limit)
			continue;
		interval.low = fmin(interval.low,
				    first || node[-1].score <= limit ? node->x : crossing(node, node - 1, limit));
		interval.high =
			fmax(interval.high, last || node[1].score <= limit ? node->x : crossing(node, node + 1, limit));
	}
	interval.share = interval.high - interval.low;
	return interval;
}

static struct fit_interval choice_interval(const struct profiling *profiling, int key)
{
	const struct tunable *tunable = &profiling->fit->keys[key];
	int fitted = minimize_choice(profiling->found->point[key], tunable->nr_choices);
	struct fit_interval interval = { .low = 1, .high = 0 };
	int nr = 0;
	int i, name;

	interval.names = arena_calloc(profiling->arena, (size_t)tunable->nr_choices, sizeof(bool));
	for (i = 0; i < profiling->nr_nodes; i++) {
		const struct node *node = &profiling->nodes[i];

		if (node->key != key)
			continue;
		name = minimize_choice(node->x, tunable->nr_choices);
		interval.names[name] = name == fitted || node->score <= profiling->profile->limit;
		if (!interval.names[name])
			continue;
		interval.low = fmin(interval.low, node->x);
		interval.high = fmax(interval.high, node->x);
		nr++;
	}
	interval.share = (double)nr / tunable->nr_choices;
	return interval;
}

int fit_profile(struct fit_scorer *scorer, const struct fit_options *options, const struct fit_found *found,
		struct fit_profile *profile, struct error *err)
{
	const struct fit *fit = scorer->fit;
	struct profiling profiling = {
		.scorer = scorer,
		.fit = fit,
		.found = found,
		.profile = profile,
		.arena = fit->arena,
		.rng = rng_stream(options->seed, STREAM),
		.err = err,
	};
	int key;

	*profile = (struct fit_profile){ .best = found->trace.scores[found->trace.best] };
	make_nodes(&profiling);
	sort_trace(&profiling);
	if (measure_noise(&profiling) || start_nodes(&profiling) || move_nodes(&profiling))
		return -1;
	for (key = 0; key < fit->nr_keys; key++)
		profile->keys[key] = fit->keys[key].nr_choices > 0 ? choice_interval(&profiling, key)
								   : number_interval(&profiling, key);
	return 0;
}

int fit_run(const struct fit *fit, const struct fit_options *options, struct fit_found *found,
	    struct fit_profile *profile, struct error *err)
{
	int nr = fit_search_evaluations(options) + (profile ? fit_profile_evaluations(fit) : 0);
	struct fit_scorer scorer;
	int failed;

	if (fit_scorer_start(&scorer, fit, options->nr_workers, err))
		return -1;
	progress_start(&scorer.progress, nr, nr, options->quiet);
	scorer.progress.what = "evaluations";
	failed = fit_search(&scorer, options, found, err);
	if (!failed && profile)
		failed = fit_profile(&scorer, options, found, profile, err);
	progress_clear(&scorer.progress);
	fit_scorer_stop(&scorer);
	return failed;
}
