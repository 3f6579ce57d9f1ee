/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See replay.h; replay_script.h for what becomes of the events. An operation is an event; the run ends with the last one.
 *
 * Blocks from before the trace are taken from the zones when the run is built, those that are never freed are held in the end. An
 * allocation that finds no memory is left out, and so is its free.
 *
 * Abstracts: what was on the machine beside these blocks; where in the zone a page is; reclaim and compaction. The recorded
 * gaps contain the recorded kernel's own work on pages, which the simulated one adds only where it is slower.
 */
#include "models/workloads/replay.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "models/workloads/workload.h"

#define STAT_INTERVAL_NS INT64_C(1000000000) /* vm.stat_interval of the recorded machine: the default */

static const char *const pace_names[] = { "recorded", "none", NULL };

/* clang-format off */
static const struct param replay_params[] = {
	PARAM_PATH(struct replay_params, trace, true, "recorded trace of kmem events: text or binary, as `contend trace` reads it; one thread for each CPU in it"),
	PARAM_PATH(struct replay_params, zoneinfo, false, "/proc/zoneinfo from just before: watermarks, and what each CPU had on its lists; without it all is as after boot"),
	PARAM_ONE_OF(struct replay_params, pace, pace_names, REPLAY_RECORDED, "recorded: no event before its recorded time; none: as fast as the allocator allows"),
	PARAM(struct replay_params, recorder_pages, "", 0, 0, 1e8, "pages that the recorder took for its buffers after zoneinfo and before the first event; perf record -m N takes N + 1 for each CPU"),
	PARAM(struct replay_params, recorder_cpu, "", 0, 0, 8191, "recorded CPU on which it took them"),
	PARAM_END,
};
/* clang-format on */

/* A block of the script, here. */
struct block {
	pfn_t pfn; /* NO_PAGE: not allocated */
	bool failed; /* nor will it be */
	struct cpu *waiter; /* parked until it is allocated; only of blocks freed elsewhere */
};

struct replay_state {
	const struct replay_params *params;
	struct page_alloc *alloc;
	struct replay_script *script;
	struct block *blocks; /* by number */
	int *next; /* step of each stream */
	struct page_alloc_blocks *reported; /* of each stream: already in the report */
	uint64_t nr_held_pages;
	uint64_t nr_freed, nr_freed_elsewhere;
};

/* ---- before the run ---- */

static int check_file(const char *what, const char *path, struct error *err)
{
	struct stat status;

	if (stat(path, &status))
		return error_plain(err, "%s '%s': %s", what, path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_plain(err, "%s '%s' is no file", what, path);
	return 0;
}

static int replay_check(const void *arg, struct error *err)
{
	const struct replay_params *params = arg;

	if (check_file("trace", params->trace, err))
		return -1;
	return params->zoneinfo[0] ? check_file("zoneinfo", params->zoneinfo, err) : 0;
}

/* Blocks from before the trace, from the zone of node 0 as long as it has some, then from the others. */
static pfn_t take_block(struct page_alloc *alloc, const struct replay_block *block)
{
	pfn_t pfn = NO_PAGE;

	for (int node = 0; node < page_alloc_nr_zones(alloc) && pfn == NO_PAGE; node++) {
		enum rmqueue_mode mode = RMQUEUE_NORMAL;

		pfn = buddy_rmqueue(page_alloc_zone(alloc, node)->buddy, NULL, block->order,
				    (enum migratetype)block->migratetype, &mode);
	}
	return pfn;
}

static void take_blocks_before(struct replay_state *state)
{
	for (int i = 0; i < state->script->nr_blocks; i++) {
		const struct replay_block *block = &state->script->blocks[i];

		state->blocks[i].pfn = block->before ? take_block(state->alloc, block) : NO_PAGE;
		state->blocks[i].failed = block->before && state->blocks[i].pfn == NO_PAGE;
		if (state->blocks[i].pfn != NO_PAGE)
			state->nr_held_pages += UINT64_C(1) << block->order;
	}
}

static int start(struct replay_state *state, const struct workload_site *site)
{
	const struct replay_start start = {
		.arena = site->arena,
		.alloc = site->page_alloc,
		.script = state->script,
		.cpus = site->cpus,
	};
	struct zoneinfo *zoneinfo;

	if (!state->params->zoneinfo[0])
		return 0;
	zoneinfo = zoneinfo_load(site->arena, state->params->zoneinfo, site->err);
	return zoneinfo ? replay_start_from(&start, zoneinfo, site->err) : -1;
}

/* The recorded phase of the 1 s worker, which decays a pcp's high: a drain by it tells. */
static void set_stat_dates(const struct replay_state *state, const struct workload_site *site)
{
	for (int i = 0; i < state->script->nr_streams; i++) {
		const int64_t decay_ns = state->script->streams[i].decay_ns;

		if (decay_ns >= 0)
			page_alloc_set_stat_date(state->alloc, site->cpus[i], decay_ns % STAT_INTERVAL_NS * PS_PER_NS);
	}
}

static void *replay_create(const struct workload_site *site, const void *arg)
{
	struct replay_state *state = arena_calloc(site->arena, 1, sizeof(*state));
	int nr_streams;

	state->params = arg;
	state->alloc = site->page_alloc;
	state->script = replay_script_load(site->arena, state->params->trace, site->err);
	if (!state->script)
		return NULL;
	nr_streams = state->script->nr_streams;
	if (nr_streams != site->nr_threads) {
		error_plain(site->err, "'%s' was recorded on %d CPUs, but there are %d threads", state->params->trace,
			    nr_streams, site->nr_threads);
		return NULL;
	}
	state->blocks = arena_calloc(site->arena, (size_t)state->script->nr_blocks, sizeof(*state->blocks));
	state->next = arena_calloc(site->arena, (size_t)nr_streams, sizeof(*state->next));
	state->reported = arena_calloc(site->arena, (size_t)nr_streams, sizeof(*state->reported));
	take_blocks_before(state);
	if (start(state, site))
		return NULL;
	set_stat_dates(state, site);
	for (int node = 0; node < page_alloc_nr_zones(state->alloc); node++)
		zone_set_free_pages(page_alloc_zone(state->alloc, node));
	return state;
}

/* ---- the run ---- */

/* Others who free this block see it from now on. */
static void publish(struct block *block, struct cpu *cpu, pfn_t pfn)
{
	block->pfn = pfn;
	block->failed = pfn == NO_PAGE;
	if (block->waiter)
		cpu_wake(cpu, block->waiter, 1);
}

static void allocate(struct replay_state *state, struct task *task, const struct replay_step *step)
{
	const struct replay_block *recorded = &state->script->blocks[step->block];
	struct block *block = &state->blocks[step->block];
	const pfn_t pfn = alloc_pages(state->alloc, task, recorded->order, (enum migratetype)recorded->migratetype);

	if (pfn != NO_PAGE)
		state->nr_held_pages += UINT64_C(1) << recorded->order;
	if (recorded->elsewhere)
		cpu_sync(task->cpu);
	publish(block, task->cpu, pfn);
}

/* The block, once it is allocated. */
static pfn_t await(struct block *block, struct cpu *cpu)
{
	cpu_sync(cpu);
	if (block->pfn == NO_PAGE && !block->failed) {
		block->waiter = cpu;
		cpu_park(cpu, "a block that another CPU has yet to allocate");
	}
	return block->pfn;
}

static void give_back(struct replay_state *state, struct task *task, const struct replay_step *step)
{
	const struct replay_block *recorded = &state->script->blocks[step->block];
	struct block *block = &state->blocks[step->block];
	const pfn_t pfn = recorded->elsewhere ? await(block, task->cpu) : block->pfn;

	if (pfn == NO_PAGE)
		return;
	block->pfn = NO_PAGE;
	state->nr_held_pages -= UINT64_C(1) << recorded->order;
	state->nr_freed++;
	state->nr_freed_elsewhere += recorded->elsewhere;
	free_pages(state->alloc, task, pfn, recorded->order);
}

/* What the CPU moved under zone locks since its last event. */
static void report(struct replay_state *state, const struct task *task, const struct replay_step *step)
{
	const struct page_alloc_blocks now = page_alloc_cpu_blocks(state->alloc, task->cpu->id);
	const struct replay_report *report = state->params->report;
	struct page_alloc_blocks *then = &state->reported[task->index];
	struct page_alloc_blocks *bin;
	int64_t number;

	if (!report)
		return;
	number = step->time_ns / report->bin_ns;
	if (number >= report->nr_bins)
		number = report->nr_bins - 1;
	bin = &report->bins[task->index * report->nr_bins + number];
	bin->taken += now.taken - then->taken;
	bin->drained += now.drained - then->drained;
	*then = now;
}

/* The buffers of the recorder, which outlive the trace. */
static void map_buffers(struct replay_state *state, struct task *task)
{
	for (uint32_t i = 0; i < state->params->recorder_pages; i++)
		state->nr_held_pages += alloc_pages(state->alloc, task, 0, MIGRATE_UNMOVABLE) != NO_PAGE;
	state->reported[task->index] = page_alloc_cpu_blocks(state->alloc, task->cpu->id);
}

static uint64_t replay_operation(void *arg, struct task *task)
{
	struct replay_state *state = arg;
	const struct replay_stream *stream = &state->script->streams[task->index];
	const struct replay_step *step;
	sim_ps gap_ps;

	if (state->next[task->index] == stream->nr_steps)
		return 0;
	step = &stream->steps[state->next[task->index]];
	if (state->next[task->index]++ == 0 && stream->cpu == (int)state->params->recorder_cpu)
		map_buffers(state, task);
	gap_ps = step->time_ns * PS_PER_NS - task->cpu->date;
	if (state->params->pace == REPLAY_RECORDED && gap_ps > 0)
		cpu_work(task->cpu, gap_ps);
	if (step->frees)
		give_back(state, task, step);
	else
		allocate(state, task, step);
	report(state, task, step);
	return 1;
}

static void replay_end(void *arg, const struct workload_window *window, double metrics[NR_METRICS])
{
	const struct replay_state *state = arg;

	(void)window;
	if (state->nr_freed)
		metrics[METRIC_FREED_ELSEWHERE_PCT] =
			100.0 * (double)state->nr_freed_elsewhere / (double)state->nr_freed;
}

static uint64_t replay_nr_held_pages(const void *arg)
{
	const struct replay_state *state = arg;

	return state->nr_held_pages;
}

const struct workload workload_replay = {
	.name = "replay",
	.summary = "allocations and frees of a recorded kernel trace, once; an operation is an event",
	.params = replay_params,
	.params_size = sizeof(struct replay_params),
	.allocates = true,
	.finite = true,
	.check = replay_check,
	.create = replay_create,
	.operation = replay_operation,
	.end = replay_end,
	.nr_held_pages = replay_nr_held_pages,
};
