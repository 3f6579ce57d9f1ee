/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The iperf3 workload: what it asks for per write, who frees, that windows and
 * the wire are respected. Every run also checks that no page was lost.
 */
#include "models/registry.h"
#include "models/run.h"
#include "models/workloads/workload.h"
#include "tests/support/numbers.h"
#include "tests/support/rig.h"
#include "tests/support/run_setup.h"
#include "tests/support/unit.h"

#define WRITE_BYTES 131072

/* Two CPUs of one L3, or the eight of the rig. */
struct stream {
	const char *params;
	int pairs;
	bool two_cpus;
};

static struct run_config setup(struct arena *arena, const struct stream *stream)
{
	struct machine_config machine = rig_machine(1);
	struct run_config config;

	machine.memory.per_node = UINT64_C(4) << 30;
	if (stream->two_cpus) {
		machine.topology.sockets = 1;
		machine.topology.clusters_per_node = 1;
	}
	config = run_setup(arena, &machine, "iperf3", stream->params, stream->pairs);
	config.length.warmup_ps = 20 * PS_PER_MS;
	config.length.duration_ps = 50 * PS_PER_MS;
	return config;
}

static void measure(const struct stream *stream, double metrics[NR_METRICS])
{
	struct arena *arena = arena_create();
	struct run_config config = setup(arena, stream);

	run_measure(&config, metrics);
	arena_destroy(arena);
}

static void a_write_takes_four_blocks_of_order_3(void **state)
{
	static const struct stream stream = { .params = "", .pairs = 1, .two_cpus = true };
	double metrics[NR_METRICS];

	(void)state;
	measure(&stream, metrics);
	assert_between(metrics[METRIC_PAGES_ALLOCATED] / metrics[METRIC_THROUGHPUT], 3.95, 4.3);
	assert_between(metrics[METRIC_BANDWIDTH], 0.97e-9 * 8 * WRITE_BYTES * metrics[METRIC_THROUGHPUT],
		       1.03e-9 * 8 * WRITE_BYTES * metrics[METRIC_THROUGHPUT]);
}

struct freeing {
	const char *params;
	double low_pct, high_pct;
};

static void where_blocks_are_freed_depends_on_who_has_the_socket(void **state)
{
	static const struct freeing cases[] = {
		{ "", 5, 25 }, /* 12 % in the recorded run */
		{ "user_ns 0", 0, 1 }, /* the sender always has it */
		{ "receive_ns 40000", 60, 100 }, /* the sender waits for its window */
		{ "ends clients acks client", 0, 0 },
		{ "ends clients line_rate_gbits 10", 80, 100 }, /* the sender waits for the wire */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct stream stream = { .params = cases[i].params, .pairs = 1, .two_cpus = true };
		double metrics[NR_METRICS];

		measure(&stream, metrics);
		assert_between(metrics[METRIC_FREED_ELSEWHERE_PCT], cases[i].low_pct, cases[i].high_pct);
	}
}

static void all_streams_share_the_wire(void **state)
{
	static const struct stream streams[] = {
		{ .params = "ends clients line_rate_gbits 20", .pairs = 1 },
		{ .params = "ends clients line_rate_gbits 20", .pairs = 4 },
		{ .params = "ends clients line_rate_gbits 20 acks client", .pairs = 4 },
		{ .params = "ends clients line_rate_gbits 20 queues 1", .pairs = 4 },
		{ .params = "ends servers line_rate_gbits 20", .pairs = 1 },
		{ .params = "ends servers line_rate_gbits 20", .pairs = 4 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(streams); i++) {
		double metrics[NR_METRICS];

		measure(&streams[i], metrics);
		assert_between(metrics[METRIC_BANDWIDTH], 19.9, 20.1);
	}
}

/* A window of 4 MiB is 1449 pages. */
static void servers_ask_for_pages_only_while_their_pools_ring_is_too_small(void **state)
{
	static const struct stream streams[] = {
		{ .params = "ends servers queues 1 ring_pages 2048", .pairs = 1 },
		{ .params = "ends servers queues 1 ring_pages 16", .pairs = 1 },
	};
	double enough[NR_METRICS], few[NR_METRICS];

	(void)state;
	measure(&streams[0], enough);
	measure(&streams[1], few);
	assert_true(enough[METRIC_REFILLS] == 0 && few[METRIC_REFILLS] > 0);
	assert_true(enough[METRIC_PAGES_ALLOCATED] < 0.02 * few[METRIC_PAGES_ALLOCATED]);
	assert_true(few[METRIC_FLUSHES_HIGH] == 0);
}

static void pairs_that_have_cpus_of_their_own_add_up(void **state)
{
	static const struct stream streams[] = { { .params = "", .pairs = 1 }, { .params = "", .pairs = 4 } };
	double one[NR_METRICS], four[NR_METRICS];

	(void)state;
	measure(&streams[0], one);
	measure(&streams[1], four);
	assert_between(four[METRIC_BANDWIDTH], 3.6 * one[METRIC_BANDWIDTH], 4.1 * one[METRIC_BANDWIDTH]);
}

/* ---- windows ---- */

/* iperf3 that also notes the most pages that were ever in buffers after an operation. */
struct watch_params {
	const void *real_params;
	uint64_t *most_pages;
};

struct watch {
	const struct workload *real;
	void *real_state;
	uint64_t *most_pages;
};

static int watch_nr_tasks(const void *params, int nr_threads)
{
	(void)params;
	return 2 * nr_threads;
}

static void *watch_create(const struct workload_site *site, const void *arg)
{
	const struct watch_params *params = arg;
	struct watch *watch = arena_alloc(site->arena, sizeof(*watch));

	watch->real = registry_workload("iperf3");
	watch->real_state = watch->real->create(site, params->real_params);
	watch->most_pages = params->most_pages;
	return watch;
}

static uint64_t watch_nr_held_pages(const void *state)
{
	const struct watch *watch = state;

	return watch->real->nr_held_pages(watch->real_state);
}

static uint64_t watch_operation(void *state, struct task *task)
{
	const struct watch *watch = state;
	const uint64_t operations = watch->real->operation(watch->real_state, task);
	const uint64_t pages = watch_nr_held_pages(watch);

	*watch->most_pages = pages > *watch->most_pages ? pages : *watch->most_pages;
	return operations;
}

static void watch_finish(void *state, struct task *task)
{
	const struct watch *watch = state;

	watch->real->finish(watch->real_state, task);
}

static const struct workload watching = {
	.name = "iperf3",
	.summary = "iperf3, watched",
	.scheduled = true,
	.allocates = true,
	.nr_tasks = watch_nr_tasks,
	.create = watch_create,
	.operation = watch_operation,
	.finish = watch_finish,
	.nr_held_pages = watch_nr_held_pages,
};

struct window {
	const char *params;
	int pairs;
	uint64_t window_bytes;
};

/* Beyond the window a pair has one segment that it lets through, one to be filled, and the rest of a fragment. */
static void what_is_in_flight_fills_the_window_and_no_more(void **state)
{
	static const struct window cases[] = {
		{ "receive_ns 60000 window_bytes 262144", 1, 262144 },
		{ "receive_ns 60000 window_bytes 1048576", 1, 1048576 },
		{ "receive_ns 60000 window_bytes 262144", 3, 262144 },
		{ "ends clients queues 2 line_rate_gbits 1 window_bytes 524288", 2, 524288 },
		{ "ends clients queues 2 line_rate_gbits 1 window_bytes 524288 acks client", 2, 524288 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct stream stream = { .params = cases[i].params, .pairs = cases[i].pairs };
		struct arena *arena = arena_create();
		struct run_config config = setup(arena, &stream);
		uint64_t most_pages = 0;
		const struct watch_params params = { config.workload_params, &most_pages };
		const uint64_t full = (uint64_t)cases[i].pairs * cases[i].window_bytes / 4096;
		double metrics[NR_METRICS];

		config.workload = &watching;
		config.workload_params = &params;
		run_measure(&config, metrics);
		assert_in_range(most_pages, full * 8 / 10, full + (uint64_t)cases[i].pairs * (2 * 24 + 8));
		arena_destroy(arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_write_takes_four_blocks_of_order_3),
		cmocka_unit_test(where_blocks_are_freed_depends_on_who_has_the_socket),
		cmocka_unit_test(all_streams_share_the_wire),
		cmocka_unit_test(servers_ask_for_pages_only_while_their_pools_ring_is_too_small),
		cmocka_unit_test(pairs_that_have_cpus_of_their_own_add_up),
		cmocka_unit_test(what_is_in_flight_fills_the_window_and_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
