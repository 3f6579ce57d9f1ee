/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A histogram of non-negative integers with a relative bin width of at most
 * 1/32, of fixed size, without allocation: counts, sum, maximum, quantiles.
 *
 * Values below 2^SUB_BITS have a bin each; above, every power of two is cut
 * into 2^SUB_BITS equal bins, as in HdrHistogram (Tene). Values of 2^MAX_BITS
 * and more (17 s, in picoseconds) are in the last bin, which ends at max.
 */
#ifndef CONTEND_UTIL_HISTOGRAM_H
#define CONTEND_UTIL_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 5
#define HISTOGRAM_MAX_BITS 44
#define HISTOGRAM_BINS ((HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

/* Zeroed: empty. 5 KiB. */
struct histogram {
	uint64_t nr;
	uint64_t sum;
	uint64_t max;
	uint32_t bins[HISTOGRAM_BINS];
};

/* Negative values count as 0. */
void histogram_add(struct histogram *histogram, int64_t value);

/* Exact. 0 when empty. */
double histogram_mean(const struct histogram *histogram);

/*
 * The least upper edge of a bin, itself inside the bin, up to which at least `share` (0..1) of the values lie; at most
 * max. 0 when empty.
 */
uint64_t histogram_quantile(const struct histogram *histogram, double share);

/* How many values are below a number; exact where a bin starts there, as at each power of two below 2^MAX_BITS. */
uint64_t histogram_nr_below(const struct histogram *histogram, uint64_t value);

/* Add all values of another one. */
void histogram_merge(struct histogram *histogram, const struct histogram *other);

#endif
