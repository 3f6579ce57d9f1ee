/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Result sets in memory: the order of points, places of values, names. */
#include "sim/stats/results.h"

#include "tests/support/sample_results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

static int setup(void **state)
{
	*state = arena_create();
	return 0;
}

static int teardown(void **state)
{
	arena_destroy(*state);
	return 0;
}

static void points_are_the_product_of_the_axes_last_axis_fastest(void **state)
{
	static const int indices[][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 }, { 2, 0 }, { 2, 1 } };
	const struct results *results = sample_results(*state);

	assert_int_equal(results_nr_points(results), 6);
	for (int point = 0; point < 6; point++) {
		assert_int_equal(results_axis_index(results, point, 0), indices[point][0]);
		assert_int_equal(results_axis_index(results, point, 1), indices[point][1]);
	}
}

static void without_axes_there_is_one_point(void **state)
{
	struct results *results = sample_results(*state);

	results->nr_axes = 0;
	assert_int_equal(results_nr_points(results), 1);
}

static void every_value_has_a_place_of_its_own(void **state)
{
	const struct results *results = sample_results(*state);

	for (int i = 0; i < 2 * 3 * 6 * 2 * 2; i++) {
		int metric = i % 2, replication = i / 2 % 2, point = i / 4 % 6, variant = i / 24 % 3, machine = i / 72;

		assert_ptr_equal(results_at(results, machine, variant, point, replication, metric),
				 &results->values[i]);
	}
}

static void allocated_values_are_absent(void **state)
{
	struct results *results = sample_results(*state);

	results_allocate(results);
	for (int i = 0; i < 2 * 3 * 6 * 2 * 2; i++)
		assert_true(isnan(results->values[i]));
	assert_int_equal(results_nr_done(results, 0, 0, 0), 0);
}

static void a_replication_is_done_when_any_metric_has_a_value(void **state)
{
	struct results *results = sample_results(*state);

	assert_int_equal(results_nr_done(results, 1, 2, 3), 2);
	*results_at(results, 1, 2, 3, 0, 0) = NAN;
	assert_int_equal(results_nr_done(results, 1, 2, 3), 2);
	*results_at(results, 1, 2, 3, 0, 1) = NAN;
	assert_int_equal(results_nr_done(results, 1, 2, 3), 1);
}

static void names_are_found_or_minus_one(void **state)
{
	const struct results *results = sample_results(*state);

	assert_int_equal(results_find_axis(results, "machine.transfer.remote_ns"), 1);
	assert_int_equal(results_find_axis(results, "remote_ns"), -1);
	assert_int_equal(results_find_metric(results, "cas_failures"), 1);
	assert_int_equal(results_find_metric(results, "cas"), -1);
}

static void numbers_are_finite_decimals_and_nothing_else(void **state)
{
	static const struct {
		const char *text;
		double number;
	} cases[] = {
		{ "12", 12 }, { "-1.5", -1.5 }, { "+3", 3 }, { ".5", 0.5 }, { "1e3", 1000 }, { "0", 0 },
	};
	static const char *const others[] = { "",      " 1",  "1 ",    "120ns", "nan", "inf",	 "-inf", "0x10",
					      "1e999", "1,5", "1.2.3", "-",	".",   "socket", "--1" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(results_number(cases[i].text) == cases[i].number);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_true(isnan(results_number(others[i])));
}

#define IN_ARENA(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_ARENA(points_are_the_product_of_the_axes_last_axis_fastest),
		IN_ARENA(without_axes_there_is_one_point),
		IN_ARENA(every_value_has_a_place_of_its_own),
		IN_ARENA(allocated_values_are_absent),
		IN_ARENA(a_replication_is_done_when_any_metric_has_a_value),
		IN_ARENA(names_are_found_or_minus_one),
		cmocka_unit_test(numbers_are_finite_decimals_and_nothing_else),
	};

	return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
