/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fit: which cells of which published tables, which keys, and the score of
 * a choice of their values.
 *
 * The score is the RMS of log(simulated / published) over the chosen cells and,
 * where a row is chosen in several columns, over their ratios to the baseline's,
 * for which such tables are made; all experiments together. Values are handled
 * as points of the unit cube, one coordinate per key; what is simulated are the
 * rounded values that an overlay file would hold, so the file gives what was
 * scored.
 *
 * Every evaluation simulates with the same random streams (those of the
 * experiment's seed), so that two choices of values differ by the values and
 * as little as possible by chance.
 */
#ifndef CONTEND_CLI_FIT_H
#define CONTEND_CLI_FIT_H

#include <stdbool.h>
#include <stdio.h>

#include "models/config.h"
#include "sim/cli/crew.h"
#include "sim/cli/options.h"
#include "sim/cli/progress.h"
#include "sim/stats/minimize.h"
#include "sim/stats/published.h"

#define FIT_DEFAULT_EVALUATIONS 2000
#define FIT_MAX_EVALUATIONS 1000000
#define FIT_MAX_EXPERIMENTS 16
#define FIT_MAX_KEYS MINIMIZE_MAX_DIMENSIONS

struct fit_member {
	const struct experiment *experiment;
	struct published *published;
	enum run_metric metric;
	bool takes[FIT_MAX_KEYS]; /* by key: one of its variants has it */
};

/* A cell of a member's table that the member simulates and somebody published. */
struct fit_cell {
	int member;
	int row, column; /* of the table */
	int variant, point; /* of the experiment */
	int nr_threads;
	double published;
	bool chosen; /* the score is over these */
};

struct fit {
	struct arena *arena;
	struct fit_member members[FIT_MAX_EXPERIMENTS];
	int nr_members;
	struct tunable keys[FIT_MAX_KEYS];
	const char *key_names
		[FIT_MAX_KEYS]; /* as the user names them: with "EXPERIMENT:" in front where only that has it */
	int nr_keys;
	struct fit_cell *cells;
	int nr_cells;
	int nr_chosen;
	enum engine_kind engine;
};

/* --- fit.c: what is fitted --- */

struct fit *fit_create(struct arena *arena, enum engine_kind engine);

/* Add an experiment with its published table. Fails when it has none or they do not fit together. */
int fit_add_experiment(struct fit *fit, const struct experiment *experiment, struct error *err);

/*
 * Vary a key over a range (texts as in a file; both NULL: see tunable_read), after all experiments were added. One value
 * holds for all experiments that take the key, with "EXPERIMENT:" in front of it for that one alone. pos is where the
 * user wrote it. Fails when no experiment takes the key.
 */
int fit_add_key(struct fit *fit, const char *name, const char *low, const char *high, struct source_pos pos,
		struct error *err);

/* The same from "KEY" or "KEY=LOW..HIGH" of --vary. */
int fit_add_key_text(struct fit *fit, const char *text, struct error *err);

/* Ranges that an experiment lists; a key that is varied already keeps its range. */
int fit_add_ranges(struct fit *fit, const struct experiment *experiment, const struct key_ranges *ranges,
		   struct error *err);

/* What every experiment lists under fit.vary, or without that under priors. Fails when there is nothing. */
int fit_add_listed(struct fit *fit, struct error *err);

/*
 * Choose the cells of the score, after all experiments were added: rows "even" or "odd" (the first row of each table is
 * odd) or values of the axis, "1,5,12"; columns by name, "vanilla,patched"; NULL: all. Fails when a name is in no
 * table, or when nothing is left.
 */
int fit_choose(struct fit *fit, const char *rows, const char *columns, struct error *err);

/* Choose the cells that experiments list under `published_used`. Fails when there are none. */
int fit_choose_used(struct fit *fit, struct error *err);

/* Is this cell of a member's table chosen? */
bool fit_is_chosen(const struct fit *fit, int member, int row, int column);

/* --- fit_values.c: points of the cube and values --- */

/* The value of a key as a file has it, in arena. */
char *fit_value_text(const struct fit *fit, struct arena *arena, int key, double x);

/* The coordinate of a value; one out of the range is at its nearer end. */
double fit_position(const struct fit *fit, int key, double value);

/* Do all members take all keys, so that one overlay is good for each of them? */
bool fit_shares_all(const struct fit *fit);

/* The coordinates of the experiments' own values. */
double *fit_start(const struct fit *fit, struct arena *arena);

/* How many names each key has, 0 for a number: minimize_problem.nr_choices. */
int *fit_choices(const struct fit *fit, struct arena *arena);

/* The values of a point as an overlay for a member. */
struct yaml_node *fit_overlay(const struct fit *fit, struct arena *arena, int member, const double *point);

/* "key value, key value, ..." for messages. */
char *fit_point_text(const struct fit *fit, struct arena *arena, const double *point);

/* --- fit_score.c: evaluations --- */

struct fit_scorer {
	const struct fit *fit;
	struct crew *crew;
	struct progress progress;
	double best; /* of what was evaluated, for the progress line */
	bool full_length; /* the experiments' own run lengths instead of short runs */
	int replication;
	struct error first_failure; /* of a run; text empty: none yet */
};

/* Start the workers. Their number has no influence on any score. */
int fit_scorer_start(struct fit_scorer *scorer, const struct fit *fit, int nr_workers, struct error *err);
void fit_scorer_stop(struct fit_scorer *scorer);

/*
 * Scores of nr points. One where a run failed (or whose values do not go together) is HUGE_VAL. -1 when a worker died:
 * err says at which values. As minimize_problem.evaluate, with the scorer as context.
 */
int fit_score(void *scorer, const double *points, int nr, double *scores, struct error *err);

/* --- fit_search.c: the search --- */

struct fit_options {
	int max_evaluations; /* of the search proper */
	uint64_t seed; /* of the search; runs have those of their experiments */
	int nr_workers;
	bool quiet;
};

struct fit_found {
	double *point; /* the values that the fit gives */
	struct minimize_trace trace;
};

/*
 * Search with a scorer that was started. Of the best points, the one that is best in runs of the experiments' own
 * lengths with other random streams is taken: the least of many noisy scores is partly luck.
 */
int fit_search(struct fit_scorer *scorer, const struct fit_options *options, struct fit_found *found,
	       struct error *err);

/* Evaluations that fit_search makes at most. */
int fit_search_evaluations(const struct fit_options *options);

/*
 * Everything that the result of a search depends on, as text: configurations, published values of the chosen cells, keys
 * and ranges, options, and what the models make of a few points. Unused cells, titles, names of files and versions of
 * the program that simulate the same are not in it.
 */
char *fit_inputs_text(struct fit_scorer *scorer, const struct fit_options *options, struct arena *arena,
		      struct error *err);

/* --- fit_profile.c: what the data say about each value --- */

/* Where a value may be, the others fitted anew, without the score rising above the limit. */
struct fit_interval {
	double low, high; /* coordinates; of names: of the first and the last */
	double share; /* of the range; of names: of their number */
	bool *names; /* of a choice: which may be, NULL for a number */
};

struct fit_profile {
	double best; /* least score that search and profile saw */
	double noise; /* standard deviation of the score over random streams */
	double limit;
	struct fit_interval keys[FIT_MAX_KEYS];
};

/* An interval that is more than this share of the range: the data do not determine the value. */
#define FIT_UNDETERMINED_SHARE 0.7

/*
 * Fix each key at places over its range, fit the others again from what the search knows and a few more evaluations,
 * and see how far the score stays within
 *
 *	limit = best exp(3.84 / 2n) + 2 noise
 *
 * The factor is the 95 % interval of a likelihood ratio when the n cells' misfits are taken as independent errors of
 * one size. Two standard deviations of the noise more, since a lower score may be luck. The others are fitted only
 * roughly, so an interval is rather too narrow than too wide.
 */
int fit_profile(struct fit_scorer *scorer, const struct fit_options *options, const struct fit_found *found,
		struct fit_profile *profile, struct error *err);

/* Evaluations that fit_profile makes at most. */
int fit_profile_evaluations(const struct fit *fit);

/* Workers, search and profile (NULL: none) under one progress line. */
int fit_run(const struct fit *fit, const struct fit_options *options, struct fit_found *found,
	    struct fit_profile *profile, struct error *err);

/* --- fit_verdict.c: what the values are worth --- */

/* A member's table against its simulation, over the cells that were chosen and over the others. */
struct fit_verdict {
	struct score chosen, others; /* others: neither chosen nor under `published_used` */
};

/*
 * Simulate all members as they stand and with the fitted values, in full length and all replications, as `reproduce`
 * does. One verdict per member into each array. Returns an exit status; errors are printed.
 */
int fit_judge(const struct fit *fit, const double *point, const struct run_options *run, struct fit_verdict *before,
	      struct fit_verdict *after);

/* --- fit_report.c: results for people and files --- */

struct fit_report {
	const struct fit *fit;
	const struct fit_found *found;
	const struct fit_profile *profile; /* NULL: none was made */
	const struct fit_verdict *before, *after;
	const char *command; /* what gives the same again */
};

/* The chosen cells of a member, "threads 1, 5, 12 of vanilla, patched". */
char *fit_used_text(const struct fit *fit, int member, struct arena *arena);

void fit_print(FILE *out, const struct fit_report *report);

/* The comment that says what values come from, each line begun by "# ". */
char *fit_head(const struct fit_report *report, struct arena *arena);

/* Write an overlay file: a comment, then the values. */
int fit_write_overlay(const char *path, const char *head, const struct yaml_node *values, struct error *err);

#endif
