/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Three passes: the events that matter, sorted by time should the file not be; backwards, what an event tells of the one before
 * it; and then a step for each.
 */
#include "models/workloads/replay_script.h"

#include <stdlib.h>
#include <string.h>

#include "models/kernel/page.h"
#include "models/workloads/replay_lists.h"
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
	bool past_pcp; /* a free that put the block into the buddy lists, or an allocation's block that came from there */
};

struct records {
	struct record *all;
	int nr, max;
	bool sorted;
};

/* What is known of a recorded CPU's pcp. */
struct known_pcp {
	struct replay_list lists[NR_PCP_LISTS];
	int refilling; /* list that its last event refilled, plus 1; 0: it was none */
};

struct builder {
	struct arena *arena; /* of the script */
	struct arena *scratch;
	struct replay_script *script;
	struct replay_stream **by_cpu; /* TRACE_MAX_CPUS; NULL: no stream */
	struct known_pcp **pcps; /* the same */
	struct live_blocks *live; /* allocated now */
	struct live_blocks *listed; /* on a list, by an event; number: which */
	struct live_blocks *drained; /* and not taken since */
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

/* ---- what comes later ---- */

/*
 * The list to which a block was freed is that from which it is allocated or drained next. If it is taken from the buddy lists
 * next, without a drain, an interrupt freed it. A block that is taken from there and allocated by the very next event was no refill.
 */
static void look_ahead(struct records *records, struct arena *scratch)
{
	struct live_blocks *next_of_page = live_blocks_create(scratch);
	int *next_of_cpu = arena_calloc(scratch, TRACE_MAX_CPUS, sizeof(*next_of_cpu));

	for (int i = records->nr - 1; i >= 0; i--) {
		struct record *record = &records->all[i];
		const struct live_block here = { .pfn = record->pfn, .number = (uint32_t)i };
		const struct record *next_here =
			next_of_cpu[record->cpu] ? &records->all[next_of_cpu[record->cpu]] : NULL;
		const struct record *next = NULL;
		struct live_block found;

		if (record->type == TRACE_VMSTAT_UPDATE)
			continue;
		if (live_blocks_take(next_of_page, record->pfn, &found))
			next = &records->all[found.number];
		live_blocks_add(next_of_page, &here);
		next_of_cpu[record->cpu] = i;
		if (next && next->order != record->order)
			continue;
		if (record->type == TRACE_PAGE_FREE && next && next->type != TRACE_PAGE_FREE) {
			record->past_pcp = next->type == TRACE_PAGE_ALLOC_ZONE_LOCKED;
			record->migratetype = next->migratetype;
		} else if (record->type == TRACE_PAGE_ALLOC_ZONE_LOCKED) {
			record->past_pcp = next && next == next_here && next->type == TRACE_PAGE_ALLOC;
		}
	}
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
}

/* ---- lists ---- */

/* The list of the CPU's pcp that a record's block belongs to, as a number for struct live_block. -1: none. */
static int pindex_of(const struct builder *builder, const struct record *record)
{
	if (!builder->by_cpu[record->cpu] || !pcp_allowed_order(record->order))
		return -1;
	return order_to_pindex((enum migratetype)migratetype_of(record), record->order);
}

static struct replay_list *list_of(const struct builder *builder, const struct record *record, int pindex)
{
	return &builder->pcps[record->cpu]->lists[pindex];
}

static void note_listed(struct builder *builder, const struct record *record, int pindex)
{
	const struct live_block block = {
		.pfn = record->pfn, .number = (uint32_t)pindex, .cpu = record->cpu, .order = record->order
	};

	live_blocks_add(builder->listed, &block);
}

/* An allocation that fired no event took this block from that list, before the record. */
static void add_unseen_alloc(struct builder *builder, const struct record *record, int pindex, uint64_t pfn)
{
	struct record unseen = *record;

	unseen.pfn = pfn;
	unseen.order = (uint8_t)pindex_to_order(pindex);
	live_blocks_take(builder->listed, pfn, &(struct live_block){ 0 });
	builder->script->nr_unseen_allocs++;
	add_alloc(builder, &unseen, (uint8_t)pindex_to_migratetype(pindex));
}

/* Down to the block of this page and with it, if it is there. */
static bool take_from_list(struct builder *builder, const struct record *record, int pindex, uint64_t pfn)
{
	struct replay_list *list = list_of(builder, record, pindex);
	uint64_t top;

	if (!replay_list_has(list, pfn))
		return false;
	while (replay_list_pop(list, &top) && top != pfn)
		add_unseen_alloc(builder, record, pindex, top);
	return true;
}

static void take_all_from_list(struct builder *builder, const struct record *record, int pindex)
{
	uint64_t top;

	while (replay_list_pop(list_of(builder, record, pindex), &top))
		add_unseen_alloc(builder, record, pindex, top);
}

/* ---- events ---- */

static void on_alloc(struct builder *builder, const struct record *record)
{
	const int pindex = pindex_of(builder, record);
	struct live_block old;
	bool known = live_blocks_take(builder->live, record->pfn, &old);

	if (known) {
		builder->script->nr_unseen_frees++;
		add_free(builder, record, &old);
	} else {
		known = live_blocks_take(builder->listed, record->pfn, &old);
		if (known && old.cpu == record->cpu && (int)old.number == pindex)
			take_from_list(builder, record, pindex, record->pfn);
	}
	if (!known && !live_blocks_take(builder->drained, record->pfn, &old) && pindex >= 0)
		builder->by_cpu[record->cpu]->nr_listed[pindex]++;
	add_alloc(builder, record, migratetype_of(record));
}

/* A block that was there when the trace began. */
static struct live_block block_before(struct builder *builder, const struct record *record)
{
	const struct replay_block block = {
		.slot = REPLAY_NO_SLOT,
		.order = record->order,
		.migratetype = migratetype_of(record),
		.before = true,
	};

	return (struct live_block){
		.pfn = record->pfn,
		.number = add_block(builder, &block),
		.cpu = record->cpu,
		.order = record->order,
	};
}

/* A block that is freed, and lay on a list until now as far as the events tell. */
static void take_unseen(struct builder *builder, const struct record *record, const struct live_block *listed)
{
	struct record there = *record;

	there.cpu = listed->cpu;
	take_from_list(builder, &there, (int)listed->number, record->pfn);
	add_unseen_alloc(builder, &there, (int)listed->number, record->pfn);
}

static void note_freed(struct builder *builder, const struct record *record)
{
	const int pindex = pindex_of(builder, record);

	if (pindex < 0 || record->past_pcp)
		return;
	replay_list_push(list_of(builder, record, pindex), builder->scratch, record->pfn);
	note_listed(builder, record, pindex);
}

static void on_free(struct builder *builder, const struct record *record)
{
	struct record freed = *record;
	struct live_block live, listed;

	if (live_blocks_take(builder->listed, record->pfn, &listed) && listed.order == record->order)
		take_unseen(builder, record, &listed);
	if (!live_blocks_take(builder->live, record->pfn, &live))
		live = block_before(builder, record);
	add_free(builder, record, &live);
	builder->script->blocks[live.number].past_pcp = record->past_pcp;
	if (freed.migratetype < 0)
		freed.migratetype = (int8_t)builder->script->blocks[live.number].migratetype;
	note_freed(builder, &freed);
}

static void note_worker(const struct builder *builder, const struct record *record)
{
	struct replay_stream *stream = builder->by_cpu[record->cpu];

	if (stream && stream->decay_ns < 0)
		stream->decay_ns = record->time_ns - builder->script->first_ns;
}

static void on_drain(struct builder *builder, const struct record *record)
{
	const struct live_block drained = { .pfn = record->pfn };
	const int pindex = pindex_of(builder, record);
	struct live_block listed;

	if (record->by_worker)
		note_worker(builder, record);
	if (live_blocks_take(builder->listed, record->pfn, &listed))
		replay_list_remove(&builder->pcps[listed.cpu]->lists[listed.number], record->pfn);
	else if (pindex >= 0 && !live_blocks_take(builder->drained, record->pfn, &listed))
		builder->by_cpu[record->cpu]->nr_listed[pindex]++;
	live_blocks_add(builder->drained, &drained);
}

static void on_zone_locked(struct builder *builder, const struct record *record)
{
	const int pindex = pindex_of(builder, record);

	live_blocks_take(builder->drained, record->pfn, &(struct live_block){ 0 });
	if (pindex < 0 || record->past_pcp) {
		live_blocks_add(builder->drained, &(struct live_block){ .pfn = record->pfn });
		return;
	}
	if (builder->pcps[record->cpu]->refilling != pindex + 1)
		take_all_from_list(builder, record, pindex);
	builder->by_cpu[record->cpu]->refilled[pindex] = true;
	replay_list_append(list_of(builder, record, pindex), builder->scratch, record->pfn);
	note_listed(builder, record, pindex);
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
	if (builder->pcps[record->cpu])
		builder->pcps[record->cpu]->refilling =
			record->type == TRACE_PAGE_ALLOC_ZONE_LOCKED && !record->past_pcp
				? pindex_of(builder, record) + 1
				: 0;
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

static struct replay_script *build(struct arena *arena, struct arena *scratch, const struct records *records,
				   int nr_streams)
{
	struct builder builder = {
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

	look_ahead(&records, scratch);
	if (!failed && records.nr)
		script = build(arena, scratch, &records, nr_streams);
	arena_destroy(scratch);
	if (failed || (script && script->nr_streams))
		return script;
	error_plain(err, "'%s' has no allocation and no free to replay", path);
	return NULL;
}
