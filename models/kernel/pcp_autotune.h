/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The autotuned pcp of v6.7 and later: high moves between high_min and
 * high_max, up with every refill, down with reclaim and time; refills double
 * while nothing is freed, flushes grow with the run of pages freed.
 *
 * Its design points differ in the free_high rule's threshold alone, which is a
 * parameter here: a run of so many pages freed makes the next block of order 1
 * to 3 flush the list (when the one before it was of such an order too).
 *
 * Source: Huang Ying, "mm: PCP high auto-tuning" (V3, 2023-10-16), and
 * nr_pcp_alloc(), nr_pcp_high(), nr_pcp_free() and free_frozen_page_commit()
 * of mm/page_alloc.c, v6.12 and v6.16.
 */
#ifndef CONTEND_KERNEL_PCP_AUTOTUNE_H
#define CONTEND_KERNEL_PCP_AUTOTUNE_H

#include "models/kernel/pcp.h"

struct pcp_autotune_params {
	struct pcp_limits limits;
	uint32_t batch_scale_max;
	uint32_t free_high_batches;
	uint32_t free_high_min_pct;
};

/* clang-format off */
/* A policy's table, by its defaults for the threshold. */
#define PCP_AUTOTUNE_PARAMS(free_high_batches_, free_high_min_pct_) \
	PCP_LIMIT_PARAMS(struct pcp_autotune_params), \
	PCP_HIGH_MAX_PARAM(struct pcp_autotune_params), \
	PARAM(struct pcp_autotune_params, batch_scale_max, "", 5, 0, 6, "a refill, flush or drain is at most batch * 2^this (CONFIG_PCP_BATCH_SCALE_MAX)"), \
	PARAM(struct pcp_autotune_params, free_high_batches, "", free_high_batches_, 0, 1000, "free_high: a block of order 1 to 3 flushes the pcp after a run of so many batches of pages freed ..."), \
	PARAM(struct pcp_autotune_params, free_high_min_pct, "pct", free_high_min_pct_, 0, 1000, "... and this part of high_min: the rest of the threshold on the run")
/* clang-format on */

/* The operations of struct pcp_high_policy, over struct pcp_autotune_params. */
int pcp_autotune_nr_alloc(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, unsigned order);
void pcp_autotune_allocated(const void *params, struct per_cpu_pages *pcp, uint32_t nr);
int pcp_autotune_freed(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, unsigned order,
		       bool *free_high);
uint32_t pcp_autotune_freed_quietly(const void *params, struct per_cpu_pages *pcp, unsigned zone_flags, uint32_t nr);
int pcp_autotune_decay(const void *params, struct per_cpu_pages *pcp);
int pcp_autotune_drain(const void *params, const struct per_cpu_pages *pcp);

#endif
