/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pcp_high: v6.7, the autotuned pcp as merged, and up to v6.15. The free_high
 * rule starts from a run of one batch of pages: 63, whatever the CPU may keep.
 */
#include "models/kernel/pcp_autotune.h"

static const struct param v6_7_params[] = {
	PCP_AUTOTUNE_PARAMS(1, 0),
	PARAM_END,
};

const struct pcp_high_policy pcp_high_v6_7 = {
	.policy = {
		.name = "v6.7",
		.summary = "autotuned high; the free_high rule from a run of one batch on",
		.mirrors = "nr_pcp_alloc(), nr_pcp_high(), nr_pcp_free() in mm/page_alloc.c, v6.12",
		.params = v6_7_params,
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
