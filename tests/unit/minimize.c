/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The minimiser on functions whose least value is known: smooth, curved, many valleys, noisy, at a side, with choices. */
#include "sim/stats/minimize.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "sim/util/rng.h"

#define MAX_DIMENSIONS 10

/* A function of the unit cube, and how often it was asked. */
struct asked {
	double (*value)(const double *x, int nr);
	int nr_dimensions;
	int nr_points, nr_batches;
	int fails_at; /* this batch fails; 0: none */
};

static int evaluate(void *context, const double *points, int nr, double *scores, struct error *err)
{
	struct asked *asked = context;

	asked->nr_points += nr;
	if (++asked->nr_batches == asked->fails_at)
		return error_plain(err, "batch %d fails", asked->fails_at);
	for (int i = 0; i < nr * asked->nr_dimensions; i++)
		assert_true(points[i] >= 0 && points[i] <= 1);
	for (int i = 0; i < nr; i++)
		scores[i] = asked->value(points + (size_t)i * (size_t)asked->nr_dimensions, asked->nr_dimensions);
	return 0;
}

/* Least at 0.3, 0.35, 0.4, ... with value 0. */
static double bowl(const double *x, int nr)
{
	double sum = 0;

	for (int i = 0; i < nr; i++)
		sum += (x[i] - 0.3 - 0.05 * i) * (x[i] - 0.3 - 0.05 * i);
	return sqrt(sum / nr);
}

/* Rosenbrock's valley over [-2, 2]: least at 1, 1, ... which is 0.75, 0.75, ... of the cube. */
static double valley(const double *x, int nr)
{
	double sum = 0;

	for (int i = 0; i + 1 < nr; i++) {
		double a = 4 * x[i] - 2;
		double b = 4 * x[i + 1] - 2;

		sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
	}
	return sum;
}

/* Rastrigin's: ten valleys in each coordinate, the deepest at 0.4. */
static double many_valleys(const double *x, int nr)
{
	double sum = 0;

	for (int i = 0; i < nr; i++) {
		double t = 10 * (x[i] - 0.4);

		sum += t * t + 10 * (1 - cos(6.283185307179586 * t));
	}
	return sum;
}

/* The bowl with noise that is a function of the point, as simulations with common random numbers have it. */
static double noisy_bowl(const double *x, int nr)
{
	uint64_t hash = 0;

	for (int i = 0; i < nr; i++) {
		uint64_t bits;

		memcpy(&bits, &x[i], sizeof(bits));
		hash = rng_mix(hash ^ bits);
	}
	return bowl(x, nr) + 0.02 * ((double)(hash >> 11) * 0x1p-53 - 0.5);
}

/* Falls to the side 0 in even coordinates and to the side 1 in odd ones. */
static double slope(const double *x, int nr)
{
	double sum = 0;

	for (int i = 0; i < nr; i++)
		sum += i % 2 ? 1 - x[i] : x[i];
	return sum;
}

/* The bowl in the others; the first is a choice among 3 whose middle one is best by a step. */
static double choice_and_bowl(const double *x, int nr)
{
	static const double extra[] = { 0.4, 0, 0.2 };

	return bowl(x + 1, nr - 1) + extra[minimize_choice(x[0], 3)];
}

/* Defined in a corner only. */
static double corner(const double *x, int nr)
{
	for (int i = 0; i < nr; i++) {
		if (x[i] > 0.5)
			return i % 2 ? NAN : HUGE_VAL;
	}
	return bowl(x, nr);
}

static double nowhere(const double *x, int nr)
{
	(void)x;
	(void)nr;
	return NAN;
}

static const struct {
	const char *name;
	double (*value)(const double *x, int nr);
	int nr_dimensions, max_evaluations;
	double at_most; /* what the search must reach */
} cases[] = {
	{ "a line", bowl, 1, 100, 1e-3 },
	{ "bowl", bowl, 3, 500, 1e-3 },
	{ "bowl of ten", bowl, 10, 2000, 0.03 },
	{ "valley", valley, 2, 1000, 1e-4 },
	{ "valley of four", valley, 4, 2000, 0.2 },
	{ "many valleys", many_valleys, 4, 2000, 2.01 }, /* of 80 at worst; a neighbour of the deepest valley has 1 */
	{ "noise", noisy_bowl, 6, 2000, 0.01 },
	{ "sides", slope, 6, 1000, 1e-3 },
	{ "a corner", corner, 2, 500, 1e-3 },
};

static struct minimize_trace search(struct arena *arena, struct asked *asked, int max_evaluations, uint64_t seed)
{
	const struct minimize_problem problem = {
		.nr_dimensions = asked->nr_dimensions,
		.max_evaluations = max_evaluations,
		.seed = seed,
		.context = asked,
		.evaluate = evaluate,
	};
	struct minimize_trace trace;
	struct error err = { 0 };

	if (minimize(arena, &problem, &trace, &err))
		fail_msg("%s", err.text);
	return trace;
}

static void known_minima_are_found_from_every_seed(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (uint64_t seed = 1; seed <= 5; seed++) {
			struct asked asked = { .value = cases[i].value, .nr_dimensions = cases[i].nr_dimensions };
			struct minimize_trace trace = search(*state, &asked, cases[i].max_evaluations, seed);

			assert_true(asked.nr_points <= cases[i].max_evaluations);
			assert_int_equal(asked.nr_points, trace.nr);
			if (!(trace.scores[trace.best] <= cases[i].at_most))
				fail_msg("%s, seed %d: %g after %d evaluations", cases[i].name, (int)seed,
					 trace.scores[trace.best], trace.nr);
		}
	}
}

static void noise_moves_the_minimum_by_little(void **state)
{
	struct asked asked = { .value = noisy_bowl, .nr_dimensions = 6 };
	struct minimize_trace trace = search(*state, &asked, 2000, 1);

	assert_true(bowl(trace.points + (size_t)trace.best * 6, 6) < 0.02);
}

static void a_choice_is_decided_and_its_numbers_fitted(void **state)
{
	static const int nr_choices[] = { 3, 0, 0, 0 };
	struct asked asked = { .value = choice_and_bowl, .nr_dimensions = 4 };
	const struct minimize_problem problem = {
		.nr_dimensions = 4,
		.nr_choices = nr_choices,
		.max_evaluations = 600,
		.seed = 1,
		.context = &asked,
		.evaluate = evaluate,
	};
	struct minimize_trace trace;
	const double *best;

	assert_int_equal(minimize(*state, &problem, &trace, NULL), 0);
	best = trace.points + (size_t)trace.best * 4;
	assert_int_equal(minimize_choice(best[0], 3), 1);
	assert_true(trace.scores[trace.best] < 2e-3);
}

static void choices_alone_need_no_simplex(void **state)
{
	static const int nr_choices[] = { 4 };
	struct asked asked = { .value = bowl, .nr_dimensions = 1 };
	const struct minimize_problem problem = {
		.nr_dimensions = 1,
		.nr_choices = nr_choices,
		.max_evaluations = 60,
		.context = &asked,
		.evaluate = evaluate,
	};
	struct minimize_trace trace;

	assert_int_equal(minimize(*state, &problem, &trace, NULL), 0);
	assert_int_equal(minimize_choice(trace.points[trace.best], 4), 1);
}

static void the_start_is_the_first_point(void **state)
{
	static const double start[] = { 0.3, 0.35, 0.4 };
	struct asked asked = { .value = bowl, .nr_dimensions = 3 };
	const struct minimize_problem problem = {
		.nr_dimensions = 3,
		.start = start,
		.max_evaluations = 30,
		.context = &asked,
		.evaluate = evaluate,
	};
	struct minimize_trace trace;

	assert_int_equal(minimize(*state, &problem, &trace, NULL), 0);
	assert_memory_equal(trace.points, start, sizeof(start));
	assert_int_equal(trace.best, 0);
}

static void a_seed_gives_the_same_points_and_another_seed_others(void **state)
{
	struct asked asked = { .value = noisy_bowl, .nr_dimensions = 5 };
	struct minimize_trace one = search(*state, &asked, 400, 7);
	struct minimize_trace again = search(*state, &asked, 400, 7);
	struct minimize_trace other = search(*state, &asked, 400, 8);

	assert_int_equal(one.nr, again.nr);
	assert_memory_equal(one.points, again.points, (size_t)one.nr * 5 * sizeof(double));
	assert_memory_not_equal(one.points, other.points, (size_t)one.nr * 5 * sizeof(double));
}

static void a_budget_is_kept_however_small(void **state)
{
	for (int max = 1; max <= 40; max++) {
		struct asked asked = { .value = bowl, .nr_dimensions = 3 };
		struct minimize_trace trace = search(*state, &asked, max, 1);

		assert_int_equal(asked.nr_points, trace.nr);
		assert_true(trace.nr <= max);
	}
}

static void an_evaluation_that_fails_ends_the_search_with_its_message(void **state)
{
	/* in the first stage, in a generation, in the simplex */
	static const int batches[] = { 1, 3, 60 };

	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		struct asked asked = { .value = bowl, .nr_dimensions = 2, .fails_at = batches[i] };
		const struct minimize_problem problem = {
			.nr_dimensions = 2,
			.max_evaluations = 400,
			.context = &asked,
			.evaluate = evaluate,
		};
		struct minimize_trace trace;
		struct error err = { 0 };

		assert_int_equal(minimize(*state, &problem, &trace, &err), -1);
		assert_int_equal(asked.nr_batches, batches[i]);
		assert_non_null(strstr(err.text, "fails"));
	}
}

static void a_function_without_a_value_is_an_error(void **state)
{
	struct asked asked = { .value = nowhere, .nr_dimensions = 2 };
	const struct minimize_problem problem = {
		.nr_dimensions = 2,
		.max_evaluations = 50,
		.context = &asked,
		.evaluate = evaluate,
	};
	struct minimize_trace trace;
	struct error err = { 0 };

	assert_int_equal(minimize(*state, &problem, &trace, &err), -1);
	assert_string_equal(err.text, "not one of 50 points has a score");
}

static void choices_share_the_coordinate_evenly(void **state)
{
	(void)state;
	for (int nr = 1; nr <= 7; nr++) {
		assert_int_equal(minimize_choice(0, nr), 0);
		assert_int_equal(minimize_choice(1, nr), nr - 1);
		for (int i = 0; i < nr; i++)
			assert_int_equal(minimize_choice(minimize_choice_position(i, nr), nr), i);
	}
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(known_minima_are_found_from_every_seed, setup, teardown),
		cmocka_unit_test_setup_teardown(noise_moves_the_minimum_by_little, setup, teardown),
		cmocka_unit_test_setup_teardown(a_choice_is_decided_and_its_numbers_fitted, setup, teardown),
		cmocka_unit_test_setup_teardown(choices_alone_need_no_simplex, setup, teardown),
		cmocka_unit_test_setup_teardown(the_start_is_the_first_point, setup, teardown),
		cmocka_unit_test_setup_teardown(a_seed_gives_the_same_points_and_another_seed_others, setup, teardown),
		cmocka_unit_test_setup_teardown(a_budget_is_kept_however_small, setup, teardown),
		cmocka_unit_test_setup_teardown(an_evaluation_that_fails_ends_the_search_with_its_message, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_function_without_a_value_is_an_error, setup, teardown),
		cmocka_unit_test(choices_share_the_coordinate_evenly),
	};

	return cmocka_run_group_tests_name("minimize", tests, NULL, NULL);
}
