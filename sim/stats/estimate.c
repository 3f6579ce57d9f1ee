/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means with Student t intervals, paired changes. Source: Law, Simulation Modeling and Analysis (paired-t method). */
#include "sim/stats/estimate.h"

#include <math.h>
#include <stddef.h>

#include <gsl/gsl_cdf.h>

/* Values, or paired changes when there is a baseline; one replication's value is `stride` numbers after the last. */
struct series {
	const double *baseline; /* NULL: the values themselves */
	const double *values;
	size_t stride;
	int nr;
};

static double series_at(const struct series *series, int i)
{
	size_t at = (size_t)i * series->stride;

	if (!series->baseline)
		return series->values[at];
	if (series->baseline[at] == 0)
		return NAN;
	return 100.0 * (series->values[at] / series->baseline[at] - 1.0);
}

static double half_width(double sum_of_squares, int n)
{
	double deviation = sqrt(sum_of_squares / (n - 1));

	return gsl_cdf_tdist_Pinv((1.0 + ESTIMATE_LEVEL) / 2.0, n - 1) * deviation / sqrt(n);
}

/* Welford's updates: no cancellation when the spread is tiny beside the mean. */
static struct estimate series_estimate(const struct series *series)
{
	struct estimate out = { .mean = NAN, .low = NAN, .high = NAN };
	double mean = 0;
	double sum_of_squares = 0;

	for (int i = 0; i < series->nr; i++) {
		double value = series_at(series, i);
		double off = value - mean;

		if (isnan(value))
			continue;
		out.n++;
		mean += off / out.n;
		sum_of_squares += off * (value - mean);
	}
	if (out.n) {
		double half = out.n > 1 ? half_width(sum_of_squares, out.n) : 0;

		out.mean = mean;
		out.low = mean - half;
		out.high = mean + half;
	}
	return out;
}

struct estimate estimate_mean(const double *values, int n)
{
	return series_estimate(&(struct series){ .values = values, .stride = 1, .nr = n });
}

struct estimate estimate_change_pct(const double *baseline, const double *variant, int n)
{
	return series_estimate(&(struct series){ .baseline = baseline, .values = variant, .stride = 1, .nr = n });
}

bool estimate_significant(struct estimate estimate)
{
	return estimate.n >= 2 && (estimate.low > 0 || estimate.high < 0);
}

struct estimate results_mean_of(const struct results *results, int machine, int variant, int point, int metric, int nr)
{
	const struct series series = {
		.values = results_at(results, machine, variant, point, 0, metric),
		.stride = (size_t)results->nr_metrics,
		.nr = nr,
	};

	return series_estimate(&series);
}

struct estimate results_mean(const struct results *results, int machine, int variant, int point, int metric)
{
	return results_mean_of(results, machine, variant, point, metric, results->nr_replications);
}

struct estimate results_change_pct(const struct results *results, int machine, int variant, int point, int metric)
{
	const struct series series = {
		.baseline = results_at(results, machine, results->baseline, point, 0, metric),
		.values = results_at(results, machine, variant, point, 0, metric),
		.stride = (size_t)results->nr_metrics,
		.nr = results->nr_replications,
	};

	return series_estimate(&series);
}
