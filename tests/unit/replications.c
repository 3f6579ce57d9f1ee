/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many replications a point needs: the smallest number whose intervals are narrow, whatever was made beyond it. */
#include "tests/support/unit.h"

#include "sim/stats/replications.h"

#include "sim/stats/estimate.h"
#include "tests/support/sample_results.h"

#include <math.h>

#define NR_MOST 6
#define NONE NAN

/* One machine, one point, two variants with these throughputs. */
static struct results *make(struct arena *arena, const double (*values)[NR_MOST], int least, uint64_t until_ppm)
{
	struct results *results = sample_results(arena);

	results->nr_machines = 1;
	results->nr_variants = 2;
	results->nr_axes = 0;
	results->nr_replications = NR_MOST;
	results->min_replications = least;
	results->until_ppm = until_ppm;
	results_allocate(results);
	for (int variant = 0; variant < 2; variant++) {
		for (int i = 0; i < NR_MOST; i++) {
			*results_at(results, 0, variant, 0, i, 0) = values[variant][i];
			*results_at(results, 0, variant, 0, i, 1) = values[variant][i];
		}
	}
	return results;
}

static void a_point_keeps_the_smallest_number_whose_intervals_are_narrow(void **state)
{
	/* half widths: of 100 102 it is 12.7 (12.6 %), of 100 102 101 2.48 (2.46 %), of 100 102 101 101 1.30 (1.29 %) */
	static const struct {
		const char *what;
		double values[2][NR_MOST];
		int least;
		uint64_t until_ppm;
		int kept;
	} cases[] = {
		{ "not adaptive", { { 1, 2, 3, 4, 5, 6 }, { 1, 2, 3, 4, 5, 6 } }, 2, 0, NR_MOST },
		{ "at once", { { 100, 100, 1, 1, 1, 1 }, { 100, 100, 1, 1, 1, 1 } }, 2, 1, 2 },
		{ "not before the least", { { 100, 100, 100, 100, 1, 1 }, { 5, 5, 5, 5, 1, 1 } }, 4, 1, 4 },
		{ "13 %", { { 100, 102, 101, 101, 1, 1 }, { 5, 5, 5, 5, 5, 5 } }, 2, 130000, 2 },
		{ "12 %", { { 100, 102, 101, 101, 1, 1 }, { 5, 5, 5, 5, 5, 5 } }, 2, 120000, 3 },
		{ "2.4 %", { { 100, 102, 101, 101, 1, 1 }, { 5, 5, 5, 5, 5, 5 } }, 2, 24000, 4 },
		{ "the other variant is the wide one",
		  { { 5, 5, 5, 5, 5, 5 }, { 100, 102, 101, 101, 1, 1 } },
		  2,
		  24000,
		  4 },
		{ "never narrow", { { 1, 2, 1, 2, 1, 2 }, { 1, 1, 1, 1, 1, 1 } }, 2, 10000, NR_MOST },
		{ "a failed run is left out", { { 100, NONE, 102, 101, 1, 1 }, { 5, 5, 5, 5, 5, 5 } }, 2, 30000, 4 },
		{ "one success says nothing", { { 5, NONE, NONE, NONE, 5, 1 }, { 5, 5, 5, 5, 5, 5 } }, 2, 10000, 5 },
		{ "a variant without success does not count",
		  { { NONE, NONE, NONE, 5, 1, 1 }, { 5, 5, 1, 1, 1, 1 } },
		  2,
		  1,
		  2 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		const struct results *results = make(arena, cases[i].values, cases[i].least, cases[i].until_ppm);

		if (replications_kept(results, 0, 0) != cases[i].kept)
			fail_msg("%s: %d", cases[i].what, replications_kept(results, 0, 0));
		arena_destroy(arena);
	}
}

static void what_was_made_beyond_it_changes_nothing_and_is_forgotten(void **state)
{
	static const double values[2][NR_MOST] = { { 100, 102, 101, 1, 9, 1 }, { 5, 5, 5, 5, 5, 5 } };
	struct arena *arena = arena_create();
	struct results *results = make(arena, values, 2, 30000);
	int fewest, most;

	(void)state;
	assert_int_equal(results_nr_done(results, 0, 0, 0), NR_MOST);
	replications_trim(results);
	assert_int_equal(results_nr_done(results, 0, 0, 0), 3);
	assert_int_equal(results_nr_done(results, 0, 1, 0), 3);
	assert_int_equal(replications_kept(results, 0, 0), 3);
	assert_int_equal(results_mean(results, 0, 0, 0, 0).n, 3);
	replications_range(results, 0, &fewest, &most);
	assert_int_equal(fewest, 3);
	assert_int_equal(most, 3);
	arena_destroy(arena);
}

static void a_guess_is_more_than_there_are_and_no_more_than_allowed(void **state)
{
	static const double values[2][NR_MOST] = { { 100, 102, 101, 101, 1, 1 }, { 5, 5, 5, 5, 5, 5 } };
	struct arena *arena = arena_create();

	(void)state;
	/* three have 2.46 %: for 2.4 % a fourth, for 2 % ceil(3 * 1.23 ^ 2), for 1 % more than there may be */
	assert_int_equal(replications_guess(make(arena, values, 2, 24500), 0, 0, 3), 4);
	assert_int_equal(replications_guess(make(arena, values, 2, 20000), 0, 0, 3), 5);
	assert_int_equal(replications_guess(make(arena, values, 2, 10000), 0, 0, 3), NR_MOST);
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_point_keeps_the_smallest_number_whose_intervals_are_narrow),
		cmocka_unit_test(what_was_made_beyond_it_changes_nothing_and_is_forgotten),
		cmocka_unit_test(a_guess_is_more_than_there_are_and_no_more_than_allowed),
	};

	return cmocka_run_group_tests_name("replications", tests, NULL, NULL);
}
