/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys as numbers in a range: where they start, how far they go, how they are written, and which are refused. */
#include "sim/cli/fit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOOD "tests/data/config/good.yaml"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct arena *arena;
static struct experiment *experiment;

static int setup(void **state)
{
	(void)state;
	arena = arena_create();
	if (chdir(CONTEND_SOURCE_DIR))
		return -1;
	experiment = experiment_load(arena, GOOD, NULL, 0, NULL);
	return experiment ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	arena_destroy(arena);
	return 0;
}

static const struct source_pos here = { .file = "--vary" };

/* clang-format off */
static const struct {
	const char *key, *low, *high; /* low NULL: none given */
	double start, expected_low, expected_high;
	int nr_choices;
	bool taken;
} ranges[] = {
	/* given */
	{ "workload.private_ns", "10", "20", 500, 10, 20, 0, true },
	/* the prior's */
	{ "machine.core.atomic_hit_ns", NULL, NULL, 5, 4, 6, 0, true },
	/* a parameter that one variant alone has; the other one does not */
	{ "refcount.backoff_ns", NULL, NULL, 7, 0, 20, 0, true },
	/* neither given nor a prior: all that is legal; no file mentions it, so the start is the default */
	{ "machine.line.snoop_cluster_pct", NULL, NULL, NAN, 0, 99, 0, true },
	/* times are in ps inside, with their unit in the value */
	{ "run.warmup", "5us", "1ms", 10e6, 5e6, 1e9, 0, true },
	/* names by index, flags as 0 and 1 */
	{ "machine.line.migratory_reads", NULL, NULL, NAN, 0, 2, 3, true },
	{ "machine.line.migratory_reads", "cluster", "any", NAN, 1, 2, 2, true },
	{ "machine.line.far_atomics", NULL, NULL, 0, 0, 1, 2, true },
	/* known, but nobody has it: the caller decides what that means */
	{ "workload.operation", NULL, NULL, NAN, NAN, NAN, 0, false },
};

static const struct {
	const char *key, *low, *high, *message;
} refused[] = {
	{ "workload.gap_n", NULL, NULL, "--vary: unknown key 'workload.gap_n'; did you mean 'workload.gap_ns'?" },
	{ "threads", "1", "2", "--vary: 'threads' is swept: it cannot be varied" },
	{ "workload", NULL, NULL, "--vary: 'workload' is no number and no choice of a list: it has no range" },
	{ "machine.line", NULL, NULL, "--vary: 'machine.line' is not a single value: it cannot be set or swept" },
	{ "workload.gap_ns", "2", "2", "--vary: the range of 'workload.gap_ns' is empty: 2 is not below 2" },
	{ "workload.gap_ns", "2ns", "3", "--vary: gap_ns: the key already names the unit (ns); write 2" },
	{ "workload.gap_ns", "-1", "3", "--vary: gap_ns: must be between 0 and 1000000" },
	{ "machine.line.migratory_reads", "none", "all", "--vary: migratory_reads: unknown value 'all'; known: none, cluster, any" },
};

static const struct {
	const char *key, *low, *high;
	double value;
	const char *text;
} texts[] = {
	{ "workload.private_ns", "100", "900", 123.456789, "123.46" },
	{ "workload.private_ns", "100", "900", 100.0000001, "100" },
	/* never out of the range, not even by rounding */
	{ "workload.private_ns", "100", "900", 99, "100" },
	{ "workload.private_ns", "100", "900", 1e9, "900" },
	{ "workload.private_ns", "100.00049", "900", 100.0004901, "100.0004901" },
	{ "run.warmup", "5us", "1ms", 123456789, "123.46us" },
	{ "run.min_operations", "1", "100", 41.6, "42" },
	{ "machine.line.migratory_reads", NULL, NULL, 1, "cluster" },
	{ "machine.line.far_atomics", NULL, NULL, 1, "true" },
};
/* clang-format on */

static void assert_near(double value, double expected)
{
	if (!isnan(expected) && !(fabs(value - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.17g is not %.17g", value, expected);
}

static void a_range_is_that_given_or_the_priors_or_the_legal_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(ranges); i++) {
		struct tunable key;
		struct error err = { 0 };

		if (tunable_read(&key, experiment, ranges[i].key, ranges[i].low, ranges[i].high, here, &err))
			fail_msg("%s: %s", ranges[i].key, err.text);
		assert_int_equal(key.taken, ranges[i].taken);
		assert_near(key.start, ranges[i].start);
		assert_near(key.low, ranges[i].expected_low);
		assert_near(key.high, ranges[i].expected_high);
		if (key.taken)
			assert_int_equal(key.nr_choices, ranges[i].nr_choices);
	}
}

static void what_cannot_be_varied_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refused); i++) {
		struct tunable key;
		struct error err = { 0 };
		char text[ERROR_TEXT_BYTES + ERROR_FILE_BYTES];

		assert_int_equal(tunable_read(&key, experiment, refused[i].key, refused[i].low, refused[i].high, here,
					      &err),
				 -1);
		assert_string_equal(error_format(&err, text, sizeof(text)), refused[i].message);
	}
}

static void values_are_written_short_and_stay_in_the_range(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct tunable key;

		assert_int_equal(tunable_read(&key, experiment, texts[i].key, texts[i].low, texts[i].high, here, NULL),
				 0);
		assert_string_equal(tunable_text(&key, arena, texts[i].value), texts[i].text);
	}
}

static struct fit *fit_over(const char *key, const char *low, const char *high)
{
	struct fit *fit = fit_create(arena, ENGINE_FAST);

	fit->members[0].experiment = experiment;
	fit->nr_members = 1;
	assert_int_equal(fit_add_key(fit, key, low, high, here, NULL), 0);
	return fit;
}

/* Coordinates from 0 to 1 and back, ascending, with the ends of the range at the ends. */
static void values_and_coordinates_agree(void **state)
{
	static const struct {
		const char *key, *low, *high;
		double middle; /* the value at 0.5 */
	} cases[] = {
		{ "workload.private_ns", "100", "900", 500 },
		{ "workload.private_ns", "10", "100000", 1000 }, /* equal ratios */
		/* from 0: equal ratios of what lies above the start, which is 500: 500 (sqrt(401) - 1) */
		{ "workload.private_ns", "0", "200000", 9512.5 },
		{ "machine.line.snoop_cluster_pct", "0", "98", 49 },
		{ "machine.line.migratory_reads", NULL, NULL, 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct fit *fit = fit_over(cases[i].key, cases[i].low, cases[i].high);
		const struct tunable *key = &fit->keys[0];
		double before = -1;

		assert_string_equal(fit_value_text(fit, arena, 0, 0), tunable_text(key, arena, key->low));
		assert_string_equal(fit_value_text(fit, arena, 0, 1), tunable_text(key, arena, key->high));
		if (key->nr_choices > 0)
			assert_string_equal(fit_value_text(fit, arena, 0, 0.5), "cluster");
		else
			assert_true(fabs(strtod(fit_value_text(fit, arena, 0, 0.5), NULL) / cases[i].middle - 1) <
				    1e-3);
		for (int step = 0; step <= 20 && key->nr_choices == 0; step++) {
			double value = strtod(fit_value_text(fit, arena, 0, step / 20.0), NULL);

			assert_true(value > before);
			assert_true(fabs(fit_position(fit, 0, value) - step / 20.0) < 1e-3);
			before = value;
		}
	}
}

static void a_start_outside_the_range_is_at_its_nearer_end(void **state)
{
	struct fit *fit = fit_over("workload.private_ns", "600", "900"); /* it is 500 */

	(void)state;
	assert_true(fit_start(fit, arena)[0] <= 0);
	assert_near(fit->keys[0].start, 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_range_is_that_given_or_the_priors_or_the_legal_one, setup, teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_varied_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(values_are_written_short_and_stay_in_the_range, setup, teardown),
		cmocka_unit_test_setup_teardown(values_and_coordinates_agree, setup, teardown),
		cmocka_unit_test_setup_teardown(a_start_outside_the_range_is_at_its_nearer_end, setup, teardown),
	};

	return cmocka_run_group_tests_name("tunable", tests, NULL, NULL);
}
