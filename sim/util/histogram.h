/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A histogram of non-negative integers with a relative bin width of at most
 * 1/32, of fixed size, without allocation: counts, sum, maximum, quantiles.
 */
#ifndef CONTEND_UTIL_HISTOGRAM_H
#define CONTEND_UTIL_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_SUB_BITS 5
#define HISTOGRAM_BINS ((64 - HISTOGRAM_SUB_BITS) << HISTOGRAM_SUB_BITS)

/* Zeroed: empty. */
struct histogram {
	uint64_t nr;
	uint64_t sum;
	uint64_t max;
	uint32_t bins[HISTOGRAM_BINS];
};

/* Negative values count as 0. */
void histogram_add(struct histogram *histogram, int64_t value);

/* 0 when empty. */
double histogram_mean(const struct histogram *histogram);

/* The least upper edge of a bin below which at least `share` (0..1) of the values lie, at most max. 0 when empty. */
uint64_t histogram_quantile(const struct histogram *histogram, double share);

/* What came to `later` since `earlier`; max is later's when a value as large came since, else an upper bound by bins. */
void histogram_since(const struct histogram *later, const struct histogram *earlier, struct histogram *out);

#endif
