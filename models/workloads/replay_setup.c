/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is there when a replay begins: where each copy is in the trace, and what it holds. Blocks from before the trace are taken
 * from the zones.
 */
#include "models/workloads/replay_parts.h"

#include <string.h>

#define NS_PER_MS INT64_C(1000000)
#define STAT_INTERVAL_NS INT64_C(1000000000) /* vm.stat_interval of the recorded machine: the default */

/* Apart from the streams of CPUs, lines and tasks. */
#define COPY_RNG_STREAM (UINT64_C(5) << 32)

/* A block from before, from the zone of `node` as long as it has some, then from the others. */
static pfn_t take_block(struct page_alloc *alloc, const struct replay_block *block, int node)
{
	const int nr_zones = page_alloc_nr_zones(alloc);
	pfn_t pfn = NO_PAGE;

	for (int i = 0; i < nr_zones && pfn == NO_PAGE; i++) {
		enum rmqueue_mode mode = RMQUEUE_NORMAL;

		pfn = buddy_rmqueue(page_alloc_zone(alloc, (node + i) % nr_zones)->buddy, NULL, block->order,
				    (enum migratetype)block->migratetype, &mode);
	}
	return pfn;
}

/* Marks the blocks that the trace allocates before this time and has not freed by then. */
static void mark_live(const struct replay_script *script, int64_t time_ns, bool *live)
{
	memset(live, 0, (size_t)script->nr_blocks * sizeof(*live));
	for (int i = 0; i < script->nr_streams; i++) {
		const struct replay_stream *stream = &script->streams[i];
		const int end = replay_stream_at(stream, time_ns);

		for (int step = 0; step < end; step++)
			if (stream->steps[step].action != REPLAY_VMSTAT_UPDATE)
				live[stream->steps[step].block] ^=
					true; /* twice, in whatever order of the streams: freed */
	}
}

/* What a copy frees before it allocates it. */
static void take_blocks_before(struct replay_state *state, const struct copy *copy, int node, bool *live)
{
	const struct replay_script *script = state->script;

	mark_live(script, copy->start_ns, live);
	for (uint32_t slot = 0; slot < script->nr_slots; slot++)
		copy->slots[slot] = NO_PAGE;
	for (int i = 0; i < script->nr_blocks; i++) {
		const struct replay_block *block = &script->blocks[i];
		pfn_t pfn;

		if (block->slot == REPLAY_NO_SLOT || (!block->before && !live[i]))
			continue;
		pfn = take_block(state->alloc, block, node);
		copy->slots[block->slot] = pfn == NO_PAGE ? FAILED : pfn;
		if (pfn != NO_PAGE)
			state->nr_held_pages += UINT64_C(1) << block->order;
	}
}

/* Evenly over the trace, with a random part; the only one begins at the beginning. */
static int64_t start_of(const struct replay_state *state, struct rng *rng, uint32_t copy)
{
	const uint64_t share_ns = (uint64_t)state->script->length_ns / state->params->copies;

	if (state->params->copies == 1)
		return 0;
	return (int64_t)(copy * share_ns + rng_below(rng, share_ns + 1));
}

/*
 * When a stream's 1 s worker runs, which decays a pcp's high: as its events tell, else those of another one, for the workers of
 * all CPUs have the same phase but for some jiffies (round_jiffies_relative()). -1: nobody knows.
 */
static int64_t decay_of(const struct replay_state *state, const struct replay_stream *stream)
{
	int64_t decay_ns = stream->decay_ns;

	if (decay_ns < 0 && state->params->worker_ms)
		return state->params->worker_ms * NS_PER_MS;
	for (int i = 0; i < state->script->nr_streams && decay_ns < 0; i++)
		decay_ns = state->script->streams[i].decay_ns;
	return decay_ns < 0 ? -1 : decay_ns % STAT_INTERVAL_NS;
}

static void set_stat_date(const struct replay_state *state, const struct player *player, int cpu)
{
	const int64_t decay_ns = decay_of(state, player->stream);
	int64_t due_ns = decay_ns - player->copy->start_ns;

	if (due_ns < 0)
		due_ns = due_ns % STAT_INTERVAL_NS + STAT_INTERVAL_NS;
	if (player->stream->has_vmstat_updates)
		page_alloc_set_stat_date(state->alloc, cpu, SIM_PS_MAX);
	else if (decay_ns >= 0)
		page_alloc_set_stat_date(state->alloc, cpu, due_ns * PS_PER_NS);
}

static void create_copies(struct replay_state *state, const struct workload_site *site)
{
	const int nr_streams = state->script->nr_streams;
	struct rng rng = rng_stream(site->seed, COPY_RNG_STREAM);
	bool *live = arena_alloc(site->arena, (size_t)state->script->nr_blocks * sizeof(*live));

	state->copies = arena_calloc(site->arena, state->params->copies, sizeof(*state->copies));
	state->nr_players = site->nr_threads;
	state->players = arena_calloc(site->arena, (size_t)state->nr_players, sizeof(*state->players));
	for (int i = 0; i < state->nr_players; i++) {
		struct player *player = &state->players[i];
		struct copy *copy = player->copy = &state->copies[i / nr_streams];

		player->stream = &state->script->streams[i % nr_streams];
		if (i % nr_streams == 0) {
			copy->start_ns = start_of(state, &rng, (uint32_t)(i / nr_streams));
			copy->slots = arena_alloc(site->arena, state->script->nr_slots * sizeof(*copy->slots));
			take_blocks_before(state, copy, machine_place(site->machine, site->cpus[i])->node, live);
		}
		player->first = replay_stream_at(player->stream, copy->start_ns);
		set_stat_date(state, player, site->cpus[i]);
	}
}

/* The stream on whose CPU the recorder took its pages; -1: it took none. */
static int find_recorder(const struct replay_state *state)
{
	for (int i = 0; i < state->script->nr_streams && state->params->recorder_pages; i++)
		if (state->script->streams[i].cpu == (int)state->params->recorder_cpu)
			return i;
	return -1;
}

/* With copies or folded CPUs the lists start empty, with the bounds of the simulated machine. */
static int start(struct replay_state *state, const struct workload_site *site)
{
	struct zoneinfo *zoneinfo;

	state->start = (struct replay_start){
		.arena = site->arena,
		.alloc = site->page_alloc,
		.script = state->script,
		.machine = site->machine,
		.cpus = site->cpus,
		.recorder = find_recorder(state),
	};
	if (!state->params->zoneinfo[0])
		return 0;
	if (state->script->nr_streams < state->script->nr_cpus)
		return error_plain(site->err, "zoneinfo is about %d CPUs; %d threads are not those",
				   state->script->nr_cpus, site->nr_threads);
	zoneinfo = zoneinfo_load(site->arena, state->params->zoneinfo, site->err);
	return zoneinfo ? replay_start_from(&state->start, zoneinfo, site->err) : -1;
}

/* The trace, folded if there are fewer threads than CPUs. */
static int load_script(struct replay_state *state, const struct workload_site *site)
{
	const int copies = (int)state->params->copies;

	if (site->nr_threads % copies)
		return error_plain(site->err, "%d threads cannot be shared out evenly among %d copies",
				   site->nr_threads, copies);
	state->script = replay_script_load(site->arena, state->params->trace, site->nr_threads / copies, site->err);
	if (!state->script)
		return -1;
	if (state->script->nr_streams * copies < site->nr_threads)
		return error_plain(site->err, "'%s' was recorded on %d CPUs, so there is work for %d threads, not %d",
				   state->params->trace, state->script->nr_cpus, state->script->nr_streams * copies,
				   site->nr_threads);
	return 0;
}

void *replay_create(const struct workload_site *site, const void *arg)
{
	struct replay_state *state = arena_calloc(site->arena, 1, sizeof(*state));

	state->params = arg;
	state->alloc = site->page_alloc;
	if (load_script(state, site))
		return NULL;
	create_copies(state, site);
	if (start(state, site))
		return NULL;
	for (int node = 0; node < page_alloc_nr_zones(state->alloc); node++)
		zone_set_free_pages(page_alloc_zone(state->alloc, node));
	return state;
}
