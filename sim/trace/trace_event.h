/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One tracepoint of a recorded kernel trace that has to do with pages, whatever file it came from.
 *
 * Source: include/trace/events/kmem.h. mm_page_free fires for every freed block; mm_page_free_batched fires besides and
 * must not be counted as another free. mm_page_pcpu_drain fires per block that goes from a pcp list to the buddy lists,
 * mm_page_alloc_zone_locked per block that is taken from them. Of workqueue_execute_start (include/trace/events/workqueue.h)
 * only those are events here that start vmstat_update(), the 1 s worker that decays a CPU's pcp->high; they have no block.
 */
#ifndef CONTEND_TRACE_TRACE_EVENT_H
#define CONTEND_TRACE_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_MAX_CPUS 8192 /* the kernel's own limit of NR_CPUS */
#define TRACE_MAX_ORDER 31
#define TRACE_MAX_MIGRATETYPE 15
#define TRACE_MAX_PFN ((UINT64_C(1) << 52) - 1)
#define TRACE_COMM_BYTES 16 /* TASK_COMM_LEN: 15 bytes and a NUL */

enum trace_type {
	TRACE_PAGE_ALLOC,
	TRACE_PAGE_FREE,
	TRACE_PAGE_FREE_BATCHED,
	TRACE_PAGE_ALLOC_ZONE_LOCKED,
	TRACE_PAGE_PCPU_DRAIN,
	TRACE_PAGE_ALLOC_EXTFRAG, /* order and migratetype are those that were asked for */
	TRACE_VMSTAT_UPDATE, /* of this CPU; pfn and order are 0 */
	NR_TRACE_TYPES
};

/* The kernel's names, by type. */
extern const char *const trace_type_names[NR_TRACE_TYPES];

struct trace_event {
	int64_t time_ns; /* of the trace's clock; not below 0 */
	uint64_t pfn; /* of the block's first page; 0 without a block */
	int32_t pid; /* of the task (thread), -1 when unknown */
	uint16_t cpu;
	uint8_t type; /* enum trace_type */
	uint8_t order;
	int8_t migratetype; /* -1: the event has none */
	int8_t percpu_refill; /* 0 or 1, -1: the event has none */
	char comm[TRACE_COMM_BYTES]; /* the task's name, NUL-filled; empty when unknown */
};

/* Whether every field is inside its limits and comm ends: what readers promise and the writer asks for. */
bool trace_event_is_valid(const struct trace_event *event);

bool trace_event_same(const struct trace_event *a, const struct trace_event *b);

/* Why a line or a record of a trace gave no event. */
enum trace_skip {
	TRACE_SKIP_NONE,
	TRACE_SKIP_HEADING,
	TRACE_SKIP_OTHER_EVENT,
	TRACE_SKIP_FAILED_ALLOC,
	TRACE_SKIP_LOST,
	TRACE_SKIP_NO_EVENT,
	TRACE_SKIP_CUT,
	TRACE_SKIP_MALFORMED,
	TRACE_SKIP_TOO_LONG,
	NR_TRACE_SKIPS
};

/* As "N ..." says it, by reason; the one of TRACE_SKIP_NONE is empty. */
extern const char *const trace_skip_texts[NR_TRACE_SKIPS];

struct trace_skipped {
	uint64_t nr[NR_TRACE_SKIPS]; /* by reason; [TRACE_SKIP_NONE] stays 0 */
	uint64_t nr_lost_events; /* as far as the markers say: the recorder dropped them */
};

#endif
