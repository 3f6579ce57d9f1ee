/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of a reference count whose 0 means frozen or free, as up to v6.15:
 * everything but the get. Shaped for struct refcount_policy.
 */
#ifndef CONTEND_KERNEL_PAGE_REF_H
#define CONTEND_KERNEL_PAGE_REF_H

#include <stdbool.h>

#include "models/hardware/cpu.h"
#include "models/kernel/folio.h"

/* set_page_count(): one plain store. */
void page_ref_set(const void *params, struct cpu *cpu, struct folio *folio, int count);

/* page_ref_dec_and_test(): one atomic; true when the count is 0 now. */
bool page_ref_dec_and_test(const void *params, struct cpu *cpu, struct folio *folio);

/* page_ref_freeze(): one compare-and-swap count -> 0. */
bool page_ref_freeze(const void *params, struct cpu *cpu, struct folio *folio, int count);

/* page_count() outside simulated time. */
int page_ref_count(const struct folio *folio);

/*
 * The retry of page_ref_add_unless(): compare-and-swap *count -> *count + 1 with the value that each failure returns, until it
 * wins (true) or finds 0 (false); reload_ps before each try, backoff_ps after each failure.
 */
bool page_ref_inc_unless_zero(struct cpu *cpu, struct folio *folio, uint64_t count, sim_ps reload_ps,
			      sim_ps backoff_ps);

#endif
