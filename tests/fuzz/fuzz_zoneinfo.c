/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as /proc/zoneinfo. Refused with a message that has a position, or
 * zones that differ, CPUs in ascending order, and no number below 0 but for
 * what is absent.
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "sim/trace/zoneinfo.h"

#define MUST(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

static void check_pageset(const struct zoneinfo_pageset *pageset, int last_cpu)
{
	const int64_t numbers[] = { pageset->count, pageset->high, pageset->batch, pageset->high_min,
				    pageset->high_max };

	MUST(pageset->cpu > last_cpu && pageset->cpu < 8192);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		MUST(numbers[i] >= ZONEINFO_ABSENT);
}

static void check_zone(const struct zoneinfo *zoneinfo, const struct zoneinfo_zone *zone)
{
	int last_cpu = -1;

	MUST(zoneinfo_find(zoneinfo, zone->node, zone->name) == zone);
	MUST(zone->free_pages >= ZONEINFO_ABSENT && zone->managed_pages >= ZONEINFO_ABSENT &&
	     zone->start_pfn >= ZONEINFO_ABSENT);
	for (int i = 0; i < zone->nr_pagesets; i++) {
		check_pageset(&zone->pagesets[i], last_cpu);
		last_cpu = zone->pagesets[i].cpu;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	char *exact = malloc(size ? size : 1);
	const struct zoneinfo *zoneinfo;
	struct error err = { 0 };

	MUST(exact);
	if (size)
		memcpy(exact, data, size);
	zoneinfo = zoneinfo_parse(arena, "zoneinfo", exact, size, &err);
	MUST(zoneinfo ? zoneinfo->nr_zones > 0 : err.text[0] && err.pos.file);
	for (int i = 0; zoneinfo && i < zoneinfo->nr_zones; i++)
		check_zone(zoneinfo, &zoneinfo->zones[i]);
	free(exact);
	arena_destroy(arena);
	return 0;
}
