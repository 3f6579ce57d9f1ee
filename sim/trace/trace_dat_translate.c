/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From records of libtracecmd to our events. The formats in the file say where in a record each field is, so that any
 * kernel's layout will do; they may say anything, so every field is held against the record's size.
 *
 * Sources: include/trace/events/kmem.h, workqueue.h; also of older kernels: an allocation that failed has pfn -1 (printed as 0); before
 * v5.19 mm_page_alloc_zone_locked has no percpu_refill and prints whether order is 0.
 */
#include "sim/trace/trace_dat_parts.h"

#include <string.h>
#include <trace-cmd.h>

#define FIELD_NONE NULL /* the event has none */

/* An event of ours in this file. */
struct known {
	struct tep_event *event; /* NULL: the file does not have it */
	struct tep_format_field *pfn, *order, *migratetype, *percpu_refill, *function; /* NULL: it has no such field */
};

struct translation {
	struct tep_handle *tep;
	struct known known[NR_TRACE_TYPES];
	FILE *events;
	struct trace_dat_report *report;
};

/* The fields' names by type; order is 0 where there is none. */
static const struct names {
	const char *order, *migratetype, *percpu_refill;
} names[NR_TRACE_TYPES] = {
	[TRACE_PAGE_ALLOC] = { "order", "migratetype", FIELD_NONE },
	[TRACE_PAGE_FREE] = { "order", FIELD_NONE, FIELD_NONE },
	[TRACE_PAGE_FREE_BATCHED] = { FIELD_NONE, FIELD_NONE, FIELD_NONE },
	[TRACE_PAGE_ALLOC_ZONE_LOCKED] = { "order", "migratetype", "percpu_refill" },
	[TRACE_PAGE_PCPU_DRAIN] = { "order", "migratetype", FIELD_NONE },
	[TRACE_PAGE_ALLOC_EXTFRAG] = { "alloc_order", "alloc_migratetype", FIELD_NONE },
};

static struct tep_format_field *find_field(struct tep_event *event, const char *name)
{
	return name ? tep_find_field(event, name) : NULL;
}

/* False when the file has none of our events. */
static bool find_events(struct translation *translation)
{
	bool found = false;

	for (int type = 0; type < NR_TRACE_TYPES; type++) {
		const bool kmem = type != TRACE_VMSTAT_UPDATE;
		struct tep_event *event =
			tep_find_event_by_name(translation->tep, kmem ? "kmem" : "workqueue", trace_type_names[type]);

		if (!event)
			continue;
		found |= kmem;
		translation->known[type] = (struct known){
			.event = event,
			.pfn = find_field(event, "pfn"),
			.order = find_field(event, names[type].order),
			.migratetype = find_field(event, names[type].migratetype),
			.percpu_refill = find_field(event, names[type].percpu_refill),
			.function = kmem ? NULL : find_field(event, "function"),
		};
	}
	return found;
}

/* A field as a number, its sign not extended. False when it is not there or not inside the record. */
static bool read_field(struct tep_format_field *field, const struct tep_record *record, uint64_t *value)
{
	unsigned long long number;

	if (!field || field->offset < 0 || field->size < 1 || field->size > 8 || field->offset > record->size ||
	    field->size > record->size - field->offset || tep_read_number_field(field, record->data, &number) != 0)
		return false;
	*value = number & UINT64_MAX >> (64 - 8 * field->size);
	return true;
}

/* -1, whatever the size of the kernel's long, is no page. */
static uint64_t page_of(uint64_t pfn, const struct tep_format_field *field)
{
	return pfn == UINT64_MAX >> (64 - 8 * field->size) ? 0 : pfn;
}

/* A small number that may be absent, which is -1; false when it is out of range. */
static bool read_small(struct tep_format_field *field, const struct tep_record *record, uint64_t max, int8_t *out)
{
	uint64_t value;

	*out = -1;
	if (!field)
		return true;
	if (!read_field(field, record, &value) || value > max)
		return false;
	*out = (int8_t)value;
	return true;
}

static bool read_block(const struct known *known, const struct tep_record *record, struct trace_event *event)
{
	uint64_t pfn, order = 0;

	if (!read_field(known->pfn, record, &pfn) || page_of(pfn, known->pfn) > TRACE_MAX_PFN)
		return false;
	if (names[event->type].order && (!read_field(known->order, record, &order) || order > TRACE_MAX_ORDER))
		return false;
	event->pfn = page_of(pfn, known->pfn);
	event->order = (uint8_t)order;
	return read_small(known->migratetype, record, TRACE_MAX_MIGRATETYPE, &event->migratetype) &&
	       read_small(known->percpu_refill, record, 1, &event->percpu_refill);
}

/* Does the work that begins run vmstat_update()? The file's symbols tell. */
static enum trace_skip read_work(const struct translation *translation, const struct known *known,
				 const struct tep_record *record, struct trace_event *event)
{
	const char *name;
	uint64_t function;

	if (!read_field(known->function, record, &function))
		return TRACE_SKIP_MALFORMED;
	name = tep_find_function(translation->tep, function);
	event->migratetype = event->percpu_refill = -1;
	return name && strcmp(name, "vmstat_update") == 0 ? TRACE_SKIP_NONE : TRACE_SKIP_OTHER_EVENT;
}

static bool read_task(const struct translation *translation, const struct known *known, const struct tep_record *record,
		      struct trace_event *event)
{
	uint64_t pid;

	event->pid = -1;
	if (!read_field(tep_find_common_field(known->event, "common_pid"), record, &pid) || pid > INT32_MAX)
		return false;
	event->pid = (int32_t)pid;
	strncpy(event->comm, tep_data_comm_from_pid(translation->tep, event->pid), sizeof(event->comm) - 1);
	return true;
}

static enum trace_skip read_event(const struct translation *translation, const struct known *known,
				  const struct tep_record *record, struct trace_event *event)
{
	if (record->ts > INT64_MAX || record->cpu < 0 || record->cpu >= TRACE_MAX_CPUS)
		return TRACE_SKIP_MALFORMED;
	memset(event, 0, sizeof(*event));
	event->time_ns = (int64_t)record->ts;
	event->cpu = (uint16_t)record->cpu;
	event->type = (uint8_t)(known - translation->known);
	if (!read_task(translation, known, record, event))
		return TRACE_SKIP_MALFORMED;
	if (event->type == TRACE_VMSTAT_UPDATE)
		return read_work(translation, known, record, event);
	if (!read_block(known, record, event))
		return TRACE_SKIP_MALFORMED;
	if (event->type == TRACE_PAGE_ALLOC_ZONE_LOCKED && !known->percpu_refill)
		event->percpu_refill = event->order == 0;
	return event->type == TRACE_PAGE_ALLOC && event->pfn == 0 ? TRACE_SKIP_FAILED_ALLOC : TRACE_SKIP_NONE;
}

static const struct known *find_known(const struct translation *translation, struct tep_record *record)
{
	const int id = tep_data_type(translation->tep, record);

	for (int type = 0; type < NR_TRACE_TYPES; type++) {
		const struct known *known = &translation->known[type];

		if (known->event && known->event->id == id)
			return known;
	}
	return NULL;
}

static int take_record(struct tracecmd_input *input, struct tep_record *record, int cpu, void *data)
{
	const struct translation *translation = data;
	struct trace_skipped *skipped = &translation->report->skipped;
	const struct known *known = find_known(translation, record);
	enum trace_skip skip = TRACE_SKIP_OTHER_EVENT;
	struct trace_event event;

	(void)input;
	(void)cpu;
	if (record->missed_events) { /* before this one; negative: nobody counted them */
		skipped->nr[TRACE_SKIP_LOST]++;
		skipped->nr_lost_events += record->missed_events > 0 ? (uint64_t)record->missed_events : 0;
	}
	if (known)
		skip = read_event(translation, known, record, &event);
	if (skip != TRACE_SKIP_NONE)
		skipped->nr[skip]++;
	else if (fwrite(&event, sizeof(event), 1, translation->events) != 1)
		return -1;
	return 0;
}

void trace_dat_translate(int fd, FILE *events, struct trace_dat_report *report)
{
	struct translation translation = { .events = events, .report = report };
	struct tracecmd_input *input;

	tracecmd_set_loglevel(TEP_LOG_NONE);
	tep_set_loglevel(TEP_LOG_NONE);
	input = tracecmd_open_fd(fd, TRACECMD_FL_LOAD_NO_PLUGINS);
	translation.tep = input ? tracecmd_get_tep(input) : NULL;
	report->outcome = TRACE_DAT_UNREADABLE;
	if (!translation.tep)
		return;
	report->outcome = TRACE_DAT_WITHOUT_KMEM;
	if (!find_events(&translation))
		return;
	report->outcome = TRACE_DAT_UNFINISHED;
	if (tracecmd_iterate_events(input, NULL, 0, take_record, &translation) == 0 && fflush(events) == 0)
		report->outcome = TRACE_DAT_COMPLETE;
}
