/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random numbers: one stream per CPU, derived from (seed, cpu), so adding a
 * CPU does not shift the others and all variants of one replication draw the
 * same numbers. Integer methods only: the bytes are the same on every machine.
 */
#ifndef CONTEND_UTIL_RNG_H
#define CONTEND_UTIL_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

/* The finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014). */
static inline uint64_t rng_mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

#define RNG_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline struct rng rng_stream(uint64_t seed, uint64_t stream)
{
	return (struct rng){ .state = rng_mix(rng_mix(seed + RNG_STEP) ^ (stream * RNG_STEP)) };
}

static inline uint64_t rng_u64(struct rng *rng)
{
	rng->state += RNG_STEP;
	return rng_mix(rng->state);
}

/* Uniform in [0, bound); bound >= 1. The bias is below bound / 2^64. */
static inline uint64_t rng_below(struct rng *rng, uint64_t bound)
{
	__extension__ unsigned __int128 product = rng_u64(rng);

	product *= bound;
	return (uint64_t)(product >> 64);
}

/* Uniform in [low, high]; low <= high, and not all 2^64 numbers at once. */
static inline int64_t rng_between(struct rng *rng, int64_t low, int64_t high)
{
	/* unsigned, for ranges that are wider than an int64_t */
	return (int64_t)((uint64_t)low + rng_below(rng, (uint64_t)high - (uint64_t)low + 1));
}

/* A value >= 0, give or take up to pct percent of it, uniform. */
static inline int64_t rng_jitter(struct rng *rng, int64_t value, uint32_t pct)
{
	const int64_t spread = value * (int64_t)pct / 100;

	return value + rng_between(rng, -spread, spread);
}

#endif
