/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scalability law: known parameters are found again, measured ones land near another program's fit. */
#include "sim/stats/usl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#define MAX_POINTS 8

static void assert_within(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not within %g of %.9g", value, tolerance, expected);
}

static void exact_points_give_their_parameters_back(void **state)
{
	static const double threads[MAX_POINTS] = { 1, 2, 4, 8, 16, 32, 64, 128 };
	static const struct usl cases[] = {
		{ .gamma = 1000, .alpha = 0.05, .beta = 0.001 }, /* a peak at 31 threads */
		{ .gamma = 1, .alpha = 0.9, .beta = 0.01 },	 { .gamma = 1e7, .alpha = 0.001, .beta = 1e-6 },
		{ .gamma = 50, .alpha = 0.1, .beta = 0 }, /* Amdahl */
		{ .gamma = 50, .alpha = 0, .beta = 0.01 },	 { .gamma = 50, .alpha = 0, .beta = 0 }, /* linear */
		{ .gamma = 3e6, .alpha = 3, .beta = 0.5 }, /* falls from the second thread on */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double throughput[MAX_POINTS];
		struct usl fit;

		for (int k = 0; k < MAX_POINTS; k++)
			throughput[k] = usl_predict(&cases[i], threads[k]);
		assert_int_equal(usl_fit(threads, throughput, MAX_POINTS, &fit, NULL), 0);
		assert_within(fit.gamma, cases[i].gamma, 1e-5 * cases[i].gamma);
		assert_within(fit.alpha, cases[i].alpha, 1e-5);
		assert_within(fit.beta, cases[i].beta, 1e-6);
	}
}

static void one_thread_gives_gamma_and_the_denominator_is_gunthers(void **state)
{
	const struct usl usl = { .gamma = 100, .alpha = 0.1, .beta = 0.01 };

	(void)state;
	assert_within(usl_predict(&usl, 1), 100, 1e-12);
	/* 100 * 10 / (1 + 0.1 * 9 + 0.01 * 90) */
	assert_within(usl_predict(&usl, 10), 1000 / 2.8, 1e-9);
}

static void a_measured_series_lands_near_the_fit_of_package_usl(void **state)
{
	/* R package usl, data specsdm91 (SPEC SDM 91); its own least squares on X: 0.0277285, 0.0001044, 89.995 */
	static const double threads[] = { 1, 18, 36, 72, 108, 144, 216 };
	static const double throughput[] = { 64.9, 995.9, 1652.4, 1853.2, 1828.9, 1775.0, 1702.2 };
	struct usl fit;

	(void)state;
	assert_int_equal(usl_fit(threads, throughput, 7, &fit, NULL), 0);
	assert_within(fit.alpha, 0.0277285, 0.02);
	assert_within(fit.beta, 0.0001044, 0.00006);
	assert_within(fit.gamma, 89.995, 25);
	for (int i = 0; i < 7; i++)
		assert_within(log(usl_predict(&fit, threads[i]) / throughput[i]), 0, 0.15);
}

static void superlinear_points_do_not_make_a_parameter_negative(void **state)
{
	static const double threads[] = { 1, 2, 4, 8 };
	static const double throughput[] = { 100, 220, 460, 900 };
	struct usl fit;

	(void)state;
	assert_int_equal(usl_fit(threads, throughput, 4, &fit, NULL), 0);
	assert_within(fit.alpha, 0, 1e-5);
	assert_within(fit.beta, 0, 1e-5);
	assert_within(fit.gamma, 100 * pow(1.1 * 1.15 * 1.125, 0.25), 1e-2);
}

static void what_cannot_be_fitted_is_an_error(void **state)
{
	static const struct {
		double threads[4], throughput[4];
		int nr;
		const char *error;
	} cases[] = {
		{ { 1, 2 }, { 1, 2 }, 2, "needs 3 different numbers of threads, not 2" },
		{ { 1, 2, 2, 1 }, { 1, 2, 2, 1 }, 4, "needs 3 different numbers of threads, not 2" },
		{ { 0 }, { 0 }, 0, "needs 3 different numbers of threads, not 0" },
		{ { 1, 2, 3 }, { 1, 0, 2 }, 3, "through 2 threads with throughput 0" },
		{ { 1, 2, 3 }, { 1, -5, 2 }, 3, "through 2 threads with throughput -5" },
		{ { 0, 2, 3 }, { 1, 2, 3 }, 3, "through 0 threads with throughput 1" },
		{ { 1, 2, 3 }, { 1, NAN, 3 }, 3, "through 2 threads with throughput nan" },
		{ { 1, INFINITY, 3 }, { 1, 2, 3 }, 3, "through inf threads with throughput 2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error err = { 0 };
		struct usl fit;

		assert_int_equal(usl_fit(cases[i].threads, cases[i].throughput, cases[i].nr, &fit, &err), -1);
		assert_non_null(strstr(err.text, cases[i].error));
	}
}

static void ignore_error(const char *reason, const char *file, int line, int code)
{
	(void)reason;
	(void)file;
	(void)line;
	(void)code;
}

static void the_callers_error_handler_is_put_back(void **state)
{
	static const double threads[] = { 1, 2, 3, 4 };
	gsl_error_handler_t *before = gsl_set_error_handler(ignore_error);
	struct usl fit;

	(void)state;
	assert_int_equal(usl_fit(threads, threads, 4, &fit, NULL), 0);
	assert_true(gsl_set_error_handler(before) == ignore_error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_points_give_their_parameters_back),
		cmocka_unit_test(one_thread_gives_gamma_and_the_denominator_is_gunthers),
		cmocka_unit_test(a_measured_series_lands_near_the_fit_of_package_usl),
		cmocka_unit_test(superlinear_points_do_not_make_a_parameter_negative),
		cmocka_unit_test(what_cannot_be_fitted_is_an_error),
		cmocka_unit_test(the_callers_error_handler_is_put_back),
	};

	return cmocka_run_group_tests_name("usl", tests, NULL, NULL);
}
