/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine's tables against lists as lscpu prints them.
 */
#include "models/hardware/machine.h"

#include "models/hardware/machine_tables.h"
#include "sim/util/arena.h"
#include "tests/support/rig.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define LIST_BYTES 256

/* What a CPU shares with others. */
enum part {
	PART_CORE,
	PART_CLUSTER,
	PART_NODE,
	PART_SOCKET,
};

static int part_of(const struct machine *machine, enum part part, int cpu)
{
	const struct cpu_place *place = machine_place(machine, cpu);
	const int parts[] = { place->core, place->cluster, place->node, place->socket };

	return parts[part];
}

/* Append a run of CPUs to a list: "0-3,8". */
static void append_run(char *list, int first, int last)
{
	char *end = list + strlen(list);

	end += sprintf(end, "%s%d", *list ? "," : "", first);
	if (last > first)
		sprintf(end, "-%d", last);
}

/* The CPUs of part number `nr`, as lscpu lists them. */
static void list_cpus(const struct machine *machine, enum part part, int nr, char list[LIST_BYTES])
{
	int first = -1;

	list[0] = '\0';
	for (int cpu = 0; cpu <= machine_nr_cpus(machine); cpu++) {
		bool inside = cpu < machine_nr_cpus(machine) && part_of(machine, part, cpu) == nr;

		if (inside && first < 0)
			first = cpu;
		if (!inside && first >= 0) {
			append_run(list, first, cpu - 1);
			first = -1;
		}
	}
}

struct numbering_case {
	const char *what;
	struct machine_topology topology;
	enum part part;
	const char *lists[4]; /* of parts 0, 1, ... */
};

/* clang-format off */
static void cpus_are_numbered_as_linux_does(void **state)
{
	static const struct numbering_case cases[] = {
		{ "siblings last, sockets", { 2, 1, 2, 2, 2, NUMBERING_SIBLINGS_LAST, 0 }, PART_SOCKET, { "0-3,8-11", "4-7,12-15" } },
		{ "siblings last, clusters", { 2, 1, 2, 2, 2, NUMBERING_SIBLINGS_LAST, 0 }, PART_CLUSTER,
		  { "0-1,8-9", "2-3,10-11", "4-5,12-13", "6-7,14-15" } },
		{ "siblings last, cores", { 2, 1, 2, 2, 2, NUMBERING_SIBLINGS_LAST, 0 }, PART_CORE, { "0,8", "1,9", "2,10", "3,11" } },
		{ "siblings adjacent, sockets", { 2, 1, 2, 2, 2, NUMBERING_SIBLINGS_ADJACENT, 0 }, PART_SOCKET, { "0-7", "8-15" } },
		{ "siblings adjacent, clusters", { 2, 1, 2, 2, 2, NUMBERING_SIBLINGS_ADJACENT, 0 }, PART_CLUSTER,
		  { "0-3", "4-7", "8-11", "12-15" } },
		{ "siblings adjacent, cores", { 2, 1, 2, 2, 2, NUMBERING_SIBLINGS_ADJACENT, 0 }, PART_CORE, { "0-1", "2-3", "4-5", "6-7" } },
		{ "sockets interleaved, sockets", { 2, 1, 2, 2, 2, NUMBERING_SOCKETS_INTERLEAVED, 0 }, PART_SOCKET,
		  { "0,2,4,6,8,10,12,14", "1,3,5,7,9,11,13,15" } },
		{ "sockets interleaved, clusters", { 2, 1, 2, 2, 2, NUMBERING_SOCKETS_INTERLEAVED, 0 }, PART_CLUSTER,
		  { "0,2,8,10", "4,6,12,14", "1,3,9,11", "5,7,13,15" } },
		{ "sockets interleaved, cores", { 2, 1, 2, 2, 2, NUMBERING_SOCKETS_INTERLEAVED, 0 }, PART_CORE,
		  { "0,8", "2,10", "4,12", "6,14" } },
		{ "two EPYC 9654, nodes", { 2, 1, 12, 8, 2, NUMBERING_SIBLINGS_LAST, 0 }, PART_NODE, { "0-95,192-287", "96-191,288-383" } },
		{ "two EPYC 9654, NPS2", { 2, 2, 6, 8, 2, NUMBERING_SIBLINGS_LAST, 0 }, PART_NODE,
		  { "0-47,192-239", "48-95,240-287", "96-143,288-335", "144-191,336-383" } },
		{ "two EPYC 9654, L3", { 2, 1, 12, 8, 2, NUMBERING_SIBLINGS_LAST, 0 }, PART_CLUSTER, { "0-7,192-199", "8-15,200-207" } },
		{ "cores off, L3", { 2, 1, 2, 3, 2, NUMBERING_SIBLINGS_LAST, 1 }, PART_CLUSTER, { "0-2,10-12", "3-4,13-14", "5-7,15-17", "8-9,18-19" } },
		{ "cores off, sockets interleaved", { 2, 1, 2, 3, 1, NUMBERING_SOCKETS_INTERLEAVED, 2 }, PART_CLUSTER,
		  { "0,2", "4,6", "1,3", "5,7" } },
		{ "EPYC 9D85, L3", { 1, 1, 10, 16, 2, NUMBERING_SIBLINGS_LAST, 2 }, PART_CLUSTER, { "0-15,158-173", "16-31,174-189" } },
		{ "EPYC 9D85, all", { 1, 1, 10, 16, 2, NUMBERING_SIBLINGS_LAST, 2 }, PART_SOCKET, { "0-315" } },
		{ "four sockets, four threads a core", { 4, 1, 1, 2, 4, NUMBERING_SIBLINGS_LAST, 0 }, PART_CORE,
		  { "0,8,16,24", "1,9,17,25" } },
		{ "one core", { 1, 1, 1, 1, 1, NUMBERING_SOCKETS_INTERLEAVED, 0 }, PART_SOCKET, { "0" } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct machine_config config = rig_machine(1);
		const struct machine *machine;

		config.topology = cases[i].topology;
		machine = machine_create(arena, &config);
		for (int nr = 0; nr < 4 && cases[i].lists[nr]; nr++) {
			char list[LIST_BYTES];

			list_cpus(machine, cases[i].part, nr, list);
			if (strcmp(list, cases[i].lists[nr]))
				print_error("%s\n", cases[i].what);
			assert_string_equal(list, cases[i].lists[nr]);
		}
		arena_destroy(arena);
	}
}
/* clang-format on */

static void places_and_numbers_are_inverse(void **state)
{
	(void)state;
	for (int numbering = NUMBERING_SIBLINGS_LAST; numbering <= NUMBERING_SOCKETS_INTERLEAVED; numbering++) {
		struct arena *arena = arena_create();
		struct machine_config config = rig_machine(1);
		const struct machine *machine;

		config.topology = (struct machine_topology){ 3, 2, 2, 5, 4, numbering, 0 };
		machine = machine_create(arena, &config);
		for (int cpu = 0; cpu < machine_nr_cpus(machine); cpu++) {
			const struct cpu_place *place = machine_place(machine, cpu);

			assert_int_equal(machine_cpu_of(machine, place->core, place->thread), cpu);
			assert_int_equal(place->cluster, place->core / 5);
			assert_int_equal(place->node, place->core / 10);
			assert_int_equal(place->socket, place->core / 20);
		}
		arena_destroy(arena);
	}
}

static void the_last_clusters_of_each_socket_lack_the_cores_that_are_off(void **state)
{
	struct arena *arena = arena_create();
	struct machine_config config = rig_machine(1);
	static const int first[] = { 0, 4, 7, 10, 14, 17, 20 };
	const struct machine *machine;

	(void)state;
	config.topology = (struct machine_topology){ 2, 1, 3, 4, 2, NUMBERING_SIBLINGS_LAST, 2 };
	machine = machine_create(arena, &config);
	assert_int_equal(machine_nr_cpus(machine), 40);
	assert_int_equal(machine_nr_clusters(machine), 6);
	assert_int_equal(machine_topology_cores_per_socket(&config.topology), 10);
	for (int cluster = 0; cluster <= 6; cluster++)
		assert_int_equal(machine_first_core(machine, cluster), first[cluster]);
	for (int cpu = 0; cpu < 40; cpu++) {
		const struct cpu_place *place = machine_place(machine, cpu);

		assert_int_equal(machine_cpu_of(machine, place->core, place->thread), cpu);
		assert_in_range(place->core, first[place->cluster], first[place->cluster + 1] - 1);
		assert_int_equal(place->socket, place->cluster / 3);
	}
	arena_destroy(arena);
}

static void a_machine_counts_its_parts(void **state)
{
	struct arena *arena = arena_create();
	struct machine_config config = rig_machine(1);
	const struct machine *machine;

	(void)state;
	config.topology = (struct machine_topology){ 3, 2, 4, 5, 2, NUMBERING_SIBLINGS_LAST, 0 };
	machine = machine_create(arena, &config);
	assert_int_equal(machine_nr_cpus(machine), 240);
	assert_int_equal(machine_nr_cores(machine), 120);
	assert_int_equal(machine_nr_clusters(machine), 24);
	assert_int_equal(machine_nr_nodes(machine), 6);
	assert_string_equal(machine_config_of(machine)->name, "rig");
	arena_destroy(arena);
}

struct placement_case {
	int numbering;
	enum placement placement;
	int cpus[16];
};

/* clang-format off */
static void workers_are_placed_in_the_order_asked_for(void **state)
{
	static const struct placement_case cases[] = {
		{ NUMBERING_SIBLINGS_LAST, PLACEMENT_CORES_FIRST, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } },
		{ NUMBERING_SIBLINGS_LAST, PLACEMENT_SIBLINGS_FIRST, { 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15 } },
		{ NUMBERING_SIBLINGS_ADJACENT, PLACEMENT_CORES_FIRST, { 0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15 } },
		{ NUMBERING_SIBLINGS_ADJACENT, PLACEMENT_SIBLINGS_FIRST, { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 } },
		{ NUMBERING_SOCKETS_INTERLEAVED, PLACEMENT_CORES_FIRST, { 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15 } },
		{ NUMBERING_SOCKETS_INTERLEAVED, PLACEMENT_SIBLINGS_FIRST, { 0, 8, 2, 10, 4, 12, 6, 14, 1, 9, 3, 11, 5, 13, 7, 15 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena *arena = arena_create();
		struct machine_config config = rig_machine(2);
		int cpus[16];

		config.topology.numbering = cases[i].numbering;
		machine_placement(machine_create(arena, &config), cases[i].placement, cpus, 16);
		assert_memory_equal(cpus, cases[i].cpus, sizeof(cpus));
		arena_destroy(arena);
	}
}
/* clang-format on */

struct distance_case {
	int cpu_a, cpu_b;
	enum distance distance;
};

static void distance_is_the_smallest_part_that_two_cpus_share(void **state)
{
	static const struct distance_case cases[] = {
		{ 0, 0, DISTANCE_CORE },    { 0, 8, DISTANCE_CORE },	{ 0, 1, DISTANCE_CLUSTER },
		{ 0, 9, DISTANCE_CLUSTER }, { 0, 2, DISTANCE_SOCKET },	{ 1, 3, DISTANCE_SOCKET },
		{ 3, 4, DISTANCE_REMOTE },  { 8, 15, DISTANCE_REMOTE },
	};
	struct arena *arena = arena_create();
	struct machine_config config = rig_machine(2);
	const struct machine *machine = machine_create(arena, &config);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(machine_distance(machine, cases[i].cpu_a, cases[i].cpu_b), cases[i].distance);
		assert_int_equal(machine_distance(machine, cases[i].cpu_b, cases[i].cpu_a), cases[i].distance);
	}
	arena_destroy(arena);
}

static void routes_without_a_matrix_follow_the_classes(void **state)
{
	struct arena *arena = arena_create();
	struct machine_config config = rig_machine(1);
	const struct machine *machine;

	(void)state;
	config.topology.nodes_per_socket = 2;
	machine = machine_create(arena, &config);
	for (int a = 0; a < 4; a++) {
		for (int b = 0; b < 4; b++) {
			const struct transfer_cost *cost = &machine->routes[a * 4 + b];

			assert_int_equal(cost->distance, a / 2 == b / 2 ? DISTANCE_SOCKET : DISTANCE_REMOTE);
			assert_int_equal(cost->latency_ps, a / 2 == b / 2 ? NS(100) : NS(200));
			assert_int_equal(cost->snoop_ps, a / 2 == b / 2 ? NS(25) : NS(50));
		}
	}
	arena_destroy(arena);
}

static void a_matrix_replaces_what_is_beyond_a_cluster(void **state)
{
	static double matrix_ns[] = { 80, 150, 300, 150, 90, 250, 310, 260, 85 };
	struct arena *arena = arena_create();
	struct machine_config config = rig_machine(1);
	const struct machine *machine;

	(void)state;
	config.topology.sockets = 3;
	config.matrix_ns = matrix_ns;
	config.line.occupancy_remote_pct = 120;
	config.line.read_occupancy_pct = 50;
	machine = machine_create(arena, &config);
	for (int i = 0; i < 9; i++)
		assert_int_equal(machine->routes[i].latency_ps, NS(matrix_ns[i]));
	assert_int_equal(machine->routes[4].distance, DISTANCE_SOCKET);
	assert_int_equal(machine->routes[4].occupancy_ps, NS(90));
	assert_int_equal(machine->routes[6].distance, DISTANCE_REMOTE);
	assert_int_equal(machine->routes[6].occupancy_ps, NS(372));
	assert_int_equal(machine->routes[6].read_occupancy_ps, NS(186));
	assert_int_equal(machine->routes[6].snoop_ps, NS(77.5));
	assert_int_equal(machine->cluster_cost.latency_ps, NS(20));
	assert_int_equal(machine->core_cost.latency_ps, NS(10));
	arena_destroy(arena);
}

/* Snoops after 1, 2, 25 and 50 ns; 30 % of jitter on the latter three. */
static void the_soonest_snoop_counts_the_jitter(void **state)
{
	struct arena *arena = arena_create();
	struct machine_config config = rig_machine(1);

	(void)state;
	assert_int_equal(machine_create(arena, &config)->snoop_min_ps, NS(1));
	config.line.snoop_jitter_pct = 30;
	assert_int_equal(machine_create(arena, &config)->snoop_min_ps, NS(0.7));
	config.line.snoop_jitter_pct = 100;
	assert_int_equal(machine_create(arena, &config)->snoop_min_ps, 0);
	arena_destroy(arena);
}

struct mistake {
	const char *text; /* NULL: it is right */
	struct machine_topology topology; /* sockets 0: that of the rig */
	double core_ns, cluster_ns, socket_ns, remote_ns; /* 0: that of the rig */
	double occupancy_remote_pct, read_occupancy_pct, snoop_cluster_pct;
	double matrix_ns[4];
};

static struct machine_config mistaken(const struct mistake *mistake, double *matrix_ns)
{
	struct machine_config config = rig_machine(1);

	if (mistake->topology.sockets)
		config.topology = mistake->topology;
	config.transfer.core_ns = mistake->core_ns ? mistake->core_ns : 10;
	config.transfer.cluster_ns = mistake->cluster_ns ? mistake->cluster_ns : 20;
	config.transfer.socket_ns = mistake->socket_ns ? mistake->socket_ns : 100;
	config.transfer.remote_ns = mistake->remote_ns ? mistake->remote_ns : 200;
	config.line.occupancy_remote_pct = mistake->occupancy_remote_pct ? mistake->occupancy_remote_pct : 100;
	config.line.read_occupancy_pct = mistake->read_occupancy_pct ? mistake->read_occupancy_pct : 100;
	config.line.snoop_cluster_pct = mistake->snoop_cluster_pct ? mistake->snoop_cluster_pct : 10;
	memcpy(matrix_ns, mistake->matrix_ns, sizeof(mistake->matrix_ns));
	config.matrix_ns = mistake->matrix_ns[0] ? matrix_ns : NULL;
	return config;
}

/* clang-format off */
#define TOO_SHORT ", but a transfer includes the atomic that asked for it, so it must be at least atomic_hit_ns (5)"
#define TOO_MANY_OFF(most) ", but at most " #most " cores of a socket can be: one in each L3 cluster of two or more cores"
#define TOO_EARLY ": the next transfer would start before this one reaches the owner"
/* clang-format on */

static void what_the_tables_cannot_check_is_refused(void **state)
{
	static const struct mistake mistakes[] = {
		{ .text = NULL },
		{ .text = NULL, .topology = { 64, 1, 1, 64, 1, 0, 0 } }, /* 4096 CPUs on 64 nodes */
		{ .text = "machine 'rig' has 4160 CPUs; at most 4096 are supported",
		  .topology = { 1, 1, 1, 1040, 4, 0, 0 } },
		{ .text = "machine 'rig' has 2147483648 CPUs; at most 4096 are supported",
		  .topology = { 64, 16, 256, 1024, 8, 0, 0 } },
		{ .text = "machine 'rig' has 65 NUMA nodes; at most 64 are supported",
		  .topology = { 13, 5, 1, 1, 1, 0, 0 } },
		{ .text = NULL, .topology = { 1, 1, 10, 16, 2, 0, 10 } }, /* one core of each cluster off */
		{ .text = "machine 'rig': cores_off is 11" TOO_MANY_OFF(10), .topology = { 1, 2, 5, 16, 2, 0, 11 } },
		{ .text = "machine 'rig': cores_off is 1" TOO_MANY_OFF(0), .topology = { 1, 1, 2, 1, 2, 0, 1 } },
		{ .text = NULL, .core_ns = 5, .cluster_ns = 5, .socket_ns = 5, .remote_ns = 5 },
		{ .text = "machine 'rig': core_ns is 4.9" TOO_SHORT, .core_ns = 4.9 },
		{ .text = "machine 'rig': cluster_ns is 4.9" TOO_SHORT, .cluster_ns = 4.9 },
		{ .text = "machine 'rig': socket_ns is 4.9" TOO_SHORT, .socket_ns = 4.9 },
		{ .text = "machine 'rig': remote_ns is 1" TOO_SHORT, .remote_ns = 1 },
		{ .text = NULL, .matrix_ns = { 100, 200, 200, 5 } },
		{ .text = "machine 'rig': matrix_ns has 4 from node 1 to node 0" TOO_SHORT,
		  .matrix_ns = { 100, 200, 4, 100 } },
		{ .text = NULL, .occupancy_remote_pct = 25 },
		{ .text = "machine 'rig': occupancy_remote_pct times read_occupancy_pct is 24 %, below "
			  "snoop_remote_pct "
			  "(25)" TOO_EARLY,
		  .occupancy_remote_pct = 24 },
		{ .text = NULL, .read_occupancy_pct = 25 },
		{ .text = "machine 'rig': occupancy_socket_pct times read_occupancy_pct is 20 %, below "
			  "snoop_socket_pct "
			  "(25)" TOO_EARLY,
		  .read_occupancy_pct = 20 },
		{ .text = NULL, .occupancy_remote_pct = 25, .read_occupancy_pct = 200 },
		{ .text = "machine 'rig': occupancy_remote_pct times read_occupancy_pct is 20 %, below "
			  "snoop_remote_pct "
			  "(25)" TOO_EARLY,
		  .occupancy_remote_pct = 20,
		  .read_occupancy_pct = 200 }, /* writes have the occupancy alone */
		{ .text = "machine 'rig': occupancy_core_pct times read_occupancy_pct is 50 %, below snoop_cluster_pct "
			  "(60)" TOO_EARLY,
		  .read_occupancy_pct = 50,
		  .snoop_cluster_pct = 60 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		struct error err = { .text = "" };
		double matrix_ns[4];
		struct machine_config config = mistaken(&mistakes[i], matrix_ns);
		int status = machine_config_check(&config, &err);

		assert_string_equal(err.text, mistakes[i].text ? mistakes[i].text : "");
		assert_int_equal(status, mistakes[i].text ? -1 : 0);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpus_are_numbered_as_linux_does),
		cmocka_unit_test(places_and_numbers_are_inverse),
		cmocka_unit_test(the_last_clusters_of_each_socket_lack_the_cores_that_are_off),
		cmocka_unit_test(a_machine_counts_its_parts),
		cmocka_unit_test(workers_are_placed_in_the_order_asked_for),
		cmocka_unit_test(distance_is_the_smallest_part_that_two_cpus_share),
		cmocka_unit_test(routes_without_a_matrix_follow_the_classes),
		cmocka_unit_test(a_matrix_replaces_what_is_beyond_a_cluster),
		cmocka_unit_test(the_soonest_snoop_counts_the_jitter),
		cmocka_unit_test(what_the_tables_cannot_check_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
