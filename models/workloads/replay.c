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

#include "models/workloads/replay_parts.h"

static const char *const pace_names[] = { "recorded", "gaps", "none", NULL };

/* clang-format off */
static const struct param replay_params[] = {
	PARAM_PATH(struct replay_params, trace, true, "recorded trace of kmem events: text or binary, as `contend trace` reads it; `threads` is copies times the CPUs in it, or folds them"),
	PARAM_PATH(struct replay_params, zoneinfo, false, "/proc/zoneinfo from just before: watermarks, and what each CPU had on its lists; without it all is as after boot"),
	PARAM_ONE_OF(struct replay_params, pace, pace_names, REPLAY_RECORDED, "recorded: no event before its recorded time; gaps: the time between two events is work; none: as fast as the allocator allows"),
	PARAM(struct replay_params, copies, "", 1, 1, 8192, "how many such loads run side by side, each on CPUs of its own and elsewhere in the trace"),
	PARAM(struct replay_params, recorder_pages, "", 0, 0, 1e8, "pages that the recorder took for its buffers after zoneinfo and before the first event; perf record -m N takes N + 1 for each CPU"),
	PARAM(struct replay_params, recorder_cpu, "", 0, 0, 8191, "recorded CPU on which it took them"),
	PARAM(struct replay_params, worker_ms, "ms", 0, 0, 1e9, "after the first event, the first run of the 1 s workers, where the trace does not tell it; 0: not known"),
	PARAM_END,
};
/* clang-format on */

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
	if (params->copies > 1 && (params->zoneinfo[0] || params->recorder_pages))
		return error_plain(err, "%s is about the recorded machine; copies are on another one",
				   params->zoneinfo[0] ? "zoneinfo" : "recorder_pages");
	return params->zoneinfo[0] ? check_file("zoneinfo", params->zoneinfo, err) : 0;
}

/* ---- the run ---- */

/* A block that another player of the copy frees: it sees it from now on. */
static void publish(struct replay_state *state, const struct player *player, struct cpu *cpu, uint32_t slot)
{
	const int nr_streams = state->script->nr_streams;
	struct player *players = &state->players[(player - state->players) / nr_streams * nr_streams];

	for (int i = 0; i < nr_streams; i++) {
		if (players[i].waiter && players[i].awaited == slot) {
			cpu_wake(cpu, players[i].waiter, 1);
			players[i].waiter = NULL;
		}
	}
}

static void allocate(struct replay_state *state, struct player *player, struct task *task,
		     const struct replay_block *block)
{
	const pfn_t pfn = alloc_pages(state->alloc, task, block->order, (enum migratetype)block->migratetype);

	if (pfn != NO_PAGE)
		state->nr_held_pages += UINT64_C(1) << block->order;
	if (block->elsewhere)
		cpu_sync(task->cpu);
	if (block->slot != REPLAY_NO_SLOT)
		player->copy->slots[block->slot] = pfn == NO_PAGE ? FAILED : pfn;
	if (block->elsewhere)
		publish(state, player, task->cpu, block->slot);
}

/* Until the block is allocated. */
static void await(struct player *player, struct cpu *cpu, uint32_t slot)
{
	cpu_sync(cpu);
	if (player->copy->slots[slot] != NO_PAGE)
		return;
	player->waiter = cpu;
	player->awaited = slot;
	cpu_park(cpu, "a block that another CPU has yet to allocate");
}

static void give_back(struct replay_state *state, struct player *player, struct task *task,
		      const struct replay_block *block)
{
	pfn_t *slot = &player->copy->slots[block->slot];
	pfn_t pfn;

	if (block->elsewhere)
		await(player, task->cpu, block->slot);
	pfn = *slot;
	*slot = NO_PAGE;
	if (pfn == FAILED)
		return;
	state->nr_held_pages -= UINT64_C(1) << block->order;
	state->nr_freed++;
	state->nr_freed_elsewhere += block->elsewhere;
	if (block->past_pcp)
		free_pages_past_pcp(state->alloc, task, pfn, block->order);
	else
		free_pages(state->alloc, task, pfn, block->order);
}

static void act(struct replay_state *state, struct player *player, struct task *task, const struct replay_step *step)
{
	const struct replay_block *block = &state->script->blocks[step->block];

	switch (step->action) {
	case REPLAY_ALLOCATE:
		allocate(state, player, task, block);
		break;
	case REPLAY_FREE:
		give_back(state, player, task, block);
		break;
	case REPLAY_VMSTAT_UPDATE:
		vmstat_update(state->alloc, task);
		break;
	}
}

/* What the CPU moved under zone locks since its last event. */
static void report(struct replay_state *state, struct player *player, const struct task *task,
		   const struct replay_step *step)
{
	const struct page_alloc_blocks now = page_alloc_cpu_blocks(state->alloc, task->cpu->id);
	const struct replay_report *report = state->params->report;
	struct page_alloc_blocks *bin;
	int64_t number;

	if (!report)
		return;
	number = step->time_ns / report->bin_ns;
	if (number >= report->nr_bins)
		number = report->nr_bins - 1;
	bin = &report->bins[task->index * report->nr_bins + number];
	bin->taken += now.taken - player->reported.taken;
	bin->drained += now.drained - player->reported.drained;
	player->reported = now;
}

/*
 * The buffers of the recorder, which outlive the trace. They lift high; what they and whatever else came before the first
 * event left on the lists, the events tell.
 */
static void map_buffers(struct replay_state *state, struct player *player, struct task *task)
{
	struct zone *zone = page_alloc_zone(state->alloc, task->cpu->place->node);
	int64_t nr_free;

	for (uint32_t i = 0; i < state->params->recorder_pages; i++)
		state->nr_held_pages += alloc_pages(state->alloc, task, 0, MIGRATE_UNMOVABLE) != NO_PAGE;
	nr_free = (int64_t)buddy_nr_free_pages(zone->buddy);
	if (state->params->zoneinfo[0])
		replay_start_lists(&state->start, zone, task->index, 0);
	mod_zone_free_pages(zone, task->cpu, (int64_t)buddy_nr_free_pages(zone->buddy) - nr_free);
	player->reported = page_alloc_cpu_blocks(state->alloc, task->cpu->id);
}

/* When a step is due, since the copy's beginning. */
static int64_t due_ns(const struct replay_state *state, const struct player *player, const struct replay_step *step)
{
	const int64_t since_ns = step->time_ns - player->copy->start_ns;

	return since_ns < 0 ? since_ns + state->script->length_ns + 1 : since_ns;
}

/* Work of its own up to the step. */
static void pass_time(const struct replay_state *state, struct player *player, struct cpu *cpu,
		      const struct replay_step *step)
{
	const int64_t due = due_ns(state, player, step);
	sim_ps gap_ps = 0;

	if (state->params->pace == REPLAY_RECORDED)
		gap_ps = due * PS_PER_NS - cpu->date;
	else if (state->params->pace == REPLAY_GAPS)
		gap_ps = (due - player->last_ns) * PS_PER_NS;
	player->last_ns = due;
	if (gap_ps > 0)
		cpu_work(cpu, gap_ps);
}

static uint64_t replay_operation(void *arg, struct task *task)
{
	struct replay_state *state = arg;
	struct player *player = &state->players[task->index];
	const struct replay_stream *stream = player->stream;
	const struct replay_step *step;

	if (player->nr_played == stream->nr_steps)
		return 0;
	if (player->nr_played == 0 && task->index == state->start.recorder)
		map_buffers(state, player, task);
	step = &stream->steps[(player->first + player->nr_played++) % stream->nr_steps];
	pass_time(state, player, task->cpu, step);
	act(state, player, task, step);
	report(state, player, task, step);
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
