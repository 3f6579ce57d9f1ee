/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recorded trace as work for tasks, and its way through the page allocator once, on traces small enough to follow by
 * hand. Events are a word and a number each: see lines_of().
 */
#include "models/workloads/replay.h"

#include "models/run.h"
#include "models/workloads/workload.h"
#include "tests/support/rig.h"
#include "tests/support/run_setup.h"
#include "tests/support/scratch.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#define TRACE_TEXT_BYTES 131072

struct event {
	int cpu;
	int time_us;
	char type; /* a: alloc, f: free, d: pcpu_drain, w: the same by a worker, l: alloc_zone_locked, v: vmstat_update */
	int pfn;
	int order;
	int migratetype;
};

static const char *lines_of(struct arena *arena, const struct event *events, size_t nr)
{
	char *text = arena_alloc(arena, TRACE_TEXT_BYTES);
	size_t used = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct event *event = &events[i];
		const char *name = event->type == 'a'			      ? "mm_page_alloc"
				   : event->type == 'f'			      ? "mm_page_free"
				   : event->type == 'd' || event->type == 'w' ? "mm_page_pcpu_drain"
									      : "mm_page_alloc_zone_locked";

		if (event->type == 'v') {
			used += (size_t)snprintf(text + used, TRACE_TEXT_BYTES - used,
						 "kworker/0:1 7 [%03d] 1.%06d: workqueue:workqueue_execute_start: work "
						 "struct 0x1: function vmstat_update\n",
						 event->cpu, event->time_us);
			continue;
		}
		used += (size_t)snprintf(text + used, TRACE_TEXT_BYTES - used,
					 "%s 7 [%03d] 1.%06d: kmem:%s: pfn=0x%x order=%d migratetype=%d\n",
					 event->type == 'w' ? "kworker/0:1-eve" : "cc", event->cpu, event->time_us,
					 name, event->pfn, event->order, event->migratetype);
	}
	return text;
}

/* nr_streams: 0 for one per CPU. */
static struct replay_script *load_folded(const struct scratch *scratch, const struct event *events, size_t nr,
					 int nr_streams)
{
	struct error err;

	return replay_script_load(scratch->arena,
				  scratch_write(scratch, "trace.txt", lines_of(scratch->arena, events, nr)), nr_streams,
				  &err);
}

static struct replay_script *load(const struct scratch *scratch, const struct event *events, size_t nr)
{
	return load_folded(scratch, events, nr, 0);
}

/* ---- scripts ---- */

static void a_free_is_of_the_block_that_its_page_was_allocated_as(void **state)
{
	static const struct event events[] = {
		{ 3, 10, 'a', 1, 0, 1 }, { 5, 20, 'a', 2, 3, 0 }, { 3, 30, 'f', 2, 3, 0 },
		{ 3, 40, 'a', 2, 0, 2 }, { 3, 50, 'f', 2, 0, 0 },
	};
	const struct replay_script *script = load(*state, events, ARRAY_SIZE(events));

	assert_non_null(script);
	assert_int_equal(script->nr_streams, 2);
	assert_int_equal(script->streams[0].cpu, 3);
	assert_int_equal(script->streams[1].cpu, 5);
	assert_int_equal(script->nr_blocks, 3);
	assert_int_equal(script->length_ns, 40000);
	assert_int_equal(script->streams[0].nr_steps, 4);
	assert_int_equal(script->streams[0].steps[1].block, 1);
	assert_int_equal(script->streams[0].steps[1].action, REPLAY_FREE);
	assert_int_equal(script->streams[0].steps[1].time_ns, 20000);
	assert_int_equal(script->streams[0].steps[3].block, 2);
	assert_true(script->blocks[1].elsewhere);
	assert_false(script->blocks[2].elsewhere);
	assert_int_equal(script->blocks[1].order, 3);
	assert_int_equal(script->blocks[2].migratetype, MIGRATE_RECLAIMABLE);
}

static void a_page_first_seen_when_freed_was_there_before_of_the_migratetype_that_its_drain_tells(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'f', 1, 0, 0 },
		{ 0, 20, 'f', 2, 1, 0 },
		{ 0, 30, 'd', 1, 0, 2 },
	};
	const struct replay_script *script = load(*state, events, ARRAY_SIZE(events));

	assert_non_null(script);
	assert_int_equal(script->nr_blocks, 2);
	assert_true(script->blocks[0].before);
	assert_int_equal(script->blocks[0].migratetype, MIGRATE_RECLAIMABLE);
	assert_true(script->blocks[1].before);
	assert_int_equal(script->blocks[1].migratetype, MIGRATE_MOVABLE);
	assert_int_equal(script->nr_unseen_allocs, 0);
}

static void what_fired_no_event_happens_just_before_the_event_that_gives_it_away(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'a', 1, 0, 0 }, { 0, 20, 'f', 1, 0, 0 }, { 1, 30, 'f', 1, 0, 0 },
		{ 0, 40, 'a', 1, 0, 1 }, { 0, 50, 'a', 1, 0, 1 },
	};
	const struct replay_script *script = load(*state, events, ARRAY_SIZE(events));

	assert_non_null(script);
	assert_int_equal(script->nr_unseen_allocs, 1);
	assert_int_equal(script->nr_unseen_frees, 1);
	assert_int_equal(script->streams[0].nr_steps, 6);
	assert_int_equal(script->streams[1].nr_steps, 1);
	assert_int_equal(script->streams[0].steps[2].action, REPLAY_ALLOCATE); /* on whose list it was */
	assert_int_equal(script->streams[1].steps[0].action, REPLAY_FREE);
	assert_int_equal(script->streams[0].steps[2].time_ns, script->streams[1].steps[0].time_ns);
	assert_int_equal(script->blocks[1].migratetype, MIGRATE_UNMOVABLE);
	assert_int_equal(script->streams[0].steps[4].action, REPLAY_FREE);
	assert_int_equal(script->streams[0].steps[4].time_ns, 40000);
}

static void what_was_on_the_lists_when_the_trace_began_is_what_leaves_them_unexplained(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'a', 1, 0, 0 }, /* there */
		{ 0, 20, 'd', 2, 3, 1 }, /* there */
		{ 0, 30, 'l', 3, 0, 0 }, { 0, 30, 'l', 6, 0, 0 }, { 0, 31, 'a', 3, 0, 0 }, /* a refill */
		{ 0, 40, 'f', 1, 0, 0 }, { 0, 50, 'a', 1, 0, 0 }, /* by a free */
		{ 0, 60, 'a', 4, 5, 0 }, /* no list for the order */
		{ 0, 70, 'f', 5, 0, 0 }, { 0, 80, 'a', 5, 0, 2 }, /* allocated before */
	};
	const struct replay_script *script = load(*state, events, ARRAY_SIZE(events));
	const struct replay_stream *stream = &script->streams[0];

	for (int pindex = 0; pindex < NR_PCP_LISTS; pindex++) {
		const bool there = pindex == order_to_pindex(MIGRATE_UNMOVABLE, 0) ||
				   pindex == order_to_pindex(MIGRATE_MOVABLE, 3);

		assert_int_equal(stream->nr_listed[pindex], there);
		assert_int_equal(stream->refilled[pindex], pindex == order_to_pindex(MIGRATE_UNMOVABLE, 0));
	}
	assert_int_equal(script->blocks[script->nr_blocks - 2].migratetype, MIGRATE_RECLAIMABLE);
}

/* An interrupt found the pcp locked: the buddy lists have the block, and no drain brought it there. */
static void a_block_that_is_taken_from_the_zone_undrained_was_freed_past_the_pcp(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'a', 1, 3, 0 }, { 0, 20, 'f', 1, 3, 0 }, { 0, 30, 'l', 1, 3, 0 }, { 0, 40, 'a', 2, 3, 0 },
		{ 0, 50, 'f', 2, 3, 0 }, { 0, 60, 'd', 2, 3, 0 }, { 0, 70, 'l', 2, 3, 0 },
	};
	const struct replay_script *script = load(*state, events, ARRAY_SIZE(events));

	assert_true(script->blocks[0].past_pcp);
	assert_false(script->blocks[1].past_pcp);
}

static void recorded_runs_of_the_worker_are_steps(void **state)
{
	static const struct event events[] = { { 0, 10, 'a', 1, 0, 0 },
					       { 0, 700, 'v', 0, 0, 0 },
					       { 1, 800, 'v', 0, 0, 0 } };
	const struct replay_script *script = load(*state, events, ARRAY_SIZE(events));

	assert_int_equal(script->nr_streams, 1);
	assert_int_equal(script->streams[0].nr_steps, 2);
	assert_int_equal(script->streams[0].steps[1].action, REPLAY_VMSTAT_UPDATE);
	assert_int_equal(script->streams[0].decay_ns, 690000);
	assert_true(script->streams[0].has_vmstat_updates);
}

static void events_out_of_order_are_put_in_order(void **state)
{
	static const struct event events[] = {
		{ 1, 50, 'f', 1, 0, 0 },
		{ 0, 40, 'a', 1, 0, 1 },
		{ 0, 10, 'a', 2, 0, 1 },
	};
	const struct replay_script *script = load(*state, events, ARRAY_SIZE(events));

	assert_non_null(script);
	assert_int_equal(script->nr_blocks, 2);
	assert_false(script->blocks[0].before || script->blocks[1].before);
	assert_int_equal(script->streams[0].steps[0].time_ns, 0);
	assert_int_equal(script->streams[1].steps[0].block, 1);
}

static void the_phase_of_the_decay_is_that_of_the_first_drain_by_a_worker(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'f', 1, 0, 0 }, { 1, 20, 'f', 2, 0, 0 }, { 0, 30, 'd', 1, 0, 1 },
		{ 0, 40, 'w', 3, 0, 1 }, { 0, 50, 'w', 4, 0, 1 },
	};
	const struct replay_script *script = load(*state, events, ARRAY_SIZE(events));

	assert_non_null(script);
	assert_int_equal(script->streams[0].decay_ns, 30000);
	assert_int_equal(script->streams[1].decay_ns, -1);
}

static void a_slot_is_shared_by_blocks_that_one_stream_has_one_after_the_other(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'a', 1, 0, 1 }, { 0, 20, 'a', 2, 0, 1 }, { 0, 30, 'f', 1, 0, 0 }, { 0, 40, 'a', 3, 0, 1 },
		{ 0, 50, 'f', 3, 0, 0 }, { 0, 60, 'f', 2, 0, 0 }, { 0, 70, 'a', 4, 0, 1 }, { 1, 80, 'f', 4, 0, 0 },
		{ 1, 90, 'f', 5, 0, 0 }, { 0, 95, 'a', 6, 0, 1 },
	};
	const struct replay_script *script = load(*state, events, ARRAY_SIZE(events));
	const struct replay_block *blocks;

	assert_non_null(script);
	blocks = script->blocks;
	assert_int_equal(script->nr_blocks, 6);
	assert_int_equal(blocks[0].slot, blocks[2].slot);
	assert_int_not_equal(blocks[0].slot, blocks[1].slot);
	assert_int_equal(script->nr_slots, 4); /* two of CPU 0, one freed elsewhere, one from before */
	assert_true(blocks[3].elsewhere && blocks[4].before);
	assert_int_equal(blocks[5].slot, REPLAY_NO_SLOT);
}

static void neighbouring_cpus_fold_into_one_stream(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'a', 1, 0, 1 }, { 2, 20, 'a', 2, 0, 1 }, { 5, 30, 'f', 1, 0, 0 },
		{ 7, 40, 'f', 2, 0, 0 }, { 2, 50, 'a', 3, 0, 1 }, { 0, 60, 'f', 3, 0, 0 },
	};
	static const struct {
		int nr_streams;
		int nr_steps[4];
		int nr_elsewhere;
	} cases[] = {
		{ 0, { 2, 2, 1, 1 }, 3 }, { 4, { 2, 2, 1, 1 }, 3 }, { 9, { 2, 2, 1, 1 }, 3 },
		{ 3, { 4, 1, 1 }, 2 },	  { 2, { 4, 2 }, 2 },	    { 1, { 6 }, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct replay_script *script =
			load_folded(*state, events, ARRAY_SIZE(events), cases[i].nr_streams);
		int nr_elsewhere = 0;

		assert_non_null(script);
		assert_int_equal(script->nr_cpus, 4);
		for (int stream = 0; stream < script->nr_streams; stream++)
			assert_int_equal(script->streams[stream].nr_steps, cases[i].nr_steps[stream]);
		for (int block = 0; block < script->nr_blocks; block++)
			nr_elsewhere += script->blocks[block].elsewhere;
		assert_int_equal(nr_elsewhere, cases[i].nr_elsewhere);
	}
}

static void a_step_is_found_by_its_time(void **state)
{
	static const struct event events[] = { { 0, 10, 'a', 1, 0, 1 },
					       { 0, 30, 'a', 2, 0, 1 },
					       { 0, 30, 'a', 3, 0, 1 } };
	const struct replay_script *script = load(*state, events, ARRAY_SIZE(events));

	assert_non_null(script);
	assert_int_equal(replay_stream_at(&script->streams[0], 0), 0);
	assert_int_equal(replay_stream_at(&script->streams[0], 1), 1);
	assert_int_equal(replay_stream_at(&script->streams[0], 20000), 1);
	assert_int_equal(replay_stream_at(&script->streams[0], 20001), 3);
}

static void a_trace_with_nothing_to_replay_is_refused(void **state)
{
	static const struct {
		struct event event;
		const char *expected;
	} cases[] = {
		{ { 0, 10, 'd', 1, 0, 1 }, "has no allocation and no free" },
		{ { 0, 10, 'l', 1, 0, 1 }, "has no allocation and no free" },
		{ { 0, 10, 'a', 1, 11, 1 }, "a block of order 11" },
	};
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *text = lines_of(scratch->arena, &cases[i].event, 1);
		struct error err;

		assert_null(replay_script_load(scratch->arena, scratch_write(scratch, "none.txt", text), 0, &err));
		assert_non_null(strstr(err.text, cases[i].expected));
	}
}

/* ---- runs ---- */

struct outcome {
	double metrics[NR_METRICS];
	struct page_alloc_blocks moved[2]; /* by stream */
	struct error err;
};

/* One run; -1 with outcome->err. It fails too when a page is neither free, nor on a list, nor held. */
static int replay(const struct scratch *scratch, const char *params, int nr_threads, struct outcome *outcome)
{
	struct machine_config machine = rig_machine(1);
	struct replay_report report = { .bin_ns = PS_PER_S, .nr_bins = 1, .bins = outcome->moved };
	const char *trace = scratch_path(scratch, "trace.txt");
	struct run_config config;
	struct replay_params reporting;

	machine.memory.per_node = UINT64_C(1) << 30;
	memset(outcome->moved, 0, sizeof(outcome->moved));
	config = run_setup(scratch->arena, &machine, "replay",
			   arena_printf(scratch->arena, "trace %s %s", trace, params), nr_threads);
	reporting = *(const struct replay_params *)config.workload_params;
	reporting.report = &report;
	config.workload_params = &reporting;
	return run_execute(&config, 0, outcome->metrics, &outcome->err);
}

static int replay_events(const struct scratch *scratch, const struct event *events, size_t nr, const char *params,
			 struct outcome *outcome)
{
	int nr_cpus = 0;

	for (size_t i = 0; i < nr; i++)
		nr_cpus = events[i].cpu >= nr_cpus ? events[i].cpu + 1 : nr_cpus;
	scratch_write(scratch, "trace.txt", lines_of(scratch->arena, events, nr));
	return replay(scratch, params, nr_cpus, outcome);
}

static void a_run_ends_with_the_last_event_and_loses_no_page(void **state)
{
	static const struct {
		struct event events[4];
		size_t nr;
		double nr_operations;
	} cases[] = {
		{ { { 0, 0, 'a', 1, 0, 1 }, { 0, 900, 'f', 1, 0, 0 } }, 2, 2 },
		{ { { 0, 0, 'a', 1, 0, 1 }, { 1, 900, 'f', 1, 0, 0 } }, 2, 2 }, /* freed elsewhere */
		{ { { 1, 0, 'a', 2, 0, 1 }, { 1, 900, 'a', 1, 0, 1 }, { 0, 900, 'f', 1, 0, 0 } },
		  3,
		  3 }, /* waits for the allocation */
		{ { { 0, 0, 'f', 1, 3, 0 }, { 0, 900, 'f', 2, 10, 0 } }, 2, 2 }, /* from before */
		{ { { 0, 0, 'a', 1, 10, 1 }, { 1, 900, 'a', 2, 0, 1 } }, 2, 2 }, /* held in the end */
		{ { { 0, 0, 'f', 1, 0, 0 }, { 0, 500, 'f', 1, 0, 0 }, { 0, 900, 'a', 1, 0, 1 } }, 3, 4 }, /* unseen */
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct outcome outcome;
		double seconds;

		assert_int_equal(replay_events(*state, cases[i].events, cases[i].nr, "pace recorded", &outcome), 0);
		seconds = cases[i].nr_operations / outcome.metrics[METRIC_THROUGHPUT];
		assert_true(seconds >= 900e-6 && seconds < 910e-6);
		assert_int_equal(replay_events(*state, cases[i].events, cases[i].nr, "pace none", &outcome), 0);
		assert_true(cases[i].nr_operations / outcome.metrics[METRIC_THROUGHPUT] < 100e-6);
	}
}

static void blocks_moved_under_the_zone_lock_are_those_of_refills_and_direct_paths(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'a', 1, 10, 1 }, /* no list for the order */
		{ 0, 20, 'a', 2, 3, 1 }, /* a refill of 63 pages, at least of 2 blocks: 7 */
		{ 1, 30, 'a', 3, 0, 1 }, /* a refill of 63 */
	};
	struct outcome outcome;

	assert_int_equal(replay_events(*state, events, ARRAY_SIZE(events), "pace recorded", &outcome), 0);
	assert_int_equal(outcome.moved[0].taken, 1 + 7);
	assert_int_equal(outcome.moved[1].taken, 63);
	assert_int_equal(outcome.moved[0].drained + outcome.moved[1].drained, 0);
}

/* A second refill in a row is twice as large. */
static void pages_of_the_recorder_come_before_the_first_event_and_are_not_reported(void **state)
{
	static const struct event events[] = { { 0, 10, 'a', 1, 0, 0 } };
	static const struct {
		const char *params;
		uint64_t taken;
	} cases[] = {
		{ "recorder_pages 0", 63 },
		{ "recorder_pages 63", 126 },
		{ "recorder_pages 62", 0 },
		{ "recorder_pages 63 recorder_cpu 1", 63 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct outcome outcome;

		assert_int_equal(replay_events(*state, events, ARRAY_SIZE(events), cases[i].params, &outcome), 0);
		assert_int_equal(outcome.moved[0].taken, cases[i].taken);
	}
}

static const char zoneinfo[] = "Node 0, zone   Normal\n"
			       "  pages free     1000\n"
			       "        min      10\n"
			       "        low      20\n"
			       "        high     30\n"
			       "        managed  200000\n"
			       "  pagesets\n"
			       "    cpu: 0\n"
			       "              count:    2\n"
			       "              high:     100\n"
			       "              batch:    20\n"
			       "              high_min: 100\n"
			       "              high_max: 100\n"
			       "  start_pfn:           1048576\n";

static void lists_start_as_zoneinfo_has_them(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'a', 1, 0, 1 },
		{ 0, 20, 'a', 2, 0, 1 },
		{ 0, 29, 'l', 3, 0, 1 },
		{ 0, 30, 'a', 3, 0, 1 },
	};
	const struct scratch *scratch = *state;
	const char *params =
		arena_printf(scratch->arena, "zoneinfo %s", scratch_write(scratch, "zoneinfo.txt", zoneinfo));
	struct outcome outcome;

	assert_int_equal(replay_events(scratch, events, 2, params, &outcome), 0);
	assert_int_equal(outcome.moved[0].taken, 0);
	assert_int_equal(replay_events(scratch, events, 4, params, &outcome), 0);
	assert_int_equal(outcome.moved[0].taken, 20);
	assert_int_equal((int)outcome.metrics[METRIC_PCP_HIGH], 100);
}

static void a_zoneinfo_of_another_machine_is_refused(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'a', 1, 0, 1 },
		{ 1, 20, 'a', 2, 0, 1 },
	};
	const struct scratch *scratch = *state;
	const char *params =
		arena_printf(scratch->arena, "zoneinfo %s", scratch_write(scratch, "zoneinfo.txt", zoneinfo));
	struct outcome outcome;

	assert_int_equal(replay_events(scratch, events, ARRAY_SIZE(events), params, &outcome), -1);
	assert_non_null(strstr(outcome.err.text, "zoneinfo has no CPU 1"));
}

static void threads_are_the_recorded_cpus_of_all_copies(void **state)
{
	static const struct event events[] = {
		{ 0, 10, 'a', 1, 0, 1 },
		{ 1, 20, 'a', 2, 0, 1 },
	};
	static const struct {
		const char *params;
		int nr_threads;
		const char *expected; /* NULL: it runs */
	} cases[] = {
		{ "pace none", 1, NULL }, /* folded */
		{ "pace none", 2, NULL },
		{ "pace none", 3, "was recorded on 2 CPUs, so there is work for 2 threads, not 3" },
		{ "copies 2", 4, NULL },
		{ "copies 4", 4, NULL }, /* four times folded */
		{ "copies 2", 3, "3 threads cannot be shared out evenly among 2 copies" },
		{ "copies 8", 4, "4 threads cannot be shared out evenly among 8 copies" },
	};
	const struct scratch *scratch = *state;
	struct outcome outcome;

	scratch_write(scratch, "trace.txt", lines_of(scratch->arena, events, ARRAY_SIZE(events)));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(replay(scratch, cases[i].params, cases[i].nr_threads, &outcome),
				 cases[i].expected ? -1 : 0);
		if (cases[i].expected)
			assert_non_null(strstr(outcome.err.text, cases[i].expected));
	}
}

static void the_start_of_the_recorded_machine_is_not_that_of_copies(void **state)
{
	static const char *const cases[] = { "copies 2 recorder_pages 1", "copies 2 zoneinfo zoneinfo.txt" };
	const struct workload *workload = registry_workload("replay");
	const struct scratch *scratch = *state;
	struct error err;

	scratch_write(scratch, "trace.txt", "");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *params =
			arena_printf(scratch->arena, "trace %s %s", scratch_path(scratch, "trace.txt"), cases[i]);

		assert_int_equal(workload->check(param_setup(scratch->arena, workload->params, workload->params_size,
							     params),
						 &err),
				 -1);
		assert_non_null(strstr(err.text, "is about the recorded machine; copies are on another one"));
	}
}

/* 1000 events of 4 CPUs, a page each; half of the frees are of pages that somebody allocated. */
static const struct event *random_events(struct arena *arena, uint64_t seed, size_t nr)
{
	struct event *events = arena_calloc(arena, nr, sizeof(*events));
	struct rng rng = rng_stream(seed, 0);

	for (size_t i = 0; i < nr; i++) {
		const int pfn = 1 + (int)rng_below(&rng, 200);

		events[i] = (struct event){
			.cpu = (int)rng_below(&rng, 4),
			.time_us = 10 * (int)i,
			.type = rng_below(&rng, 2) ? 'a' : 'f',
			.pfn = pfn,
			.order = pfn % 4,
			.migratetype = pfn % 3,
		};
	}
	return events;
}

/* A run fails when a page is lost, given back twice, or waited for in vain. */
static void copies_make_all_events_each_and_keep_every_page(void **state)
{
	static const struct {
		const char *params;
		int nr_threads, nr_copies;
	} cases[] = {
		{ "copies 1", 4, 1 },  { "copies 2", 8, 2 },	       { "copies 3", 6, 3 },
		{ "copies 5", 5, 5 },  { "copies 2 pace none", 8, 2 }, { "copies 2 pace gaps", 8, 2 },
		{ "pace none", 2, 1 }, { "copies 4 pace none", 8, 4 },
	};
	const struct scratch *scratch = *state;

	for (uint64_t seed = 0; seed < 8; seed++) {
		const struct replay_script *script = load(scratch, random_events(scratch->arena, seed, 1000), 1000);
		int nr_steps = 0;

		for (int i = 0; i < script->nr_streams; i++)
			nr_steps += script->streams[i].nr_steps;
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			struct outcome outcome;
			double seconds;

			assert_int_equal(replay(scratch, cases[i].params, cases[i].nr_threads, &outcome), 0);
			seconds = nr_steps * cases[i].nr_copies / outcome.metrics[METRIC_THROUGHPUT];
			if (strstr(cases[i].params, "pace none"))
				assert_true(seconds < 2e-3);
			else
				assert_true(seconds > 9.9e-3 && seconds < 10.5e-3); /* wherever a copy begins */
		}
	}
}

/* The second event takes longer than the third one's gap; the fourth has time to catch up. */
static void what_holds_a_cpu_up_makes_the_run_longer_where_gaps_are_work(void **state)
{
	struct event events[102];
	struct outcome outcome;
	double recorded_s, gaps_s, none_s;

	for (int i = 0; i < 102; i++)
		events[i] = (struct event){ 0, i < 101 ? 0 : 100, 'a', i + 1, 0, 1 };
	assert_int_equal(replay_events(*state, events, 102, "pace none", &outcome), 0);
	none_s = 102 / outcome.metrics[METRIC_THROUGHPUT];
	assert_int_equal(replay_events(*state, events, 102, "pace recorded", &outcome), 0);
	recorded_s = 102 / outcome.metrics[METRIC_THROUGHPUT];
	assert_int_equal(replay_events(*state, events, 102, "pace gaps", &outcome), 0);
	gaps_s = 102 / outcome.metrics[METRIC_THROUGHPUT];
	assert_true(none_s < 50e-6 && recorded_s >= 100e-6);
	assert_true(gaps_s > recorded_s + none_s / 2);
	assert_true(gaps_s < 100e-6 + none_s + 2e-6);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_free_is_of_the_block_that_its_page_was_allocated_as, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(
			a_page_first_seen_when_freed_was_there_before_of_the_migratetype_that_its_drain_tells,
			scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(what_fired_no_event_happens_just_before_the_event_that_gives_it_away,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(the_phase_of_the_decay_is_that_of_the_first_drain_by_a_worker,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(pages_of_the_recorder_come_before_the_first_event_and_are_not_reported,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(a_slot_is_shared_by_blocks_that_one_stream_has_one_after_the_other,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(neighbouring_cpus_fold_into_one_stream, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(a_step_is_found_by_its_time, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(
			what_was_on_the_lists_when_the_trace_began_is_what_leaves_them_unexplained, scratch_setup,
			scratch_teardown),
		cmocka_unit_test_setup_teardown(a_block_that_is_taken_from_the_zone_undrained_was_freed_past_the_pcp,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(recorded_runs_of_the_worker_are_steps, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(events_out_of_order_are_put_in_order, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(a_trace_with_nothing_to_replay_is_refused, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(a_run_ends_with_the_last_event_and_loses_no_page, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(blocks_moved_under_the_zone_lock_are_those_of_refills_and_direct_paths,
						scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(lists_start_as_zoneinfo_has_them, scratch_setup, scratch_teardown),
		cmocka_unit_test_setup_teardown(a_zoneinfo_of_another_machine_is_refused, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(threads_are_the_recorded_cpus_of_all_copies, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(the_start_of_the_recorded_machine_is_not_that_of_copies, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(copies_make_all_events_each_and_keep_every_page, scratch_setup,
						scratch_teardown),
		cmocka_unit_test_setup_teardown(what_holds_a_cpu_up_makes_the_run_longer_where_gaps_are_work,
						scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
