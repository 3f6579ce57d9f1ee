/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points as fastpath would name them: no two alike, and the kernel's own benchmark as in the mails. */
#include "sim/cli/point_names.h"

#include "models/config.h"
#include "tests/support/unit.h"

#include <string.h>

#define MACHINE "machine: configs/machines/arm-64c-1s.yaml\n"

static const struct {
	const char *yaml, *set;
	const char *names[4]; /* benchmark and result class, by a blank */
} cases[] = {
	/* every parameter of the pattern, also at its default; the axis is not needed */
	{ "workload: {name: vmalloc, test: fix_size_alloc, test_loop_count: 500000}\n"
	  "sweep: {size: {small: {workload: {nr_pages: 4}}, large: {workload: {nr_pages: 16, use_huge: true}}}}\n",
	  NULL,
	  { "contend/vmalloc fix_size_alloc_test: p:4, h:0, l:500000",
	    "contend/vmalloc fix_size_alloc_test: p:16, h:1, l:500000" } },
	/* an axis that the pattern does not tell, before one that it does */
	{ "workload: vmalloc\n"
	  "sweep: {threads: [1, 8], workload.nr_pages: [1, 2]}\n",
	  NULL,
	  { "contend/vmalloc fix_size_alloc_test: p:1, h:0, l:1000000, threads:1",
	    "contend/vmalloc fix_size_alloc_test: p:2, h:0, l:1000000, threads:1",
	    "contend/vmalloc fix_size_alloc_test: p:1, h:0, l:1000000, threads:8",
	    "contend/vmalloc fix_size_alloc_test: p:2, h:0, l:1000000, threads:8" } },
	/* without a pattern: parameters that are not at their defaults everywhere */
	{ "workload: {name: page_fault1, user_ns: 512}\n"
	  "threads: 2\n"
	  "sweep: {workload.fault_ns: [300, 400]}\n",
	  NULL,
	  { "contend/page_fault1 fault_ns:300, user_ns:512", "contend/page_fault1 fault_ns:400, user_ns:512" } },
	/* what --set set, and nothing to tell */
	{ "workload: vmalloc\n"
	  "threads: 1\n",
	  "workload.nr_pages=3",
	  { "contend/vmalloc fix_size_alloc_test: p:3, h:0, l:1000000" } },
	/* several workloads */
	{ "workload: pread\n"
	  "threads: 1\n"
	  "sweep: {what: {one: {workload: page_fault1}, two: {}, three: {threads: 2}}}\n",
	  NULL,
	  { "contend/page_fault1 what:one", "contend/pread what:two", "contend/pread what:three" } },
};

static const struct results *results_of(struct arena *arena, const char *yaml, const char *set)
{
	const char *text = arena_printf(arena, MACHINE "%s", yaml);
	struct error err;
	struct yaml_node *tree = yaml_parse(arena, "case.yaml", text, strlen(text), &err);
	const struct experiment *experiment = tree ? experiment_from_tree(arena, tree, &set, set != NULL, &err) : NULL;

	if (!experiment)
		fail_msg("%d:%d: %s", err.pos.line, err.pos.column, err.text);
	return experiment_results(experiment, arena, &err);
}

static void points_are_named_by_what_tells_them_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena *arena = arena_create();
		const struct results *results = results_of(arena, cases[i].yaml, cases[i].set);
		const struct table_point *points = point_names(arena, results);

		assert_non_null(points);
		for (int point = 0; point < results_nr_points(results); point++)
			assert_string_equal(arena_printf(arena, "%s %s", points[point].benchmark, points[point].name),
					    cases[i].names[point]);
		arena_destroy(arena);
	}
}

static void a_configuration_that_this_version_does_not_read_names_nothing(void **state)
{
	struct arena *arena = arena_create();
	struct results results = *results_of(arena, "workload: pread\nthreads: 1\n", NULL);

	(void)state;
	results.config_text = "workload: {name: of the future}\n";
	assert_null(point_names(arena, &results));
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_named_by_what_tells_them_apart),
		cmocka_unit_test(a_configuration_that_this_version_does_not_read_names_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
