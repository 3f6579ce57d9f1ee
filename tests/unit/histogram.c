/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/util/histogram.h"

#include "sim/util/rng.h"
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdlib.h>

static const double shares[] = { 0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1 };

static struct histogram histogram_of(const int64_t *values, int nr)
{
	struct histogram histogram = { 0 };

	for (int i = 0; i < nr; i++)
		histogram_add(&histogram, values[i]);
	return histogram;
}

static void an_empty_histogram_answers_0(void **state)
{
	const struct histogram empty = { 0 };

	(void)state;
	assert_true(histogram_mean(&empty) == 0);
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
		assert_int_equal(histogram_quantile(&empty, shares[i]), 0);
}

static void values_below_64_are_told_apart(void **state)
{
	(void)state;
	for (int64_t value = 0; value < 64; value++) {
		const int64_t values[] = { value, value, 1000 };
		struct histogram histogram = histogram_of(values, 3);

		assert_int_equal(histogram_quantile(&histogram, 0.5), value);
	}
}

static void a_single_value_is_every_quantile(void **state)
{
	static const int64_t values[] = { 0,
					  1,
					  31,
					  32,
					  63,
					  64,
					  65,
					  12345,
					  INT64_C(1) << 43,
					  (INT64_C(1) << 44) - 1,
					  INT64_C(1) << 44,
					  INT64_C(1) << 50,
					  INT64_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct histogram histogram = histogram_of(&values[i], 1);

		assert_int_equal(histogram.max, values[i]);
		assert_true(histogram_mean(&histogram) == (double)values[i]);
		for (size_t j = 0; j < ARRAY_SIZE(shares); j++)
			assert_int_equal(histogram_quantile(&histogram, shares[j]), values[i]);
	}
}

static void negative_values_count_as_0(void **state)
{
	static const int64_t values[] = { -5, INT64_MIN, 10 };
	struct histogram histogram = histogram_of(values, 3);

	(void)state;
	assert_int_equal(histogram.nr, 3);
	assert_int_equal(histogram.sum, 10);
	assert_int_equal(histogram_quantile(&histogram, 0.6), 0);
}

/* Where the last bin but one starts. */
#define LAST_BINS (UINT64_C(62) << (HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS - 1))

/* Both neighbours of an edge between bins, and the width of the bins beside it. */
static void a_bin_is_at_most_a_32nd_of_its_values_wide(void **state)
{
	(void)state;
	for (uint64_t value = 1; value < LAST_BINS; value += 1 + value / 97) {
		struct histogram histogram = { 0 };
		uint64_t edge;

		histogram_add(&histogram, (int64_t)value);
		histogram_add(&histogram, INT64_MAX);
		edge = histogram_quantile(&histogram, 0.5);
		assert_in_range(edge, value, value + value / 32);
		histogram_add(&histogram, (int64_t)edge + 1); /* a bin further */
		assert_int_equal(histogram_quantile(&histogram, 1.0 / 3), edge);
		assert_true(histogram_quantile(&histogram, 2.0 / 3) > edge);
	}
}

static int by_value(const void *a, const void *b)
{
	const int64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

#define NR_RANDOM 1000

/* All magnitudes alike. */
static void draw(struct rng *rng, int64_t *values)
{
	for (int i = 0; i < NR_RANDOM; i++)
		values[i] = (int64_t)(rng_u64(rng) >> (20 + rng_below(rng, 44)));
}

static void quantiles_are_those_of_the_sorted_values_within_a_bin(void **state)
{
	struct rng rng = rng_stream(1, 1);
	int64_t values[NR_RANDOM];

	(void)state;
	for (int round = 0; round < 20; round++) {
		struct histogram histogram;

		draw(&rng, values);
		histogram = histogram_of(values, NR_RANDOM);
		qsort(values, NR_RANDOM, sizeof(*values), by_value);
		assert_int_equal(histogram.max, values[NR_RANDOM - 1]);
		for (int rank = 1; rank <= NR_RANDOM; rank++) {
			const uint64_t exact = (uint64_t)values[rank - 1];

			assert_in_range(histogram_quantile(&histogram, (rank - 0.5) / NR_RANDOM), exact,
					exact + exact / 32);
		}
	}
}

static void values_below_a_power_of_two_are_counted_exactly(void **state)
{
	struct rng rng = rng_stream(3, 1);
	int64_t values[NR_RANDOM];
	struct histogram histogram;

	(void)state;
	draw(&rng, values);
	histogram = histogram_of(values, NR_RANDOM);
	for (int bits = 0; bits < HISTOGRAM_MAX_BITS; bits++) {
		uint64_t nr = 0;

		for (int i = 0; i < NR_RANDOM; i++)
			nr += (uint64_t)values[i] < UINT64_C(1) << bits;
		assert_int_equal(histogram_nr_below(&histogram, UINT64_C(1) << bits), nr);
	}
	assert_int_equal(histogram_nr_below(&histogram, 0), 0);
}

static void two_merged_are_one_of_all_their_values(void **state)
{
	struct rng rng = rng_stream(2, 1);
	int64_t values[NR_RANDOM];

	(void)state;
	for (int split = 0; split <= NR_RANDOM; split += 100) {
		struct histogram first, second, expected;

		draw(&rng, values);
		first = histogram_of(values, split);
		second = histogram_of(values + split, NR_RANDOM - split);
		expected = histogram_of(values, NR_RANDOM);
		histogram_merge(&first, &second);
		assert_memory_equal(&first, &expected, sizeof(first));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_histogram_answers_0),
		cmocka_unit_test(values_below_64_are_told_apart),
		cmocka_unit_test(a_single_value_is_every_quantile),
		cmocka_unit_test(negative_values_count_as_0),
		cmocka_unit_test(a_bin_is_at_most_a_32nd_of_its_values_wide),
		cmocka_unit_test(quantiles_are_those_of_the_sorted_values_within_a_bin),
		cmocka_unit_test(values_below_a_power_of_two_are_counted_exactly),
		cmocka_unit_test(two_merged_are_one_of_all_their_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
