/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * /proc/zoneinfo as text: the state of every zone and of each CPU's page lists in it, as a replay starts from it.
 *
 * Read by key, whatever the spacing, so that keys that came and went with the versions do no harm. Sources: mm/vmstat.c,
 * zoneinfo_show_print; pagesets have high_min and high_max since the high of a pcp list tunes itself.
 */
#ifndef CONTEND_TRACE_ZONEINFO_H
#define CONTEND_TRACE_ZONEINFO_H

#include <stddef.h>
#include <stdint.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"

/* Of a key that the file does not have. */
#define ZONEINFO_ABSENT INT64_C(-1)

/* A CPU's lists in a zone, in pages of order 0. */
struct zoneinfo_pageset {
	int cpu;
	int64_t count;
	int64_t high; /* as tuned by then; 0 on a CPU that never used the zone */
	int64_t batch;
	int64_t high_min, high_max;
};

struct zoneinfo_zone {
	int node;
	const char *name; /* "Normal" */
	int64_t free_pages, managed_pages, present_pages, spanned_pages;
	int64_t watermark_min_pages, watermark_low_pages, watermark_high_pages;
	int64_t start_pfn;
	struct zoneinfo_pageset *pagesets; /* in the file's order; none of a zone without pages */
	int nr_pagesets;
};

struct zoneinfo {
	struct zoneinfo_zone *zones; /* in the file's order */
	int nr_zones;
};

/* All of it is the arena's. NULL when the text is none, or says something twice; the error has line and column. */
struct zoneinfo *zoneinfo_parse(struct arena *arena, const char *path, const char *text, size_t bytes,
				struct error *err);

/* The same from a file, plain or compressed. */
struct zoneinfo *zoneinfo_load(struct arena *arena, const char *path, struct error *err);

/* A zone by node and name, or NULL. */
const struct zoneinfo_zone *zoneinfo_find(const struct zoneinfo *zoneinfo, int node, const char *name);

#endif
