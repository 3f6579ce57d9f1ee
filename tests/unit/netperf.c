/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The netperf workload: what a message costs in either protocol, which blocks it takes, who frees them, who waits. */
#include "models/registry.h"
#include "models/workloads/workload.h"
#include "tests/support/numbers.h"
#include "tests/support/rig.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

/* Two sockets of four cores. */
static struct run_config setup(struct arena *arena, const char *params, int nr_pairs)
{
	struct machine_config machine = rig_machine(1);
	struct run_config config;

	machine.memory.per_node = UINT64_C(4) << 30;
	config = run_setup(arena, &machine, "netperf", params, nr_pairs);
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

/*
 * With a reader that never runs dry, so that segments are full, a sender takes what was measured: 1745 ns at 64 bytes and
 * 0.165 ns more per byte.
 */
static void a_tcp_message_costs_its_send_its_copy_and_its_share_of_a_segment(void **state)
{
	static const struct {
		const char *params;
		double ns;
	} cases[] = {
		{ "bytes 64 tcp_receive_ns 3000000", 1760 },
		{ "bytes 1024 tcp_receive_ns 200000", 1918 },
		{ "bytes 8192 tcp_window_bytes 1000000000", 3101 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double metrics[NR_METRICS];

		run(cases[i].params, 1, metrics);
		assert_about(1e9 / metrics[METRIC_THROUGHPUT], cases[i].ns, 5);
	}
}

/* Each message is read before the next one is sent, so its block is used again. */
static void a_block_that_nobody_uses_any_more_is_used_again(void **state)
{
	double metrics[NR_METRICS];

	(void)state;
	run("bytes 16384 user_ns 20000 read_bytes_per_ns 100", 1, metrics);
	assert_true(metrics[METRIC_PAGES_ALLOCATED] / metrics[METRIC_THROUGHPUT] < 0.01);
}

/* A full segment is two blocks of 32 KiB but for what is shared. */
static void tcp_takes_a_block_per_32_kib_whatever_the_message(void **state)
{
	static const struct {
		const char *params;
		double bytes;
	} cases[] = { { "bytes 256", 256 }, { "bytes 4096", 4096 }, { "bytes 32768", 32768 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double metrics[NR_METRICS];

		run(cases[i].params, 1, metrics);
		assert_about(metrics[METRIC_PAGES_ALLOCATED], metrics[METRIC_THROUGHPUT] * cases[i].bytes / 32768, 6);
	}
}

/* A fast reader finds the socket taken, but for the time between two messages; a slow one finds a sender that sleeps. */
static void tcp_blocks_are_freed_by_the_sender_while_it_has_its_socket(void **state)
{
	double metrics[NR_METRICS];

	(void)state;
	run("bytes 16384 user_ns 0 read_bytes_per_ns 100", 1, metrics);
	assert_true(metrics[METRIC_FREED_ELSEWHERE_PCT] < 2);
	run("bytes 65000 user_ns 20000 read_bytes_per_ns 100", 1, metrics);
	assert_true(metrics[METRIC_FREED_ELSEWHERE_PCT] > 50);
	run("bytes 16384 user_ns 0 tcp_window_bytes 1000000 read_bytes_per_ns 0.5", 1, metrics);
	assert_true(metrics[METRIC_FREED_ELSEWHERE_PCT] > 50);
	assert_true(metrics[METRIC_REFILLS] > 0);
}

/* A reader at a tenth of the sender's pace: the window fills, then the sender sleeps. */
static void a_full_window_stops_a_tcp_sender(void **state)
{
	double metrics[NR_METRICS];

	(void)state;
	run("bytes 16384 tcp_window_bytes 262144 tcp_receive_ns 100000", 1, metrics);
	assert_about(metrics[METRIC_BANDWIDTH], 8 * 65483 / (100000 + 65483 / 2.3), 6);
}

/* Both ends take 5.6 us; chunk and packet are pages of order 2, the chunk freed by the sender, the packet by the reader. */
static void an_sctp_message_takes_two_blocks_of_which_the_reader_frees_one(void **state)
{
	double metrics[NR_METRICS];

	(void)state;
	run("test SCTP_STREAM_MANY bytes 10240", 1, metrics);
	assert_true(metrics[METRIC_THROUGHPUT] < 1e9 / 5552 * 1.02);
	assert_about(metrics[METRIC_THROUGHPUT], 1e9 / 5614, 15);
	assert_about(metrics[METRIC_PAGES_ALLOCATED] / metrics[METRIC_THROUGHPUT], 2, 2);
	assert_about(metrics[METRIC_FREED_ELSEWHERE_PCT], 50, 10);
	assert_true(metrics[METRIC_REFILLS] > 0);
}

/* Bytes in flight never exceed the reader's window, so its pace is that of both; also where one message nearly fills it. */
static void an_sctp_sender_waits_for_a_slow_reader(void **state)
{
	static const struct {
		const char *params;
		double bytes;
	} cases[] = {
		{ "test SCTP_STREAM_MANY bytes 10240 sctp_receive_ns 50000", 10240 },
		{ "test SCTP_STREAM_MANY bytes 65000 sctp_receive_ns 50000", 65000 },
		{ "test SCTP_STREAM_MANY bytes 64 sctp_receive_ns 50000", 64 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double metrics[NR_METRICS];

		run(cases[i].params, 1, metrics);
		assert_about(metrics[METRIC_BANDWIDTH], 8 * cases[i].bytes / (50100 + cases[i].bytes / 2.3), 12);
	}
}

static void many_pairs_share_the_cpus(void **state)
{
	static const char *const tests[] = { "test TCP_STREAM bytes 1024", "test SCTP_STREAM_MANY bytes 10240" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		double metrics[NR_METRICS];

		run(tests[i], 12, metrics); /* 24 tasks on 8 CPUs */
		assert_true(metrics[METRIC_IDLE_PCT] < 15);
		assert_true(metrics[METRIC_BANDWIDTH] > 0);
	}
}

static void a_message_of_sctp_is_one_packet_and_one_of_tcp_as_long_as_you_like(void **state)
{
	static const struct {
		const char *params;
		int result;
	} cases[] = {
		{ "test TCP_STREAM bytes 10485760", 0 },
		{ "test SCTP_STREAM_MANY bytes 65000", 0 },
		{ "test SCTP_STREAM_MANY bytes 65001", -1 },
	};
	const struct workload *netperf = registry_workload("netperf");
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const void *params = param_setup(arena, netperf->params, netperf->params_size, cases[i].params);
		struct error err = { 0 };

		assert_int_equal(netperf->check(params, &err), cases[i].result);
		assert_string_equal(err.text,
				    cases[i].result ? "a message of SCTP has at most 65000 bytes, not 65001" : "");
	}
	arena_destroy(arena);
}

static void both_engines_and_a_second_run_say_the_same(void **state)
{
	static const char *const tests[] = { "test TCP_STREAM bytes 4096", "test SCTP_STREAM_MANY bytes 10240" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		struct arena *arena = arena_create();
		struct run_config config = setup(arena, tests[i], 2);

		config.length.duration_ps = PS_PER_MS;
		run_assert_repeatable(&config);
		arena_destroy(arena);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tcp_message_costs_its_send_its_copy_and_its_share_of_a_segment),
		cmocka_unit_test(a_block_that_nobody_uses_any_more_is_used_again),
		cmocka_unit_test(tcp_takes_a_block_per_32_kib_whatever_the_message),
		cmocka_unit_test(tcp_blocks_are_freed_by_the_sender_while_it_has_its_socket),
		cmocka_unit_test(a_full_window_stops_a_tcp_sender),
		cmocka_unit_test(an_sctp_message_takes_two_blocks_of_which_the_reader_frees_one),
		cmocka_unit_test(an_sctp_sender_waits_for_a_slow_reader),
		cmocka_unit_test(many_pairs_share_the_cpus),
		cmocka_unit_test(a_message_of_sctp_is_one_packet_and_one_of_tcp_as_long_as_you_like),
		cmocka_unit_test(both_engines_and_a_second_run_say_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
