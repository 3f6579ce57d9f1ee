/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three passes: the events that matter, sorted by time should the file not be; backwards, what an event tells of the one before
 * it; and then a step for each.
 */
#include "models/workloads/replay_script.h"

#include "models/workloads/replay_builder.h"
#include "sim/trace/trace_event.h"

static int count_cpus(const bool *seen)
{
	int nr = 0;

	for (int cpu = 0; cpu < TRACE_MAX_CPUS; cpu++)
		nr += seen[cpu];
	return nr;
}

/* The streams of all CPUs that allocate or free, in the order of their numbers. */
static void create_streams(struct replay_builder *builder, struct arena *scratch, const struct replay_records *records,
			   int nr_streams)
{
	struct replay_script *script = builder->script;
	bool *seen = arena_calloc(scratch, TRACE_MAX_CPUS, sizeof(*seen));

	for (int i = 0; i < records->nr; i++)
		seen[records->all[i].cpu] |=
			records->all[i].type == TRACE_PAGE_ALLOC || records->all[i].type == TRACE_PAGE_FREE;
	script->nr_cpus = count_cpus(seen);
	script->nr_streams = nr_streams && nr_streams < script->nr_cpus ? nr_streams : script->nr_cpus;
	script->streams = arena_calloc(builder->arena, (size_t)script->nr_streams + 1, sizeof(*script->streams));
	builder->by_cpu = arena_calloc(scratch, TRACE_MAX_CPUS, sizeof(struct replay_stream *));
	builder->pcps = arena_calloc(scratch, TRACE_MAX_CPUS, sizeof(struct known_pcp *));
	for (int cpu = TRACE_MAX_CPUS - 1, i = script->nr_cpus; cpu >= 0; cpu--) {
		if (!seen[cpu])
			continue;
		builder->by_cpu[cpu] = &script->streams[--i * script->nr_streams / script->nr_cpus];
		*builder->by_cpu[cpu] = (struct replay_stream){ .cpu = cpu, .decay_ns = -1 };
		builder->pcps[cpu] = arena_calloc(scratch, 1, sizeof(struct known_pcp));
	}
}

int replay_stream_at(const struct replay_stream *stream, int64_t time_ns)
{
	int low = 0;
	int high = stream->nr_steps;

	while (low < high) {
		const int middle = low + (high - low) / 2;

		if (stream->steps[middle].time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Slots that a stream has left, to be taken again. */
struct free_slots {
	uint32_t *slots;
	int nr, max;
};

/* Slots for the blocks that this stream allocates and frees: of a block that it has yet to free, the slot is known by then. */
static void give_slots(struct replay_script *script, struct arena *scratch, const struct replay_stream *stream)
{
	struct free_slots left = { 0 };

	for (int i = stream->nr_steps - 1; i >= 0; i--) { /* backwards: a free takes a slot, the allocation leaves it */
		const struct replay_step *step = &stream->steps[i];
		struct replay_block *block = &script->blocks[step->block];

		if (step->action == REPLAY_VMSTAT_UPDATE || block->before || block->elsewhere)
			continue;
		if (step->action == REPLAY_FREE) {
			block->slot = left.nr ? left.slots[--left.nr] : script->nr_slots++;
		} else if (block->slot != REPLAY_NO_SLOT) {
			left.slots = arena_grow(scratch, left.slots, left.nr, &left.max, sizeof(*left.slots));
			left.slots[left.nr++] = block->slot;
		}
	}
}

static struct replay_script *build(struct arena *arena, struct arena *scratch, const struct replay_records *records,
				   int nr_streams)
{
	struct replay_builder builder = {
		.arena = arena,
		.script = arena_calloc(arena, 1, sizeof(*builder.script)),
		.live = live_blocks_create(scratch),
		.scratch = scratch,
		.listed = live_blocks_create(scratch),
		.drained = live_blocks_create(scratch),
	};

	create_streams(&builder, scratch, records, nr_streams);
	builder.script->first_ns = records->all[0].time_ns;
	builder.script->length_ns = records->all[records->nr - 1].time_ns - records->all[0].time_ns;
	for (int i = 0; i < records->nr; i++)
		replay_builder_add(&builder, &records->all[i]);
	for (int i = 0; i < builder.script->nr_streams; i++)
		give_slots(builder.script, scratch, &builder.script->streams[i]);
	return builder.script;
}

struct replay_script *replay_script_load(struct arena *arena, const char *path, int nr_streams, struct error *err)
{
	struct arena *scratch = arena_create();
	struct replay_records records;
	struct replay_script *script = NULL;
	const int failed = replay_records_read(&records, scratch, path, err);

	if (!failed && records.nr)
		script = build(arena, scratch, &records, nr_streams);
	arena_destroy(scratch);
	if (failed || (script && script->nr_streams))
		return script;
	error_plain(err, "'%s' has no allocation and no free to replay", path);
	return NULL;
}
