/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/workloads/replay_builder.h"

#include "models/kernel/page.h"
#include "sim/trace/trace_event.h"

/* ---- steps ---- */

/* Migratetypes that the model lacks (highatomic, CMA) and none at all pass for movable. */
static uint8_t migratetype_of(const struct replay_record *record)
{
	const bool known = record->migratetype >= 0 && record->migratetype < NR_MIGRATETYPES;

	return known ? (uint8_t)record->migratetype : MIGRATE_MOVABLE;
}

static uint32_t add_block(struct replay_builder *builder, const struct replay_block *block)
{
	struct replay_script *script = builder->script;

	script->blocks = arena_grow(builder->arena, script->blocks, script->nr_blocks, &script->max_blocks,
				    sizeof(*script->blocks));
	script->blocks[script->nr_blocks] = *block;
	return (uint32_t)script->nr_blocks++;
}

static void add_step(struct replay_builder *builder, const struct replay_record *record, uint32_t block,
		     enum replay_action action)
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

static void add_alloc(struct replay_builder *builder, const struct replay_record *record, uint8_t migratetype)
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
static void add_free(struct replay_builder *builder, const struct replay_record *record, const struct live_block *live)
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
static int pindex_of(const struct replay_builder *builder, const struct replay_record *record)
{
	if (!builder->by_cpu[record->cpu] || !pcp_allowed_order(record->order))
		return -1;
	return order_to_pindex((enum migratetype)migratetype_of(record), record->order);
}

static struct replay_list *list_of(const struct replay_builder *builder, const struct replay_record *record, int pindex)
{
	return &builder->pcps[record->cpu]->lists[pindex];
}

static void note_listed(struct replay_builder *builder, const struct replay_record *record, int pindex)
{
	const struct live_block block = {
		.pfn = record->pfn, .number = (uint32_t)pindex, .cpu = record->cpu, .order = record->order
	};

	live_blocks_add(builder->listed, &block);
}

/* An allocation that fired no event took this block from that list, before the record. */
static void add_unseen_alloc(struct replay_builder *builder, const struct replay_record *record, int pindex,
			     uint64_t pfn)
{
	struct replay_record unseen = *record;

	unseen.pfn = pfn;
	unseen.order = (uint8_t)pindex_to_order(pindex);
	live_blocks_take(builder->listed, pfn, &(struct live_block){ 0 });
	builder->script->nr_unseen_allocs++;
	add_alloc(builder, &unseen, (uint8_t)pindex_to_migratetype(pindex));
}

/* Down to the block of this page and with it, if it is there. */
static bool take_from_list(struct replay_builder *builder, const struct replay_record *record, int pindex, uint64_t pfn)
{
	struct replay_list *list = list_of(builder, record, pindex);
	uint64_t top;

	if (!replay_list_has(list, pfn))
		return false;
	while (replay_list_pop(list, &top) && top != pfn)
		add_unseen_alloc(builder, record, pindex, top);
	return true;
}

static void take_all_from_list(struct replay_builder *builder, const struct replay_record *record, int pindex)
{
	uint64_t top;

	while (replay_list_pop(list_of(builder, record, pindex), &top))
		add_unseen_alloc(builder, record, pindex, top);
}

/* ---- events ---- */

static void on_alloc(struct replay_builder *builder, const struct replay_record *record)
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
static struct live_block block_before(struct replay_builder *builder, const struct replay_record *record)
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
static void take_unseen(struct replay_builder *builder, const struct replay_record *record,
			const struct live_block *listed)
{
	struct replay_record there = *record;

	there.cpu = listed->cpu;
	take_from_list(builder, &there, (int)listed->number, record->pfn);
	add_unseen_alloc(builder, &there, (int)listed->number, record->pfn);
}

static void note_freed(struct replay_builder *builder, const struct replay_record *record)
{
	const int pindex = pindex_of(builder, record);

	if (pindex < 0 || record->past_pcp)
		return;
	replay_list_push(list_of(builder, record, pindex), builder->scratch, record->pfn);
	note_listed(builder, record, pindex);
}

static void on_free(struct replay_builder *builder, const struct replay_record *record)
{
	struct replay_record freed = *record;
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

static void note_worker(const struct replay_builder *builder, const struct replay_record *record)
{
	struct replay_stream *stream = builder->by_cpu[record->cpu];

	if (stream && stream->decay_ns < 0)
		stream->decay_ns = record->time_ns - builder->script->first_ns;
}

static void on_drain(struct replay_builder *builder, const struct replay_record *record)
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

static void on_zone_locked(struct replay_builder *builder, const struct replay_record *record)
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

static void on_vmstat_update(struct replay_builder *builder, const struct replay_record *record)
{
	if (!builder->by_cpu[record->cpu])
		return;
	note_worker(builder, record);
	builder->by_cpu[record->cpu]->has_vmstat_updates = true;
	add_step(builder, record, 0, REPLAY_VMSTAT_UPDATE);
}

void replay_builder_add(struct replay_builder *builder, const struct replay_record *record)
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
