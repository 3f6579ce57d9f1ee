/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/workloads/replay_records.h"

#include <stdlib.h>
#include <string.h>

#include "models/kernel/page.h"
#include "sim/trace/live_blocks.h"
#include "sim/trace/trace_reader.h"

/* Names of the kernel's workers begin so; vmstat_update() runs on one. */
#define WORKER "kworker/"

static bool matters(const struct trace_event *event)
{
	return event->type != TRACE_PAGE_FREE_BATCHED && event->type != TRACE_PAGE_ALLOC_EXTFRAG;
}

static void records_add(struct replay_records *records, struct arena *arena, const struct trace_event *event)
{
	struct replay_record *record;

	records->all = arena_grow(arena, records->all, records->nr, &records->max, sizeof(*records->all));
	record = &records->all[records->nr];
	*record = (struct replay_record){
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
	const struct replay_record *one = a;
	const struct replay_record *other = b;

	if (one->time_ns != other->time_ns)
		return one->time_ns < other->time_ns ? -1 : 1;
	return one->number - other->number;
}

/* What the next event of its page tells of an event; next_here is the next of its CPU. NULL: there is none. */
static void learn(struct replay_record *record, const struct replay_record *next, const struct replay_record *next_here)
{
	if (next && next->order != record->order)
		return;
	if (record->type == TRACE_PAGE_FREE && next && next->type != TRACE_PAGE_FREE) {
		record->past_pcp = next->type == TRACE_PAGE_ALLOC_ZONE_LOCKED;
		record->migratetype = next->migratetype;
	} else if (record->type == TRACE_PAGE_ALLOC_ZONE_LOCKED) {
		record->past_pcp = next && next == next_here && next->type == TRACE_PAGE_ALLOC;
	}
}

/* Backwards. */
static void look_ahead(struct replay_records *records)
{
	struct arena *scratch = arena_create();
	struct live_blocks *next_of_page = live_blocks_create(scratch);
	const struct replay_record **next_of_cpu = arena_calloc(scratch, TRACE_MAX_CPUS, sizeof(*next_of_cpu));

	for (int i = records->nr - 1; i >= 0; i--) {
		struct replay_record *record = &records->all[i];
		const struct live_block here = { .pfn = record->pfn, .number = (uint32_t)i };
		struct live_block next;
		bool found;

		if (record->type == TRACE_VMSTAT_UPDATE)
			continue;
		found = live_blocks_take(next_of_page, record->pfn, &next);
		learn(record, found ? &records->all[next.number] : NULL, next_of_cpu[record->cpu]);
		live_blocks_add(next_of_page, &here);
		next_of_cpu[record->cpu] = record;
	}
	arena_destroy(scratch);
}

int replay_records_read(struct replay_records *records, struct arena *arena, const char *path, struct error *err)
{
	struct trace_reader *reader = trace_reader_open(arena, path, err);
	struct trace_event event;
	int found = reader ? 1 : -1;

	*records = (struct replay_records){ .sorted = true };
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
	look_ahead(records);
	return found;
}
