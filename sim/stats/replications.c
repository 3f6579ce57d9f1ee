/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/stats/replications.h"

#include <math.h>

#include "sim/stats/estimate.h"

#define METRIC "throughput"

int replications_least(const struct results *results)
{
	return results->until_ppm ? results->min_replications : results->nr_replications;
}

/* Half the interval's width over the mean: INFINITY when one success says nothing, 0 when there is none at all. */
static double relative_width(const struct estimate *estimate)
{
	if (estimate->n < 2)
		return estimate->n ? INFINITY : 0;
	return (estimate->high - estimate->mean) / fabs(estimate->mean);
}

/* The widest of all variants. */
static double widest(const struct results *results, int machine, int point, int nr)
{
	int metric = results_find_metric(results, METRIC);
	double width = 0;

	if (metric < 0)
		return INFINITY;
	for (int variant = 0; variant < results->nr_variants; variant++) {
		struct estimate estimate = results_mean_of(results, machine, variant, point, metric, nr);

		width = fmax(width, relative_width(&estimate));
	}
	return width;
}

static double wanted_width(const struct results *results)
{
	return (double)results->until_ppm / 1e6;
}

bool replications_enough(const struct results *results, int machine, int point, int nr)
{
	return nr >= results->nr_replications || widest(results, machine, point, nr) <= wanted_width(results);
}

int replications_guess(const struct results *results, int machine, int point, int nr)
{
	/* widths shrink with the root of the number */
	double ratio = widest(results, machine, point, nr) / wanted_width(results);
	double guess = ceil(nr * ratio * ratio);

	if (!(guess < results->nr_replications))
		return results->nr_replications;
	return guess > nr ? (int)guess : nr + 1;
}

int replications_kept(const struct results *results, int machine, int point)
{
	int nr = replications_least(results);

	while (!replications_enough(results, machine, point, nr))
		nr++;
	return nr;
}

static void trim_point(struct results *results, int machine, int point)
{
	int kept = replications_kept(results, machine, point);

	for (int variant = 0; variant < results->nr_variants; variant++) {
		for (int i = kept; i < results->nr_replications; i++) {
			double *values = results_at(results, machine, variant, point, i, 0);

			for (int metric = 0; metric < results->nr_metrics; metric++)
				values[metric] = NAN;
		}
	}
}

void replications_trim(struct results *results)
{
	for (int machine = 0; results->until_ppm && machine < results->nr_machines; machine++) {
		for (int point = 0; point < results_nr_points(results); point++)
			trim_point(results, machine, point);
	}
}

void replications_range(const struct results *results, int machine, int *fewest, int *most)
{
	*fewest = results->nr_replications;
	*most = replications_least(results);
	for (int point = 0; point < results_nr_points(results); point++) {
		int kept = replications_kept(results, machine, point);

		*fewest = kept < *fewest ? kept : *fewest;
		*most = kept > *most ? kept : *most;
	}
}
