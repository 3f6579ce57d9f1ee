/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/zoneinfo of several kernels, and texts that are none. */
#include "sim/trace/zoneinfo.h"

#include "tests/support/scratch.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static struct zoneinfo *parse(const struct scratch *scratch, const char *text, struct error *err)
{
	return zoneinfo_parse(scratch->arena, "z", text, strlen(text), err);
}

static void assert_pageset(const struct zoneinfo_pageset *pageset, const struct zoneinfo_pageset *expected)
{
	assert_int_equal(pageset->cpu, expected->cpu);
	assert_int_equal(pageset->count, expected->count);
	assert_int_equal(pageset->high, expected->high);
	assert_int_equal(pageset->batch, expected->batch);
	assert_int_equal(pageset->high_min, expected->high_min);
	assert_int_equal(pageset->high_max, expected->high_max);
}

/* Values as they stand in the file. */
static void the_file_of_kernel_6_18_is_read_whole(void **state)
{
	static const struct zoneinfo_pageset normal[] = {
		{ 0, 126, 7830, 63, 7830, 139264 },
		{ 1, 223, 252, 63, 7830, 139264 },
	};
	const struct scratch *scratch = *state;
	struct error err = { 0 };
	const struct zoneinfo *zoneinfo =
		zoneinfo_load(scratch->arena, CONTEND_SOURCE_DIR "/tests/data/traces/kbuild-6.18.zoneinfo.txt", &err);
	const struct zoneinfo_zone *zone;

	assert_non_null(zoneinfo);
	assert_int_equal(zoneinfo->nr_zones, 5);
	zone = zoneinfo_find(zoneinfo, 0, "Normal");
	assert_ptr_equal(zone, &zoneinfo->zones[2]);
	assert_int_equal(zone->free_pages, 1467226);
	assert_int_equal(zone->watermark_min_pages, 12529);
	assert_int_equal(zone->watermark_low_pages, 15661);
	assert_int_equal(zone->watermark_high_pages, 18793);
	assert_int_equal(zone->spanned_pages, 5505024);
	assert_int_equal(zone->present_pages, 5505024);
	assert_int_equal(zone->managed_pages, 2228224);
	assert_int_equal(zone->start_pfn, 1048576);
	assert_int_equal(zone->nr_pagesets, 2);
	for (int i = 0; i < 2; i++)
		assert_pageset(&zone->pagesets[i], &normal[i]);
	zone = zoneinfo_find(zoneinfo, 0, "Movable");
	assert_int_equal(zone->managed_pages, 0);
	assert_int_equal(zone->nr_pagesets, 0);
	assert_int_equal(zone->start_pfn, ZONEINFO_ABSENT);
	assert_null(zoneinfo_find(zoneinfo, 1, "Normal"));
	assert_null(zoneinfo_find(zoneinfo, 0, "HighMem"));
}

/* No high_min and high_max, no promo, other spacing, carriage returns, unknown keys, CPUs that are off, two nodes. */
static void keys_of_other_kernels_may_be_missing_or_new(void **state)
{
	static const char text[] = "Node 0, zone   Normal\n"
				   "  per-node stats\n"
				   "      high 99\n"
				   "      nr_mapped 5\n"
				   "  pages free     10\r\n"
				   "        min      1\n"
				   "        future   many\n"
				   "        protection: (0, 0, 0)\n"
				   "  pagesets\n"
				   "    cpu: 0\n"
				   "              count: -2\n"
				   "              high:  42\n"
				   "              batch: 7\n"
				   "  vm stats threshold: 4\n"
				   "    cpu: 3\n"
				   "              count:5\n"
				   "  node_unreclaimable:  0\n"
				   "  start_pfn:           64\n"
				   "\n"
				   "Node 1, zone   Normal\n"
				   "  pages free     20\n"
				   "        managed  30\n"
				   "  start_pfn:     7";
	static const struct zoneinfo_pageset first = { 0, 0, 42, 7, ZONEINFO_ABSENT, ZONEINFO_ABSENT };
	static const struct zoneinfo_pageset second = { 3, 5, -1, -1, -1, -1 };
	struct error err = { 0 };
	const struct zoneinfo *zoneinfo = parse(*state, text, &err);
	const struct zoneinfo_zone *zone;

	assert_non_null(zoneinfo);
	assert_int_equal(zoneinfo->nr_zones, 2);
	zone = zoneinfo_find(zoneinfo, 0, "Normal");
	assert_int_equal(zone->free_pages, 10);
	assert_int_equal(zone->watermark_min_pages, 1);
	assert_int_equal(zone->watermark_high_pages, ZONEINFO_ABSENT);
	assert_int_equal(zone->start_pfn, 64);
	assert_int_equal(zone->nr_pagesets, 2);
	assert_pageset(&zone->pagesets[0], &first);
	assert_pageset(&zone->pagesets[1], &second);
	zone = zoneinfo_find(zoneinfo, 1, "Normal");
	assert_int_equal(zone->free_pages, 20);
	assert_int_equal(zone->managed_pages, 30);
	assert_int_equal(zone->start_pfn, 7);
}

#define ZONE "Node 0, zone Normal\n"

static void what_is_no_zoneinfo_is_refused_with_its_position(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", "z: this is no /proc/zoneinfo: it has no zone" },
		{ "\n\n", "z:2:0: this is no /proc/zoneinfo: it has no zone" },
		{ "MemTotal: 5 kB\n", "z:1:1: this is no /proc/zoneinfo: it has to begin with 'Node N, zone NAME'" },
		{ "Node 0\n", "z:1:1: this needs to be 'Node N, zone NAME'" },
		{ "Node x, zone DMA\n", "z:1:1: this needs to be 'Node N, zone NAME'" },
		{ "Node 0, zone \n", "z:1:1: this needs to be 'Node N, zone NAME'" },
		{ "Node 0, zones DMA\n", "z:1:1: this needs to be 'Node N, zone NAME'" },
		{ "Node 0 zone DMA\n", "z:1:1: this needs to be 'Node N, zone NAME'" },
		{ "Node 1024, zone DMA\n", "z:1:1: node 1024 is not below 1024" },
		{ ZONE "  pages free\n", "z:2:13: 'pages free' needs a whole number" },
		{ ZONE "  pages free 1x\n", "z:2:14: 'pages free' needs a whole number" },
		{ ZONE "  pages free 1\n  pages free 1\n", "z:3:3: 'pages free' twice" },
		{ ZONE "  pages free 1\n  min 1234567890123456789\n", "z:3:7: 'min' needs a whole number" },
		{ ZONE "  pages free 1\n  min 1\n  min 1\n", "z:4:3: 'min' twice" },
		{ ZONE "  pagesets\n cpu: 8192\n", "z:3:7: CPU 8192 is not below 8192" },
		{ ZONE "  pagesets\n cpu: 1\n cpu: 1\n", "z:4:7: CPU 1 after CPU 1: their numbers need to rise" },
		{ ZONE "  pagesets\n cpu: 1\n high: -\n", "z:4:8: 'high' needs a whole number" },
		{ ZONE ZONE, "z:2:1: node 0 has a zone 'Normal' already: is this more than one /proc/zoneinfo?" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = { 0 };
		char text[ERROR_TEXT_BYTES];

		assert_null(parse(*state, cases[i].text, &err));
		assert_string_equal(error_format(&err, text, sizeof(text)), cases[i].error);
	}
}

/* 700 KiB: more than one piece of the file. */
static void a_file_of_many_cpus_is_read_to_its_end(void **state)
{
	enum { NR_CPUS = 8192 };
	const struct scratch *scratch = *state;
	char *text = arena_alloc(scratch->arena, 4 << 20);
	char *at = text + sprintf(text, ZONE "  pages free 1\n  pagesets\n");
	struct error err = { 0 };
	const struct zoneinfo *zoneinfo;

	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		at += sprintf(at, "    cpu: %d\n              count:    %d\n              high_min: 7830\n", cpu,
			      3 * cpu);
	zoneinfo = zoneinfo_load(scratch->arena, scratch_write(scratch, "zoneinfo", text), &err);
	assert_non_null(zoneinfo);
	assert_int_equal(zoneinfo->zones[0].nr_pagesets, NR_CPUS);
	for (int cpu = 0; cpu < NR_CPUS; cpu++)
		assert_int_equal(zoneinfo->zones[0].pagesets[cpu].count, 3 * cpu);
}

static void a_file_that_cannot_be_read_says_why(void **state)
{
	const struct scratch *scratch = *state;
	struct error err = { 0 };

	assert_null(zoneinfo_load(scratch->arena, scratch_path(scratch, "missing"), &err));
	assert_non_null(strstr(err.text, "missing': No such file or directory"));
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(the_file_of_kernel_6_18_is_read_whole),
		IN_SCRATCH(keys_of_other_kernels_may_be_missing_or_new),
		IN_SCRATCH(what_is_no_zoneinfo_is_refused_with_its_position),
		IN_SCRATCH(a_file_of_many_cpus_is_read_to_its_end),
		IN_SCRATCH(a_file_that_cannot_be_read_says_why),
	};

	return cmocka_run_group_tests_name("zoneinfo", tests, NULL, NULL);
}
