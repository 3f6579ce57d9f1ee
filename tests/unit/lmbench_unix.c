/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lmbench-unix workload: what a pair moves, what that asks of the page allocator, and who waits for whom. */
#include "tests/support/numbers.h"
#include "tests/support/rig.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

/* Two sockets of four cores with one L3: a reader that is drawn near its writer finds an idle CPU there. */
static struct run_config setup(struct arena *arena, const char *params, int nr_pairs)
{
	struct machine_config machine = rig_machine(1);
	struct run_config config;

	machine.topology.clusters_per_node = 1;
	machine.topology.cores_per_cluster = 4;
	machine.memory.per_node = UINT64_C(4) << 30;
	config = run_setup(arena, &machine, "lmbench-unix", params, nr_pairs);
	config.length.warmup_ps = PS_PER_MS;
	config.length.duration_ps = 10 * PS_PER_MS;
	return config;
}

static void run(const char *params, int nr_pairs, double metrics[NR_METRICS])
{
	struct arena *arena = arena_create();
	struct run_config config = setup(arena, params, nr_pairs);

	run_measure(&config, metrics);
	arena_destroy(arena);
}

/* A read of 64 KiB takes its two buffers' 2 us each and the copy; the writer is faster, so it waits. */
static void a_pair_is_as_fast_as_its_slower_end(void **state)
{
	double metrics[NR_METRICS];

	(void)state;
	run("user_ns 0 write_ns 500 read_ns 2000 write_bytes_per_ns 4 read_bytes_per_ns 2", 1, metrics);
	assert_about(metrics[METRIC_THROUGHPUT], 1e9 / (2 * 2000 + 65536 / 2.0), 5);
	assert_about(metrics[METRIC_BANDWIDTH], 8 * 65536 * metrics[METRIC_THROUGHPUT] / 1e9, 1);
	run("user_ns 0 write_ns 2000 read_ns 500 write_bytes_per_ns 2 read_bytes_per_ns 4", 1, metrics);
	assert_about(metrics[METRIC_THROUGHPUT], 1e9 / (2 * 2000 + 65536 / 2.0), 5);
}

/* A block of order 3, and one each of orders 2, 1 and 0; heads come from caches, which now and then take one. */
static void a_write_of_64_kib_takes_four_blocks_that_the_reader_frees(void **state)
{
	double metrics[NR_METRICS];

	(void)state;
	run("", 1, metrics);
	assert_about(metrics[METRIC_PAGES_ALLOCATED] / metrics[METRIC_THROUGHPUT], 4, 2);
	assert_about(metrics[METRIC_FREED_ELSEWHERE_PCT], 100, 1);
	assert_true(metrics[METRIC_REFILLS] > 0);
	assert_true(metrics[METRIC_FLUSHES] + metrics[METRIC_FLUSHES_HIGH] > 0);
}

static void small_messages_come_from_caches(void **state)
{
	double metrics[NR_METRICS];

	(void)state;
	run("message_bytes 64", 1, metrics);
	assert_true(metrics[METRIC_PAGES_ALLOCATED] / metrics[METRIC_THROUGHPUT] < 0.05);
	assert_true(metrics[METRIC_THROUGHPUT] > 1e5);
}

/* After each message the writer waits for the reader's word: neither works while the other does. */
static void the_writer_waits_for_the_readers_word(void **state)
{
	double metrics[NR_METRICS];

	(void)state;
	run("total_bytes 65536 user_ns 0 write_ns 1000 read_ns 1000 write_bytes_per_ns 2 read_bytes_per_ns 2", 1,
	    metrics);
	/* the reader copies the first buffer while the writer fills the second */
	assert_between(metrics[METRIC_THROUGHPUT] * (2 * 1000 + 65536 / 2.0) / 1e9, 0.4, 0.8);
}

static void pairs_are_independent_while_there_are_cpus(void **state)
{
	double one[NR_METRICS], three[NR_METRICS];

	(void)state;
	run("", 1, one);
	run("", 3, three);
	assert_about(three[METRIC_THROUGHPUT], 3 * one[METRIC_THROUGHPUT], 10);
	run("", 12, three); /* 24 tasks on 8 CPUs */
	assert_about(three[METRIC_THROUGHPUT], 4 * one[METRIC_THROUGHPUT], 30);
	assert_true(three[METRIC_IDLE_PCT] < 10);
}

static void both_engines_and_a_second_run_say_the_same(void **state)
{
	struct arena *arena = arena_create();
	struct run_config config = setup(arena, "", 2);

	(void)state;
	config.length.duration_ps = PS_PER_MS;
	run_assert_repeatable(&config);
	arena_destroy(arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_is_as_fast_as_its_slower_end),
		cmocka_unit_test(a_write_of_64_kib_takes_four_blocks_that_the_reader_frees),
		cmocka_unit_test(small_messages_come_from_caches),
		cmocka_unit_test(the_writer_waits_for_the_readers_word),
		cmocka_unit_test(pairs_are_independent_while_there_are_cpus),
		cmocka_unit_test(both_engines_and_a_second_run_say_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
