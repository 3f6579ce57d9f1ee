/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a compile unit consists of, from a recorded build: the tables of
 * kbuild.c, by the document docs/workload-shapes.md.
 */
#ifndef CONTEND_WORKLOADS_KBUILD_SHAPES_H
#define CONTEND_WORKLOADS_KBUILD_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

enum { SHELL, TOOL, PASS, NR_DEPTHS };

/* A process. What stands below it with a greater depth are its children, which run before it ends. */
struct shape {
	uint8_t depth;
	uint8_t times; /* one after the other; 0 ends a list */
	bool execs;
	uint16_t pages, tables, mapped; /* anonymous; page tables below the PGD; of files */
	uint32_t user_us;
	uint16_t temporary, kept; /* page cache pages written; the former go when its parent ends */
};

/*
 * docs/workload-shapes.md. mapped: from the pages of mmu_gather at exit, the middle of what so many hold, less the
 * anonymous ones; cc1's and nm's from where their first flush ended. user_us: CPU time less 3.8 us per anonymous page,
 * 0.21 us per mapped one and 350 us for fork, exec and exit (100 us without exec).
 */
/* clang-format off */
static const struct shape preparation[] = { /* by make itself, while it expands a recipe */
	{ SHELL, 7, true,    31, 13,  230,   384, 0,  0 }, /* sh, no child */
	{ .times = 0 },
};

static const struct shape recipe[] = { /* in a job slot */
	{ SHELL, 1, true,    37, 13,  230,  1060, 0,  0 }, /* sh, that compiles */
	{ TOOL,  1, true,    52, 13,  720,  1660, 0,  0 }, /* gcc */
	{ PASS,  1, true,     0,  0, 5400,     0, 7,  0 }, /* cc1: drawn */
	{ PASS,  1, true,   221, 15, 1090,  2200, 0,  2 }, /* as */
	{ TOOL,  1, true,    84, 13,  230,  4020, 0, 12 }, /* fixdep */
	{ TOOL,  1, true,    30, 13,  230,   680, 0,  0 }, /* rm */
	{ SHELL, 1, true,    32, 13,  230,   380, 0,  0 }, /* sh, that checks */
	{ TOOL,  1, true,    36, 29,  230,   615, 0,  0 }, /* check-local-export, with what its forks copy */
	{ PASS,  1, false,   12,  0,  230,    86, 0,  0 }, /* its subshell */
	{ PASS,  1, true,  2375, 70, 9500, 10690, 0,  0 }, /* nm */
	{ PASS,  1, true,    51, 14,  720,   665, 0,  0 }, /* awk */
	{ .times = 0 },
};
/* clang-format on */

/* cc1: deciles of anonymous pages and user time; both grow together. */
#define NR_DECILES 10
static const uint32_t cc1_pages[NR_DECILES + 1] = { 9555,  10920, 11240, 11455, 11546, 12047,
						    12413, 12826, 13534, 14193, 17224 };
static const uint32_t cc1_user_us[NR_DECILES + 1] = { 186000, 215000, 220000, 231000, 260000, 306000,
						      311000, 328000, 401000, 524000, 679000 };

/* Its user time by tenth of its pages, in thousandths: gaps between faults less the fault. */
#define NR_TENTHS 10
static const uint32_t cc1_pace[NR_TENTHS] = { 45, 66, 81, 64, 71, 88, 86, 97, 136, 266 };

/* cc1's page tables below the PGD: 52 for its fewest pages, 65 for its most. */
#define CC1_PAGES_PER_TABLE 590
#define CC1_TABLES_BASE 36

#endif
