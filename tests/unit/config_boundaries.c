/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a growing number of threads crosses into another part of a machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "models/config.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* clang-format off */
/* Boundaries as "before:kind", kind s, c or t for socket, cluster and SMT thread, in capitals when it is not minor. */
static const struct {
	const char *what;
	struct machine_topology topology; /* sockets, nodes per socket, clusters per node, cores per cluster, SMT */
	enum placement placement;
	const char *boundaries;
} cases[] = {
	{ "one core", { 1, 1, 1, 1, 1, 0, 0 }, PLACEMENT_CORES_FIRST, "" },
	{ "one cluster is not reported", { 1, 1, 1, 4, 1, 0, 0 }, PLACEMENT_CORES_FIRST, "" },
	{ "2 x E5-2690 v3", { 2, 1, 1, 12, 1, 0, 0 }, PLACEMENT_CORES_FIRST, "12:S" },
	{ "2 x EPYC 9654 at a tenth", { 2, 1, 2, 5, 2, 0, 0 }, PLACEMENT_CORES_FIRST, "5:C 10:S 15:c 20:T" },
	{ "four sockets", { 4, 1, 1, 3, 1, 0, 0 }, PLACEMENT_CORES_FIRST, "3:S 6:s 9:s" },
	{ "nodes of one cluster each", { 1, 2, 1, 3, 1, 0, 0 }, PLACEMENT_CORES_FIRST, "3:C" },
	{ "siblings first", { 2, 1, 1, 2, 2, 0, 0 }, PLACEMENT_SIBLINGS_FIRST, "1:T 4:S" },
	{ "numbers do not matter", { 2, 1, 2, 5, 2, NUMBERING_SOCKETS_INTERLEAVED, 0 }, PLACEMENT_CORES_FIRST, "5:C 10:S 15:c 20:T" },
};
/* clang-format on */

static const char *print(struct arena *arena, const struct boundary *boundaries, int nr)
{
	const char *out = "";

	for (int i = 0; i < nr; i++) {
		bool is_smt = !strcmp(boundaries[i].label, "SMT");
		bool is_socket = !strcmp(boundaries[i].label, "Cross socket NUMA");
		const char *kind = is_smt ? "tT" : is_socket ? "sS" : "cC";

		if (!is_smt && !is_socket)
			assert_string_equal(boundaries[i].label, "Cross cluster");
		out = arena_printf(arena, "%s%s%d:%c", out, i ? " " : "", boundaries[i].before,
				   kind[!boundaries[i].minor]);
	}
	return out;
}

static void a_boundary_stands_where_the_topology_puts_it(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct machine_config config = { .name = "m", .topology = cases[i].topology };
		struct machine *machine = machine_create(arena, &config);
		int nr_cpus = machine_nr_cpus(machine);
		int *cpus = arena_calloc(arena, (size_t)nr_cpus, sizeof(*cpus));
		struct boundary *boundaries;
		int nr;

		machine_placement(machine, cases[i].placement, cpus, nr_cpus);
		nr = config_boundaries(arena, &config, cpus, nr_cpus, &boundaries);
		assert_string_equal(print(arena, boundaries, nr), cases[i].boundaries);
	}
	arena_destroy(arena);
}

static void threads_that_are_not_reached_cross_nothing(void **state)
{
	struct arena *arena = arena_create();
	struct machine_config config = { .name = "m", .topology = { 2, 1, 1, 2, 1, 0, 0 } };
	const int cpus[] = { 0, 1, 2, 3 };
	struct boundary *boundaries;

	(void)state;
	assert_int_equal(config_boundaries(arena, &config, cpus, 0, &boundaries), 0);
	assert_int_equal(config_boundaries(arena, &config, cpus, 2, &boundaries), 0);
	assert_int_equal(config_boundaries(arena, &config, cpus, 3, &boundaries), 1);
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_boundary_stands_where_the_topology_puts_it),
		cmocka_unit_test(threads_that_are_not_reached_cross_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
