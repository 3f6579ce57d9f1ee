/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How many replications a point needs.
 *
 * Not adaptive: nr_replications of the result set. Adaptive: the smallest n >= min_replications such that, over the
 * replications 1 .. n, the 95 % interval of each variant's throughput is at most until_ppm away from its mean; at most
 * nr_replications. All variants of a point stop together, so they stay paired. Source: the relative-precision stopping
 * rule of Law, Simulation Modeling and Analysis, section 9.4.1; looking after each replication makes the intervals
 * cover a little less than 95 %, the more so the smaller the minimum.
 *
 * The number depends on values alone: not on the order in which they came, on what was made beyond it, or on who made
 * them. A failed run is left out of its variant's interval; a variant of which nothing succeeded does not count.
 */
#ifndef CONTEND_STATS_REPLICATIONS_H
#define CONTEND_STATS_REPLICATIONS_H

#include <stdbool.h>

#include "sim/stats/results.h"

/* The fewest that every point gets. */
int replications_least(const struct results *results);

/* Whether the replications 1 .. nr of a point are enough, nr >= replications_least. */
bool replications_enough(const struct results *results, int machine, int point, int nr);

/* A guess from the replications 1 .. nr, which are not enough, how many will be: nr + 1 .. nr_replications. */
int replications_guess(const struct results *results, int machine, int point, int nr);

/* How many a point has in the end: the rule above. */
int replications_kept(const struct results *results, int machine, int point);

/* Forget (set to NAN) whatever was made beyond that, at all points. */
void replications_trim(struct results *results);

/* The fewest and the most that any point of a machine has. */
void replications_range(const struct results *results, int machine, int *fewest, int *most);

#endif
