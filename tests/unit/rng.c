/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/unit.h"

#include "sim/util/rng.h"

/* Published with the reference implementation: the first outputs of SplitMix64 from state 1234567. */
static void the_generator_is_splitmix64(void **state)
{
	static const uint64_t expected[] = {
		UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),  UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431), UINT64_C(16408922859458223821),
	};
	struct rng rng = { .state = 1234567 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_true(rng_u64(&rng) == expected[i]);
}

static void a_stream_is_a_function_of_seed_and_number(void **state)
{
	struct rng a = rng_stream(1, 5);
	struct rng b = rng_stream(1, 5);

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_true(rng_u64(&a) == rng_u64(&b));
}

static void streams_and_seeds_share_no_draw(void **state)
{
	enum { NR_STREAMS = 16, NR_DRAWS = 16, NR = 2 * NR_STREAMS * NR_DRAWS };
	uint64_t draws[NR];
	int nr = 0;

	(void)state;
	for (uint64_t stream = 0; stream < NR_STREAMS; stream++) {
		struct rng first = rng_stream(1, stream);
		struct rng second = rng_stream(2, stream);

		for (int i = 0; i < NR_DRAWS; i++) {
			draws[nr++] = rng_u64(&first);
			draws[nr++] = rng_u64(&second);
		}
	}
	for (int i = 0; i < nr; i++)
		for (int j = 0; j < i; j++)
			assert_true(draws[i] != draws[j]);
}

static void below_stays_below_and_reaches_every_value(void **state)
{
	static const uint64_t bounds[] = { 1, 2, 3, 10, 64 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++) {
		struct rng rng = rng_stream(7, i);
		unsigned seen[64] = { 0 };

		for (int draw = 0; draw < 6400; draw++) {
			uint64_t value = rng_below(&rng, bounds[i]);

			assert_true(value < bounds[i]);
			seen[value]++;
		}
		for (uint64_t value = 0; value < bounds[i]; value++)
			assert_in_range(seen[value], 6400 / bounds[i] / 2, 6400 / bounds[i] * 2);
	}
}

struct range_case {
	int64_t low, high;
};

static void between_includes_both_ends(void **state)
{
	static const struct range_case cases[] = {
		{ 5, 5 }, { -1, 1 }, { 0, 3 }, { INT64_MAX - 1, INT64_MAX }, { INT64_MIN, INT64_MIN + 2 }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct rng rng = rng_stream(3, i);
		int lows = 0;
		int highs = 0;

		for (int draw = 0; draw < 200; draw++) {
			int64_t value = rng_between(&rng, cases[i].low, cases[i].high);

			assert_true(value >= cases[i].low && value <= cases[i].high);
			lows += value == cases[i].low;
			highs += value == cases[i].high;
		}
		assert_true(lows > 0 && highs > 0);
	}
}

static void between_spans_more_than_half_of_all_numbers(void **state)
{
	struct rng rng = rng_stream(4, 0);
	int negatives = 0;

	(void)state;
	for (int draw = 0; draw < 1000; draw++)
		negatives += rng_between(&rng, INT64_MIN, INT64_MAX - 1) < 0;
	assert_in_range(negatives, 400, 600);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_is_splitmix64),
		cmocka_unit_test(a_stream_is_a_function_of_seed_and_number),
		cmocka_unit_test(streams_and_seeds_share_no_draw),
		cmocka_unit_test(below_stays_below_and_reaches_every_value),
		cmocka_unit_test(between_includes_both_ends),
		cmocka_unit_test(between_spans_more_than_half_of_all_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
