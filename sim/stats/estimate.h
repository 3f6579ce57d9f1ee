/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Means with confidence intervals, and paired changes.
 *
 * Intervals are two-sided 95 % Student t over replications (GSL). A change is
 * paired: variants of one replication share their random numbers, so the
 * per-replication ratios are averaged, and it is significant only when its
 * interval excludes zero. Sign: positive means that the variant's value is larger.
 */
#ifndef CONTEND_STATS_ESTIMATE_H
#define CONTEND_STATS_ESTIMATE_H

#include <stdbool.h>

#include "sim/stats/results.h"

#define ESTIMATE_LEVEL 0.95

struct estimate {
	double mean; /* NAN when n == 0 */
	double low, high; /* the interval; equal to the mean when n == 1 */
	int n; /* replications that went in */
};

/* Of n values; NANs are left out. */
struct estimate estimate_mean(const double *values, int n);

/* Of 100 * (variant[i] / baseline[i] - 1) in percent over the pairs where both are there and baseline[i] is not 0. */
struct estimate estimate_change_pct(const double *baseline, const double *variant, int n);

/* Whether the interval excludes zero (n >= 2). */
bool estimate_significant(struct estimate estimate);

/* The two above on a result set; the first of them also on its first nr replications. */
struct estimate results_mean_of(const struct results *results, int machine, int variant, int point, int metric, int nr);
struct estimate results_mean(const struct results *results, int machine, int variant, int point, int metric);
struct estimate results_change_pct(const struct results *results, int machine, int variant, int point, int metric);

#endif
