/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts that the command line makes: CPU lists and the progress line. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sim/cli/describe.h"
#include "sim/cli/progress.h"

static void cpus_are_listed_as_taskset_reads_them(void **state)
{
	static const struct {
		int cpus[8];
		int nr;
		const char *text;
	} cases[] = {
		{ { 0 }, 0, "" },
		{ { 5 }, 1, "5" },
		{ { 0, 1 }, 2, "0-1" },
		{ { 3, 9 }, 2, "3,9" },
		{ { 0, 1, 2, 3 }, 4, "0-3" },
		{ { 0, 2, 4, 6 }, 4, "0-6:2" },
		{ { 0, 1, 2, 8, 9, 20 }, 6, "0-2,8-9,20" },
		{ { 7, 0, 1 }, 3, "7,0-1" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];

		assert_string_equal(describe_cpus(cases[i].cpus, cases[i].nr, text, sizeof(text)), cases[i].text);
	}
}

static void a_cpu_list_is_cut_at_the_end_of_its_buffer(void **state)
{
	static const int cpus[] = { 1, 3, 4, 9, 17 };
	char text[6];

	(void)state;
	assert_string_equal(describe_cpus(cpus, 5, text, sizeof(text)), "1,3-4");
}

static void the_time_left_follows_from_the_work_and_not_from_the_count(void **state)
{
	static const struct {
		int nr_done;
		double work_done, elapsed_s;
		const char *text;
	} cases[] = {
		{ 0, 0, 1, "0/8 runs, 0 %" },
		{ 2, 50, 30, "2/8 runs, 50 %, 0:30 left" },
		{ 2, 25, 100, "2/8 runs, 25 %, 5:00 left" },
		{ 8, 100, 77, "8/8 runs, 100 %, 0:00 left" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct progress progress = {
			.nr_total = 8,
			.nr_done = cases[i].nr_done,
			.work_total = 100,
			.work_done = cases[i].work_done,
		};
		char text[96];

		assert_string_equal(progress_text(&progress, cases[i].elapsed_s, text, sizeof(text)), cases[i].text);
	}
}

static void a_caller_says_what_is_counted_and_what_else_to_know(void **state)
{
	const struct progress progress = {
		.what = "evaluations",
		.note = "best score 0.1234",
		.nr_total = 8,
		.nr_done = 2,
		.work_total = 8,
		.work_done = 2,
	};
	char text[96];

	(void)state;
	assert_string_equal(progress_text(&progress, 30, text, sizeof(text)),
			    "2/8 evaluations, 25 %, 1:30 left, best score 0.1234");
	assert_string_equal(progress_text(&progress, 30, text, 24), "2/8 evaluations, 25 %, ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_listed_as_taskset_reads_them),
		cmocka_unit_test(a_cpu_list_is_cut_at_the_end_of_its_buffer),
		cmocka_unit_test(the_time_left_follows_from_the_work_and_not_from_the_count),
		cmocka_unit_test(a_caller_says_what_is_counted_and_what_else_to_know),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
