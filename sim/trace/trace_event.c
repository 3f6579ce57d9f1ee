/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/trace/trace_event.h"

#include <string.h>

const char *const trace_type_names[NR_TRACE_TYPES] = {
	[TRACE_PAGE_ALLOC] = "mm_page_alloc",
	[TRACE_PAGE_FREE] = "mm_page_free",
	[TRACE_PAGE_FREE_BATCHED] = "mm_page_free_batched",
	[TRACE_PAGE_ALLOC_ZONE_LOCKED] = "mm_page_alloc_zone_locked",
	[TRACE_PAGE_PCPU_DRAIN] = "mm_page_pcpu_drain",
	[TRACE_PAGE_ALLOC_EXTFRAG] = "mm_page_alloc_extfrag",
	[TRACE_VMSTAT_UPDATE] = "workqueue_execute_start",
};

const char *const trace_skip_texts[NR_TRACE_SKIPS] = {
	[TRACE_SKIP_NONE] = "",
	[TRACE_SKIP_HEADING] = "headings and blank lines",
	[TRACE_SKIP_OTHER_EVENT] = "events of other kinds",
	[TRACE_SKIP_FAILED_ALLOC] = "allocations that failed",
	[TRACE_SKIP_LOST] = "marks of lost events",
	[TRACE_SKIP_NO_EVENT] = "lines that are no event",
	[TRACE_SKIP_CUT] = "events cut off by the end of the file",
	[TRACE_SKIP_MALFORMED] = "events with a field that is missing or out of range",
	[TRACE_SKIP_TOO_LONG] = "lines that are too long",
};

/* NUL-filled behind the text: two events compare equal by their bytes, and nothing of an old name is written to a file. */
static bool comm_is_valid(const char *comm)
{
	const char *end = memchr(comm, '\0', TRACE_COMM_BYTES);

	for (; end && end < comm + TRACE_COMM_BYTES; end++) {
		if (*end)
			return false;
	}
	return end != NULL;
}

bool trace_event_is_valid(const struct trace_event *event)
{
	return event->time_ns >= 0 && event->pfn <= TRACE_MAX_PFN && event->pid >= -1 && event->cpu < TRACE_MAX_CPUS &&
	       event->type < NR_TRACE_TYPES && event->order <= TRACE_MAX_ORDER && event->migratetype >= -1 &&
	       event->migratetype <= TRACE_MAX_MIGRATETYPE && event->percpu_refill >= -1 && event->percpu_refill <= 1 &&
	       comm_is_valid(event->comm);
}

bool trace_event_same(const struct trace_event *a, const struct trace_event *b)
{
	return a->time_ns == b->time_ns && a->pfn == b->pfn && a->pid == b->pid && a->cpu == b->cpu &&
	       a->type == b->type && a->order == b->order && a->migratetype == b->migratetype &&
	       a->percpu_refill == b->percpu_refill && memcmp(a->comm, b->comm, TRACE_COMM_BYTES) == 0;
}
