/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prices of ordinary lines: by where they were touched last, and how long ago.
 * Caches of 4, 16 and 64 lines.
 */
#include "models/hardware/memory.h"

#include <string.h>

#include "tests/support/rig.h"
#include "tests/support/unit.h"

enum {
	L1_LINES = 4,
	L2_LINES = 16,
	L3_LINES = 64,
	LINE_BYTES = 64,
};

enum {
	L1_PS = 1000,
	L2_PS = 4000,
	L3_PS = 15000,
	STREAM_PS = 8000,
	LOCAL_PS = 80000,
	REMOTE_PS = 150000,
	/* A transfer less the atomic of 5 ns that it includes, and the load of 1 ns instead */
	CLUSTER_PS = 16000,
	SOCKET_PS = 96000,
	OTHER_SOCKET_PS = 196000,
};

struct bench {
	struct rig rig;
	struct memory *memory;
};

/* CPUs 0-1, 2-3 are the clusters of node 0, 4-5, 6-7 those of node 1; siblings 8 further. */
static struct machine_config small_caches(void)
{
	struct machine_config config = rig_machine(2);

	config.cache = (struct machine_cache){ .l1_bytes = L1_LINES * LINE_BYTES,
					       .l2_bytes = L2_LINES * LINE_BYTES,
					       .l3_bytes = L3_LINES * LINE_BYTES,
					       .l2_hit_ns = 4,
					       .l3_hit_ns = 15 };
	config.memory = (struct machine_memory){ .local_ns = 80, .remote_ns = 150, .stream_ns = 8 };
	return config;
}

static void bench_create(struct bench *bench, const struct machine_config *config)
{
	rig_create(&bench->rig, config, 1);
	bench->memory = memory_create(bench->rig.arena, bench->rig.machine);
}

static sim_ps touch(struct bench *bench, int cpu, struct memory_stamp *stamp, int node, uint64_t address)
{
	return memory_touch(bench->memory, &bench->rig.cpus[cpu], stamp, node, address);
}

/* The place that the last touch counted, from counts before it. */
static enum memory_place place_since(const struct bench *bench, const uint64_t *before)
{
	const uint64_t *counts = memory_counts(bench->memory);
	int place = 0;

	while (place < NR_MEMORY_PLACES && counts[place] == before[place])
		place++;
	return (enum memory_place)place;
}

struct distance_case {
	const char *what;
	int owner; /* touches the line first, -1 for nobody */
	uint32_t passed; /* lines that the owner touches then */
	int cpu, node;
	sim_ps price_ps;
	enum memory_place place;
};

/* clang-format off */
static const struct distance_case distances[] = {
	{ "untouched, near", -1, 0, 0, 0, LOCAL_PS, MEMORY_DRAM_LOCAL },
	{ "untouched, far", -1, 0, 0, 1, REMOTE_PS, MEMORY_DRAM_REMOTE },
	{ "untouched, far, the other way", -1, 0, 6, 0, REMOTE_PS, MEMORY_DRAM_REMOTE },
	{ "own L1, last line of it", 0, L1_LINES - 1, 0, 0, L1_PS, MEMORY_CORE },
	{ "own L2, first line of it", 0, L1_LINES, 0, 0, L2_PS, MEMORY_CORE },
	{ "own L2, last line of it", 0, L2_LINES - 1, 0, 0, L2_PS, MEMORY_CORE },
	{ "own L3, first line of it", 0, L2_LINES, 0, 0, L3_PS, MEMORY_CLUSTER },
	{ "own L3, last line of it", 0, L2_LINES + L3_LINES - 1, 0, 0, L3_PS, MEMORY_CLUSTER },
	{ "pushed out of the L3, near", 0, L2_LINES + L3_LINES, 0, 0, LOCAL_PS, MEMORY_DRAM_LOCAL },
	{ "pushed out of the L3, far", 0, L2_LINES + L3_LINES, 0, 1, REMOTE_PS, MEMORY_DRAM_REMOTE },
	{ "the sibling's is the own", 8, 0, 0, 0, L1_PS, MEMORY_CORE },
	{ "another core's L1", 1, 0, 0, 0, CLUSTER_PS, MEMORY_CLUSTER },
	{ "another core's L2", 1, L2_LINES - 1, 0, 0, CLUSTER_PS, MEMORY_CLUSTER },
	{ "the shared L3, from another core's L2", 1, L2_LINES, 0, 0, L3_PS, MEMORY_CLUSTER },
	{ "another cluster, home here", 2, 0, 0, 0, SOCKET_PS, MEMORY_SOCKET },
	{ "another cluster, in its L3", 2, L2_LINES + L3_LINES - 1, 0, 0, SOCKET_PS, MEMORY_SOCKET },
	{ "another cluster, pushed out", 2, L2_LINES + L3_LINES, 0, 0, LOCAL_PS, MEMORY_DRAM_LOCAL },
	{ "another cluster, home in the other socket", 2, 0, 0, 1, OTHER_SOCKET_PS, MEMORY_SOCKET },
	{ "another socket, home here", 4, 0, 0, 0, OTHER_SOCKET_PS, MEMORY_REMOTE },
	{ "another socket, home there", 4, 0, 0, 1, OTHER_SOCKET_PS, MEMORY_REMOTE },
	{ "another socket, pushed out there", 4, L2_LINES + L3_LINES, 0, 1, REMOTE_PS, MEMORY_DRAM_REMOTE },
	{ "of which four billion lines came since, pushed out", 0, UINT32_MAX, 0, 0, LOCAL_PS, MEMORY_DRAM_LOCAL },
};
/* clang-format on */

static void a_line_costs_by_where_it_was_touched_last_and_how_long_ago(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(distances); i++) {
		const struct distance_case *row = &distances[i];
		const struct machine_config config = small_caches();
		uint64_t before[NR_MEMORY_PLACES];
		struct memory_stamp stamp = { 0 };
		struct bench bench;
		sim_ps price_ps;

		bench_create(&bench, &config);
		if (row->owner >= 0) {
			touch(&bench, row->owner, &stamp, row->node, MEMORY_ALONE);
			memory_pass(bench.memory, &bench.rig.cpus[row->owner], row->passed);
		}
		memcpy(before, memory_counts(bench.memory), sizeof(before));
		price_ps = touch(&bench, row->cpu, &stamp, row->node, MEMORY_ALONE);
		if (price_ps != row->price_ps || place_since(&bench, before) != row->place)
			print_error("%s\n", row->what);
		assert_int_equal(price_ps, row->price_ps);
		assert_int_equal(place_since(&bench, before), row->place);
		rig_destroy(&bench.rig);
	}
}

static void a_line_that_was_fetched_is_held(void **state)
{
	const struct machine_config config = small_caches();
	struct memory_stamp stamp = { 0 };
	struct bench bench;

	(void)state;
	bench_create(&bench, &config);
	touch(&bench, 4, &stamp, 0, MEMORY_ALONE);
	assert_int_equal(touch(&bench, 0, &stamp, 0, MEMORY_ALONE), OTHER_SOCKET_PS);
	assert_int_equal(touch(&bench, 0, &stamp, 0, MEMORY_ALONE), L1_PS);
	assert_int_equal(touch(&bench, 4, &stamp, 0, MEMORY_ALONE), OTHER_SOCKET_PS);
	rig_destroy(&bench.rig);
}

static void lines_that_hit_the_first_level_push_nothing_out(void **state)
{
	const struct machine_config config = small_caches();
	struct memory_stamp old = { 0 }, hot = { 0 };
	struct bench bench;

	(void)state;
	bench_create(&bench, &config);
	touch(&bench, 0, &old, 0, MEMORY_ALONE);
	for (int i = 0; i < 1000; i++)
		touch(&bench, 0, &hot, 0, MEMORY_ALONE);
	assert_int_equal(touch(&bench, 0, &old, 0, MEMORY_ALONE), L1_PS);
	rig_destroy(&bench.rig);
}

/* A working set one line larger than what a cache holds misses on every line, one that just fits on none. */
static void a_working_set_fits_or_does_not(void **state)
{
	static const struct {
		int nr_lines;
		sim_ps price_ps;
	} sets[] = { { L1_LINES, L1_PS },     { L1_LINES + 1, L2_PS },	      { L2_LINES, L2_PS },
		     { L2_LINES + 1, L3_PS }, { L2_LINES + L3_LINES, L3_PS }, { L2_LINES + L3_LINES + 1, LOCAL_PS } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		const struct machine_config config = small_caches();
		struct memory_stamp stamps[L2_LINES + L3_LINES + 1] = { 0 };
		struct bench bench;

		bench_create(&bench, &config);
		for (int round = 0; round < 3; round++)
			for (int line = 0; line < sets[i].nr_lines; line++) {
				const sim_ps price_ps = touch(&bench, 0, &stamps[line], 0, MEMORY_ALONE);

				assert_int_equal(price_ps, round ? sets[i].price_ps : LOCAL_PS);
			}
		rig_destroy(&bench.rig);
	}
}

static void cores_that_touch_anything_share_the_last_level(void **state)
{
	static const struct {
		int other; /* core that touches something, -1 for none */
		uint32_t passed;
		sim_ps price_ps;
	} shares[] = { { -1, L2_LINES + L3_LINES - 1, L3_PS },
		       { 1, L2_LINES + L3_LINES / 2 - 1, L3_PS },
		       { 1, L2_LINES + L3_LINES / 2, LOCAL_PS },
		       { 2, L2_LINES + L3_LINES - 1, L3_PS } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		const struct machine_config config = small_caches();
		struct memory_stamp stamp = { 0 };
		struct bench bench;

		bench_create(&bench, &config);
		touch(&bench, 0, &stamp, 0, MEMORY_ALONE);
		if (shares[i].other >= 0)
			memory_pass(bench.memory, &bench.rig.cpus[shares[i].other], 1);
		memory_pass(bench.memory, &bench.rig.cpus[0], shares[i].passed);
		assert_int_equal(touch(&bench, 0, &stamp, 0, MEMORY_ALONE), shares[i].price_ps);
		rig_destroy(&bench.rig);
	}
}

/* Lines that one CPU touches, one after another. */
struct run_case {
	const char *what;
	uint64_t addresses[8];
	int nr;
	sim_ps price_ps; /* of the last */
};

/* clang-format off */
static const struct run_case runs[] = {
	{ "pairs: the first line of the next one", { 70, 71, 72 }, 3, STREAM_PS },
	{ "two accesses fetch two lines ahead", { 70, 71, 73 }, 3, STREAM_PS },
	{ "... not three", { 70, 71, 74 }, 3, LOCAL_PS },
	{ "three accesses fetch four", { 70, 71, 72, 75 }, 4, STREAM_PS },
	{ "downwards too", { 77, 76, 74 }, 3, STREAM_PS },
	{ "... two lines", { 77, 76, 73 }, 3, LOCAL_PS },
	{ "in leaps that the window spans", { 64, 80, 81 }, 3, STREAM_PS },
	{ "not beyond the page of lines", { 124, 125, 126, 127, 128 }, 5, LOCAL_PS },
	{ "not before it", { 67, 66, 65, 64, 63 }, 5, LOCAL_PS },
};
/* clang-format on */

static void each_access_of_a_stream_fetches_two_more_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		const struct machine_config config = small_caches();
		struct bench bench;
		sim_ps price_ps = 0;

		bench_create(&bench, &config);
		for (int k = 0; k < runs[i].nr; k++) {
			struct memory_stamp stamp = { 0 };

			price_ps = touch(&bench, 0, &stamp, 0, runs[i].addresses[k]);
		}
		if (price_ps != runs[i].price_ps)
			print_error("%s\n", runs[i].what);
		assert_int_equal(price_ps, runs[i].price_ps);
		rig_destroy(&bench.rig);
	}
}

/* 63 accesses of two lines each reach 20 lines ahead and stay there: a line 21 ahead was not fetched. */
static void a_stream_runs_twenty_lines_ahead(void **state)
{
	static const struct {
		uint64_t ahead;
		sim_ps price_ps;
	} leaps[] = { { 20, STREAM_PS }, { 21, LOCAL_PS } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(leaps); i++) {
		const struct machine_config config = small_caches();
		struct memory_stamp stamps[64] = { 0 };
		struct bench bench;
		const uint64_t last = 128 + 30;

		bench_create(&bench, &config);
		for (uint64_t address = 128; address <= last; address++)
			touch(&bench, 0, &stamps[address - 128], 0, address);
		assert_int_equal(touch(&bench, 0, &stamps[63], 0, last + leaps[i].ahead), leaps[i].price_ps);
		rig_destroy(&bench.rig);
	}
}

/* Another CPU takes a line that this one has touched: its prefetchers do not have it any more. */
static void a_line_that_was_touched_is_not_prefetched_again(void **state)
{
	const struct machine_config config = small_caches();
	struct memory_stamp stamp = { 0 };
	struct bench bench;

	(void)state;
	bench_create(&bench, &config);
	touch(&bench, 0, &stamp, 0, 70);
	touch(&bench, 4, &stamp, 0, 70);
	assert_int_equal(touch(&bench, 0, &stamp, 0, 70), OTHER_SOCKET_PS);
	rig_destroy(&bench.rig);
}

static void what_nothing_waits_for_costs_no_more_than_a_line_of_a_stream(void **state)
{
	static const struct {
		uint32_t passed;
		sim_ps price_ps;
	} accesses[] = { { 0, 2000 }, /* store_hit_ns */
			 { L1_LINES, L2_PS },
			 { L2_LINES, STREAM_PS },
			 { L2_LINES + L3_LINES, STREAM_PS } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(accesses); i++) {
		const struct machine_config config = small_caches();
		struct memory_stamp stamp = { 0 };
		struct bench bench;

		bench_create(&bench, &config);
		touch(&bench, 0, &stamp, 0, MEMORY_ALONE);
		memory_pass(bench.memory, &bench.rig.cpus[0], accesses[i].passed);
		assert_int_equal(memory_overlap(bench.memory, &bench.rig.cpus[0], &stamp, 0, MEMORY_ALONE),
				 accesses[i].price_ps);
		rig_destroy(&bench.rig);
	}
}

/* A list: the next entry is written while this one is unlinked, and then read. */
static void a_line_still_on_its_way_is_waited_for(void **state)
{
	const struct machine_config config = small_caches();
	struct memory_stamp next = { 0 }, other = { 0 };
	struct bench bench;
	const struct cpu *cpu;

	(void)state;
	bench_create(&bench, &config);
	cpu = &bench.rig.cpus[0];
	assert_int_equal(memory_overlap(bench.memory, cpu, &next, 0, MEMORY_ALONE), STREAM_PS);
	assert_int_equal(touch(&bench, 0, &next, 0, MEMORY_ALONE), LOCAL_PS - STREAM_PS + L1_PS);
	assert_int_equal(touch(&bench, 0, &next, 0, MEMORY_ALONE), L1_PS);
	assert_int_equal(memory_overlap(bench.memory, cpu, &other, 0, MEMORY_ALONE), STREAM_PS);
	next = (struct memory_stamp){ 0 };
	assert_int_equal(memory_overlap(bench.memory, cpu, &next, 0, MEMORY_ALONE), STREAM_PS);
	assert_int_equal(touch(&bench, 0, &other, 0, MEMORY_ALONE), L1_PS);
	rig_destroy(&bench.rig);
}

struct stream_case {
	const char *what;
	uint64_t first; /* touched first */
	int first_node, first_cpu;
	uint32_t passed; /* by CPU 0 then */
	uint64_t second; /* touched by CPU 0, home node 0 */
	sim_ps price_ps;
};

/* clang-format off */
static const struct stream_case streams[] = {
	{ "the next line", 70, 0, 0, 0, 71, STREAM_PS },
	{ "the line before", 71, 0, 0, 0, 70, STREAM_PS },
	{ "two further", 70, 0, 0, 0, 72, LOCAL_PS },
	{ "alone", 70, 0, 0, 0, MEMORY_ALONE, LOCAL_PS },
	{ "after one that is alone", MEMORY_ALONE, 0, 0, 0, 0, LOCAL_PS },
	{ "the same number on another node", 70, 1, 0, 0, 71, LOCAL_PS },
	{ "by the sibling", 70, 0, 8, 0, 71, STREAM_PS },
	{ "by another core", 70, 0, 1, 0, 71, LOCAL_PS },
	{ "the last two lines of a page of lines", 126, 0, 0, 0, 127, STREAM_PS },
	{ "over the end of a page of lines", 127, 0, 0, 0, 128, LOCAL_PS },
	{ "far up", UINT64_C(1) << 40, 0, 0, 0, (UINT64_C(1) << 40) + 1, STREAM_PS },
	{ "32 pages of lines later", 70, 0, 0, 0, 71 + 32 * 64, LOCAL_PS },
	{ "just before it is forgotten", 70, 0, 0, 32 * 64 - 1, 71, STREAM_PS },
	{ "forgotten", 70, 0, 0, 32 * 64, 71, LOCAL_PS },
};
/* clang-format on */

static void the_neighbour_of_a_line_has_been_prefetched(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
		const struct stream_case *row = &streams[i];
		const struct machine_config config = small_caches();
		struct memory_stamp first = { 0 }, second = { 0 };
		struct bench bench;
		sim_ps price_ps;

		bench_create(&bench, &config);
		touch(&bench, row->first_cpu, &first, row->first_node, row->first);
		memory_pass(bench.memory, &bench.rig.cpus[0], row->passed);
		price_ps = touch(&bench, 0, &second, 0, row->second);
		if (price_ps != row->price_ps)
			print_error("%s\n", row->what);
		assert_int_equal(price_ps, row->price_ps);
		rig_destroy(&bench.rig);
	}
}

static void a_run_of_lines_misses_once_per_page_of_lines(void **state)
{
	const struct machine_config config = small_caches();
	struct bench bench;

	(void)state;
	bench_create(&bench, &config);
	for (uint64_t address = 0; address < 1024; address++) {
		struct memory_stamp stamp = { 0 };

		touch(&bench, 0, &stamp, 0, address);
	}
	assert_int_equal(memory_counts(bench.memory)[MEMORY_DRAM_LOCAL], 1024 / 64);
	assert_int_equal(memory_counts(bench.memory)[MEMORY_PREFETCHED], 1024 - 1024 / 64);
	rig_destroy(&bench.rig);
}

/* What is nearer than a prefetched line stays where it is. */
static void prefetching_makes_nothing_dearer(void **state)
{
	struct machine_config config = small_caches();
	struct memory_stamp first = { 0 }, second = { 0 };
	struct bench bench;

	(void)state;
	config.memory.stream_ns = 30;
	bench_create(&bench, &config);
	touch(&bench, 1, &first, 0, 70);
	touch(&bench, 1, &second, 0, 71);
	touch(&bench, 0, &first, 0, 70);
	assert_int_equal(touch(&bench, 0, &second, 0, 71), CLUSTER_PS);
	rig_destroy(&bench.rig);
}

static void without_routing_through_the_home_only_the_holder_counts(void **state)
{
	struct machine_config config = small_caches();
	struct memory_stamp stamp = { 0 };
	struct bench bench;

	(void)state;
	config.line.home_routed = false;
	bench_create(&bench, &config);
	touch(&bench, 2, &stamp, 1, MEMORY_ALONE);
	assert_int_equal(touch(&bench, 0, &stamp, 1, MEMORY_ALONE), SOCKET_PS);
	rig_destroy(&bench.rig);
}

static void a_matrix_prices_caches_of_other_nodes(void **state)
{
	double matrix_ns[] = { 100, 300, 300, 100 };
	struct machine_config config = small_caches();
	struct memory_stamp stamp = { 0 };
	struct bench bench;

	(void)state;
	config.matrix_ns = matrix_ns;
	bench_create(&bench, &config);
	touch(&bench, 4, &stamp, 0, MEMORY_ALONE);
	assert_int_equal(touch(&bench, 0, &stamp, 0, MEMORY_ALONE), NS(300 - 5 + 1));
	rig_destroy(&bench.rig);
}

static void a_node_of_the_same_socket_is_local_memory(void **state)
{
	struct machine_config config = small_caches();
	struct memory_stamp stamp = { 0 };
	struct bench bench;

	(void)state;
	config.topology.nodes_per_socket = 2;
	config.topology.clusters_per_node = 1;
	bench_create(&bench, &config);
	assert_int_equal(touch(&bench, 0, &stamp, 1, MEMORY_ALONE), LOCAL_PS);
	stamp = (struct memory_stamp){ 0 };
	assert_int_equal(touch(&bench, 0, &stamp, 2, MEMORY_ALONE), REMOTE_PS);
	rig_destroy(&bench.rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_costs_by_where_it_was_touched_last_and_how_long_ago),
		cmocka_unit_test(a_line_that_was_fetched_is_held),
		cmocka_unit_test(lines_that_hit_the_first_level_push_nothing_out),
		cmocka_unit_test(a_working_set_fits_or_does_not),
		cmocka_unit_test(cores_that_touch_anything_share_the_last_level),
		cmocka_unit_test(the_neighbour_of_a_line_has_been_prefetched),
		cmocka_unit_test(a_run_of_lines_misses_once_per_page_of_lines),
		cmocka_unit_test(each_access_of_a_stream_fetches_two_more_lines),
		cmocka_unit_test(a_stream_runs_twenty_lines_ahead),
		cmocka_unit_test(a_line_that_was_touched_is_not_prefetched_again),
		cmocka_unit_test(what_nothing_waits_for_costs_no_more_than_a_line_of_a_stream),
		cmocka_unit_test(a_line_still_on_its_way_is_waited_for),
		cmocka_unit_test(prefetching_makes_nothing_dearer),
		cmocka_unit_test(without_routing_through_the_home_only_the_holder_counts),
		cmocka_unit_test(a_matrix_prices_caches_of_other_nodes),
		cmocka_unit_test(a_node_of_the_same_socket_is_local_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
