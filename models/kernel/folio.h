/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page-cache folio of order 0: its struct page is one cache line that holds
 * the flags, the mapping and the reference count (64-byte struct page, v6.15).
 */
#ifndef CONTEND_KERNEL_FOLIO_H
#define CONTEND_KERNEL_FOLIO_H

#include <stdbool.h>

#include "models/hardware/line.h"
#include "models/kernel/wait_queue.h"

/* Words of the struct page line, in the order of the structure. */
enum folio_word {
	FOLIO_FLAGS,
	FOLIO_MAPPING,
	FOLIO_REFCOUNT,
};

/* Bits of FOLIO_FLAGS. */
#define PG_LOCKED UINT64_C(1)
#define PG_WAITERS UINT64_C(2)

struct folio {
	struct line *page; /* struct page */
	struct line *data; /* first line of the contents */
	struct wait_queue_head *waitqueue; /* folio_waitqueue(): hashed, shared by folios */
};

/* struct refcount_policy in refcount.h, struct folio_lock_policy in folio_lock.h decide how these lines are used. */

#endif
