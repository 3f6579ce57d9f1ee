/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/util/histogram.h"

#define SUB_BINS (1 << HISTOGRAM_SUB_BITS)

static int bin_of(uint64_t value)
{
	int shift;

	if (value < SUB_BINS)
		return (int)value;
	if (value >> HISTOGRAM_MAX_BITS)
		return HISTOGRAM_BINS - 1;
	shift = 63 - __builtin_clzll(value) - HISTOGRAM_SUB_BITS;
	return (shift << HISTOGRAM_SUB_BITS) + (int)(value >> shift); /* value >> shift: SUB_BINS .. 2 * SUB_BINS - 1 */
}

/* The largest value of a bin. */
static uint64_t upper_edge(int bin)
{
	const int shift = (bin >> HISTOGRAM_SUB_BITS) - 1;

	if (bin < SUB_BINS)
		return (uint64_t)bin;
	if (bin == HISTOGRAM_BINS - 1)
		return UINT64_MAX;
	return ((uint64_t)(bin % SUB_BINS + SUB_BINS + 1) << shift) - 1;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void histogram_add(struct histogram *histogram, int64_t value)
{
	const uint64_t counted = value < 0 ? 0 : (uint64_t)value;

	histogram->nr++;
	histogram->sum += counted;
	if (counted > histogram->max)
		histogram->max = counted;
	histogram->bins[bin_of(counted)]++;
}

double histogram_mean(const struct histogram *histogram)
{
	return histogram->nr ? (double)histogram->sum / (double)histogram->nr : 0;
}

uint64_t histogram_quantile(const struct histogram *histogram, double share)
{
	const double wanted = share * (double)histogram->nr;
	uint64_t below = 0;

	for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
		below += histogram->bins[bin];
		if (below > 0 && (double)below >= wanted)
			return lesser(upper_edge(bin), histogram->max);
	}
	return histogram->max;
}

uint64_t histogram_nr_below(const struct histogram *histogram, uint64_t value)
{
	const int end = bin_of(value);
	uint64_t nr = 0;

	for (int bin = 0; bin < end; bin++)
		nr += histogram->bins[bin];
	return nr;
}

void histogram_merge(struct histogram *histogram, const struct histogram *other)
{
	histogram->nr += other->nr;
	histogram->sum += other->sum;
	if (other->max > histogram->max)
		histogram->max = other->max;
	for (int bin = 0; bin < HISTOGRAM_BINS; bin++)
		histogram->bins[bin] += other->bins[bin];
}
