/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pcp_high: v6.16, the autotuned pcp with a threshold of batch + high_min / 2
 * for the free_high rule: as long as the run was, on average, that triggered
 * it up to v6.6 (Nikhil Dhama, "mm: pcp: increase pcp->free_count threshold to
 * trigger free_high", merged as c544a952ba61).
 */
#include "models/kernel/pcp_autotune.h"

static const struct param v6_16_params[] = {
	PCP_AUTOTUNE_PARAMS(1, 50),
	PARAM_END,
};

const struct pcp_high_policy pcp_high_v6_16 = {
	.policy = {
		.name = "v6.16",
		.summary = "autotuned high; the free_high rule from a run of one batch and half of high_min on",
		.mirrors = "nr_pcp_alloc(), nr_pcp_high(), nr_pcp_free() in mm/page_alloc.c, v6.16 to v6.18",
		.params = v6_16_params,
		.params_size = sizeof(struct pcp_autotune_params),
		.check = pcp_limits_check,
	},
	.design = { .free_batch = FOLIO_BATCH_SIZE, .knows_below_high = true },
	.nr_pcp_alloc = pcp_autotune_nr_alloc,
	.allocated = pcp_autotune_allocated,
	.freed = pcp_autotune_freed,
	.freed_quietly = pcp_autotune_freed_quietly,
	.decay = pcp_autotune_decay,
	.drain = pcp_autotune_drain,
};
