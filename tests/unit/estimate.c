/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means, intervals and paired changes against values worked out by hand or with R (t.test). */
#include "sim/stats/estimate.h"

#include "tests/support/sample_results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#define NONE NAN
#define MAX_N 5

static void assert_near(double value, double expected)
{
	if (isnan(expected))
		assert_true(isnan(value));
	else
		assert_true(fabs(value - expected) <= 1e-9 * fmax(1.0, fabs(expected)));
}

static void assert_estimate(struct estimate estimate, double mean, double low, double high, int n)
{
	assert_int_equal(estimate.n, n);
	assert_near(estimate.mean, mean);
	assert_near(estimate.low, low);
	assert_near(estimate.high, high);
}

static void means_have_student_t_intervals(void **state)
{
	/* half width = t(0.975, n - 1) * s / sqrt(n): t = 12.7062047362 for 1, 4.30265272975 for 2, 2.77644510520 for 4 */
	static const struct {
		double values[MAX_N];
		int nr, n;
		double mean, half;
	} cases[] = {
		{ { 0 }, 0, 0, NAN, NAN },
		{ { NONE, NONE }, 2, 0, NAN, NAN },
		{ { 5 }, 1, 1, 5, 0 },
		{ { NONE, 5 }, 2, 1, 5, 0 },
		{ { 1, 3 }, 2, 2, 2, 12.7062047362 },
		{ { 1, NONE, 2, 3 }, 4, 3, 2, 2.48413771175 },
		{ { 7, 7, 7 }, 3, 3, 7, 0 },
		{ { 1, 2, 3, 4, 5 }, 5, 5, 3, 1.96324316148 },
		/* the spread survives a large common part */
		{ { 1e6 + 1, 1e6 + 2, 1e6 + 3 }, 3, 3, 1e6 + 2, 2.48413771175 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct estimate mean = estimate_mean(cases[i].values, cases[i].nr);

		assert_int_equal(mean.n, cases[i].n);
		assert_near(mean.mean, cases[i].mean);
		assert_near(mean.high - mean.mean, cases[i].half);
		assert_near(mean.mean - mean.low, cases[i].half);
	}
}

static void changes_are_paired_by_replication(void **state)
{
	/* both series vary by a factor of four, each pair by exactly 10 % */
	static const double baseline[] = { 100, 200, 400 };
	static const double variant[] = { 110, 220, 440 };

	(void)state;
	assert_estimate(estimate_change_pct(baseline, variant, 3), 10, 10, 10, 3);
	assert_estimate(estimate_change_pct(variant, baseline, 3), -100.0 / 11, -100.0 / 11, -100.0 / 11, 3);
}

static void a_pair_counts_only_when_both_are_there_and_the_baseline_is_not_zero(void **state)
{
	static const double baseline[] = { 100, NONE, 100, 0, 100 };
	static const double variant[] = { 120, 120, NONE, 120, 140 };
	const struct estimate change = estimate_change_pct(baseline, variant, 5);

	(void)state;
	assert_estimate(change, 30, 30 - 127.062047362, 30 + 127.062047362, 2);
	assert_estimate(estimate_change_pct(baseline + 1, variant + 1, 3), NAN, NAN, NAN, 0);
}

static void a_change_is_significant_when_its_interval_excludes_zero(void **state)
{
	static const struct {
		struct estimate estimate;
		bool significant;
	} cases[] = {
		{ { 1, 0.1, 2, 3 }, true },   { { -1, -2, -0.1, 3 }, true },   { { 1, 0, 2, 3 }, false },
		{ { 1, -0.1, 2, 3 }, false }, { { -1, -2, 0, 3 }, false },     { { 1, 1, 1, 1 }, false },
		{ { 1, 1, 1, 2 }, true },     { { NAN, NAN, NAN, 0 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(estimate_significant(cases[i].estimate), cases[i].significant);
}

static void result_sets_are_read_at_their_place(void **state)
{
	struct arena *arena = arena_create();
	struct results *results = sample_results(arena);
	const double half = 12.7062047362 * 0.5;

	(void)state;
	/* machine 1, variant 2, point 3: 1230.5 and 1231.5; its baseline 1030.5 and 1031.5 */
	assert_estimate(results_mean(results, 1, 2, 3, 0), 1231, 1231 - half, 1231 + half, 2);
	assert_near(results_change_pct(results, 1, 2, 3, 0).mean, 100 * (1230.5 / 1030.5 + 1231.5 / 1031.5) / 2 - 100);
	assert_near(results_change_pct(results, 1, 2, 3, 1).mean, 100 * (1230.5 / 1030.5 + 1231.5 / 1031.5) / 2 - 100);
	results->baseline = 2;
	assert_near(results_change_pct(results, 1, 2, 3, 0).mean, 0);
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_have_student_t_intervals),
		cmocka_unit_test(changes_are_paired_by_replication),
		cmocka_unit_test(a_pair_counts_only_when_both_are_there_and_the_baseline_is_not_zero),
		cmocka_unit_test(a_change_is_significant_when_its_interval_excludes_zero),
		cmocka_unit_test(result_sets_are_read_at_their_place),
	};

	return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
