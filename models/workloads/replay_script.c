/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two passes: the events that matter, sorted by time should the file not be, and then a step for each.
 */
#include "models/workloads/replay_script.h"

#include <stdlib.h>
#include <string.h>

#include "models/kernel/page.h"
#include "sim/trace/live_blocks.h"
#include "sim/trace/trace_reader.h"

/* Names of the kernel's workers begin so; vmstat_update() runs on one. */
#define WORKER "kworker/"

/* An event as far as a replay needs it. */
struct record {
	int64_t time_ns;
	uint64_t pfn;
	int number; /* in the file: of equal stamps the earlier comes first */
	uint16_t cpu;
	uint8_t type, order;
	int8_t migratetype;
	bool by_worker;
};

struct records {
	struct record *all;
	int nr, max;
	bool sorted;
};

struct builder {
	struct arena *arena; /* of the script */
	struct replay_script *script;
	struct replay_stream **by_cpu; /* TRACE_MAX_CPUS; NULL: no stream */
	struct live_blocks *live; /* allocated now */
	struct live_blocks *gone; /* freed, and not allocated since */
	struct live_blocks
		*taken; /* from the buddy lists, and not allocated or drained since; number: the migratetype */
};

/* ---- events ---- */

static bool matters(const struct trace_event *event)
{
	return event->type != TRACE_PAGE_FREE_BATCHED && event->type != TRACE_PAGE_ALLOC_EXTFRAG;
}

static void records_add(struct records *records, struct arena *arena, const struct trace_event *event)
{
	struct record *record;

	records->all = arena_grow(arena, records->all, records->nr, &records->max, sizeof(*records->all));
	record = &records->all[records->nr];
	*record = (struct record){
		.time_ns = event->time_ns,
		.pfn = event->pfn,
		.number = records->nr,
		.cpu = event->cpu,
		.type = event->type,
		.order = event->order,
		.migratetype = event->migratetype,
		.by_worker = !strncmp(event->comm, WORKER, sizeof(WORKER) - 1),
	};
	if (records->nr && record->time_ns < record[-1].time_ns)
		records->sorted = false;
	records->nr++;
}

static int by_time(const void *a, const void *b)
{
	const struct record *one = a;
	const struct record *other = b;

	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	return one->number - other->number;
}

/* All that matter. -1 when the trace cannot be read or is of blocks that the model does not have. */
static int read_records(struct records *records, struct arena *arena, const char *path, struct error *err)
{
	struct trace_reader *reader = trace_reader_open(arena, path, err);
	struct trace_event event;
	int found = reader ? 1 : -1;

	while (found == 1 && (found = trace_reader_next(reader, &event, err)) == 1) {
		if (event.order > MAX_PAGE_ORDER)
			found = error_plain(err, "'%s' has a block of order %d; here the largest is %d", path,
					    event.order, MAX_PAGE_ORDER);
		else if (matters(&event))
			records_add(records, arena, &event);
	}
	trace_reader_close(reader);
	if (found == 0 && !records->sorted)
		qsort(records->all, (size_t)records->nr, sizeof(*records->all), by_time);
	return found;
}

/* ---- steps ---- */

/* Migratetypes that the model lacks (highatomic, CMA) and none at all pass for movable. */
static uint8_t migratetype_of(const struct record *record)
{
	const bool known = record->migratetype >= 0 && record->migratetype < NR_MIGRATETYPES;

	return known ? (uint8_t)record->migratetype : MIGRATE_MOVABLE;
}

static uint32_t add_block(struct builder *builder, const struct replay_block *block)
{
	struct replay_script *script = builder->script;

	script->blocks = arena_grow(builder->arena, script->blocks, script->nr_blocks, &script->max_blocks,
				    sizeof(*script->blocks));
	script->blocks[script->nr_blocks] = *block;
	return (uint32_t)script->nr_blocks++;
}

static void add_step(struct builder *builder, const struct record *record, uint32_t block, enum replay_action action)
{
	struct replay_stream *stream = builder->by_cpu[record->cpu];

	if (action == REPLAY_FREE)
		builder->script->blocks[block].freed_cpu = record->cpu;
	stream->steps =
		arena_grow(builder->arena, stream->steps, stream->nr_steps, &stream->max_steps, sizeof(*stream->steps));
	stream->steps[stream->nr_steps++] = (struct replay_step){
		.time_ns = record->time_ns - builder->script->first_ns,
		.block = block,
		.action = action,
	};
}

static void add_alloc(struct builder *builder, const struct record *record, uint8_t migratetype)
{
	const struct replay_block block = {
		.slot = REPLAY_NO_SLOT,
		.order = record->order,
		.migratetype = migratetype,
	};
	const struct live_block live = {
		.pfn = record->pfn,
		.time_ns = record->time_ns,
		.number = add_block(builder, &block),
		.cpu = record->cpu,
		.order = record->order,
	};

	live_blocks_add(builder->live, &live);
	add_step(builder, record, live.number, REPLAY_ALLOCATE);
}

/* The live block goes, on the CPU of the record. */
static void add_free(struct builder *builder, const struct record *record, const struct live_block *live)
{
	struct replay_script *script = builder->script;
	struct replay_block *block = &script->blocks[live->number];

	block->elsewhere = builder->by_cpu[live->cpu] != builder->by_cpu[record->cpu];
	if (block->before || block->elsewhere)
		block->slot = script->nr_slots++;
	add_step(builder, record, live->number, REPLAY_FREE);
	live_blocks_add(builder->gone, live);
}

/* The list of the CPU's pcp that a record's block belongs to. False: there is none. */
static bool find_list(const struct builder *builder, const struct record *record, struct replay_stream **stream,
		      int *pindex)
{
	*stream = builder->by_cpu[record->cpu];
	*pindex = order_to_pindex((enum migratetype)migratetype_of(record), record->order);
	return *stream && pcp_allowed_order(record->order);
}

/* The block leaves a list, and nothing says how it came there. */
static void was_listed(struct builder *builder, const struct record *record)
{
	struct replay_stream *stream;
	int pindex;

	if (find_list(builder, record, &stream, &pindex))
		stream->nr_listed[pindex]++;
}

/* Of a block from before the trace that was freed: the list on which it is found afterwards is that of its pageblock. */
static void tell_migratetype(const struct builder *builder, const struct live_block *gone, const struct record *record)
{
	struct replay_block *block = &builder->script->blocks[gone->number];

	if (block->before && !block->drained)
		block->migratetype = migratetype_of(record);
}

static void on_alloc(struct builder *builder, const struct record *record)
{
	const bool taken = live_blocks_take(builder->taken, record->pfn, &(struct live_block){ 0 });
	struct live_block old;

	if (live_blocks_take(builder->live, record->pfn, &old)) {
		builder->script->nr_unseen_frees++;
		add_free(builder, record, &old);
	}
	if (live_blocks_take(builder->gone, record->pfn, &old))
		tell_migratetype(builder, &old, record);
	else if (!taken)
		was_listed(builder, record);
	add_alloc(builder, record, migratetype_of(record));
}

/* A block that was there when the trace began. */
static struct live_block block_before(struct builder *builder, const struct record *record)
{
	const struct replay_block block = {
		.slot = REPLAY_NO_SLOT,
		.order = record->order,
		.migratetype = MIGRATE_MOVABLE,
		.before = true,
	};

	return (struct live_block){
		.pfn = record->pfn,
		.number = add_block(builder, &block),
		.cpu = record->cpu,
		.order = record->order,
	};
}

/*
 * The allocation that fired no event of a block that is freed now: on the CPU on whose list it was, since its last free or a
 * refill. False: nothing is known of the block.
 */
static bool add_unseen_alloc(struct builder *builder, const struct record *record)
{
	struct record unseen = *record;
	struct live_block taken, gone;
	const bool was_taken = live_blocks_take(builder->taken, record->pfn, &taken);
	const bool was_freed = live_blocks_take(builder->gone, record->pfn, &gone);

	if (!was_taken && !was_freed)
		return false;
	unseen.cpu = was_taken ? taken.cpu : builder->script->blocks[gone.number].freed_cpu;
	if (!builder->by_cpu[unseen.cpu])
		return false;
	builder->script->nr_unseen_allocs++;
	add_alloc(builder, &unseen,
		  was_taken ? (uint8_t)taken.number : builder->script->blocks[gone.number].migratetype);
	return true;
}

static void on_free(struct builder *builder, const struct record *record)
{
	struct live_block live;
	bool known = live_blocks_take(builder->live, record->pfn, &live);

	if (!known && add_unseen_alloc(builder, record))
		known = live_blocks_take(builder->live, record->pfn, &live);
	if (!known)
		live = block_before(builder, record);
	add_free(builder, record, &live);
}

static void note_worker(const struct builder *builder, const struct record *record)
{
	struct replay_stream *stream = builder->by_cpu[record->cpu];

	if (stream && stream->decay_ns < 0)
		stream->decay_ns = record->time_ns - builder->script->first_ns;
}

/* The event has the migratetype of the pageblock, which an allocation before the trace would have had. */
static void on_drain(struct builder *builder, const struct record *record)
{
	const bool taken = live_blocks_take(builder->taken, record->pfn, &(struct live_block){ 0 });
	struct live_block gone;

	if (record->by_worker)
		note_worker(builder, record);
	if (!live_blocks_take(builder->gone, record->pfn, &gone)) {
		if (!taken)
			was_listed(builder, record);
		return;
	}
	tell_migratetype(builder, &gone, record);
	builder->script->blocks[gone.number].drained = true;
	live_blocks_add(builder->gone, &gone);
}

static void on_zone_locked(struct builder *builder, const struct record *record)
{
	const struct live_block taken = { .pfn = record->pfn, .number = migratetype_of(record), .cpu = record->cpu };
	struct replay_stream *stream;
	struct live_block gone;
	int pindex;

	if (find_list(builder, record, &stream, &pindex))
		stream->refilled[pindex] = true;
	live_blocks_add(builder->taken, &taken);
	if (!live_blocks_take(builder->gone, record->pfn, &gone))
		return;
	if (gone.order == record->order && !builder->script->blocks[gone.number].drained)
		builder->script->blocks[gone.number].past_pcp = true;
	live_blocks_add(builder->gone, &gone);
}

static void on_vmstat_update(struct builder *builder, const struct record *record)
{
	if (!builder->by_cpu[record->cpu])
		return;
	note_worker(builder, record);
	builder->by_cpu[record->cpu]->has_vmstat_updates = true;
	add_step(builder, record, 0, REPLAY_VMSTAT_UPDATE);
}

static void add_record(struct builder *builder, const struct record *record)
{
	switch (record->type) {
	case TRACE_PAGE_ALLOC:
		on_alloc(builder, record);
		break;
	case TRACE_PAGE_FREE:
		on_free(builder, record);
		break;
	case TRACE_PAGE_PCPU_DRAIN:
		on_drain(builder, record);
		break;
	case TRACE_PAGE_ALLOC_ZONE_LOCKED:
		on_zone_locked(builder, record);
		break;
	default:
		on_vmstat_update(builder, record);
		break;
	}
}

/* ---- streams ---- */

static int count_cpus(const bool *seen)
{
	int nr = 0;

	for (int cpu = 0; cpu < TRACE_MAX_CPUS; cpu++)
		nr += seen[cpu];
	return nr;
}

/* The streams of all CPUs that allocate or free, in the order of their numbers. */
static void create_streams(struct builder *builder, struct arena *scratch, const struct records *records,
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
	for (int cpu = TRACE_MAX_CPUS - 1, i = script->nr_cpus; cpu >= 0; cpu--) {
		if (!seen[cpu])
			continue;
		builder->by_cpu[cpu] = &script->streams[--i * script->nr_streams / script->nr_cpus];
		*builder->by_cpu[cpu] = (struct replay_stream){ .cpu = cpu, .decay_ns = -1 };
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

static struct replay_script *build(struct arena *arena, struct arena *scratch, const struct records *records,
				   int nr_streams)
{
	struct builder builder = {
		.arena = arena,
		.script = arena_calloc(arena, 1, sizeof(*builder.script)),
		.live = live_blocks_create(scratch),
		.gone = live_blocks_create(scratch),
		.taken = live_blocks_create(scratch),
	};

	create_streams(&builder, scratch, records, nr_streams);
	builder.script->first_ns = records->all[0].time_ns;
	builder.script->length_ns = records->all[records->nr - 1].time_ns - records->all[0].time_ns;
	for (int i = 0; i < records->nr; i++)
		add_record(&builder, &records->all[i]);
	for (int i = 0; i < builder.script->nr_streams; i++)
		give_slots(builder.script, scratch, &builder.script->streams[i]);
	return builder.script;
}

struct replay_script *replay_script_load(struct arena *arena, const char *path, int nr_streams, struct error *err)
{
	struct arena *scratch = arena_create();
	struct records records = { .sorted = true };
	struct replay_script *script = NULL;
	const int failed = read_records(&records, scratch, path, err);

	if (!failed && records.nr)
		script = build(arena, scratch, &records, nr_streams);
	arena_destroy(scratch);
	if (failed || (script && script->nr_streams))
		return script;
	error_plain(err, "'%s' has no allocation and no free to replay", path);
	return NULL;
}
