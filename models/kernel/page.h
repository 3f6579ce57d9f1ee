/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Page frames. A struct page exists once its block of MAX_PAGE_ORDER is
 * touched: memory of a run follows the pages that it touches, not the machine.
 */
#ifndef CONTEND_KERNEL_PAGE_H
#define CONTEND_KERNEL_PAGE_H

#include <stdint.h>

#include "models/hardware/memory.h"

#define PAGE_SHIFT 12
#define PAGE_BYTES (UINT64_C(1) << PAGE_SHIFT)

#define MAX_PAGE_ORDER 10
#define NR_PAGE_ORDERS (MAX_PAGE_ORDER + 1)
#define PAGEBLOCK_ORDER 9
#define PMD_ORDER 9 /* a transparent huge page */
#define PAGE_ALLOC_COSTLY_ORDER 3

typedef uint32_t pfn_t; /* up to 16 TiB */

#define NO_PAGE UINT32_MAX

enum migratetype {
	MIGRATE_UNMOVABLE,
	MIGRATE_MOVABLE,
	MIGRATE_RECLAIMABLE,
	MIGRATE_PCPTYPES, /* these have lists of their own on the pcp */
	NR_MIGRATETYPES = MIGRATE_PCPTYPES,
};

#endif
