/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pcp_free: bulk, as Linux did it up to 6.18: all pages of a flush under one
 * hold of both locks. With an autotuned pcp these are up to 2016 pages and a
 * block.
 *
 * What the vmstat worker drains has a hold per batch since 6.19, and in stable
 * trees that took over that patch of the series (linux-mm,
 * 20251014145011.3427205-3): 6.12.y by the stable mail
 * 20260121112808.1461983-1-sashal@kernel.org, and 6.18.44 as its traces show
 * (docs/trace-verify.md).
 */
#include "models/kernel/pcp_free.h"

enum decay {
	DECAY_WHOLE,
	DECAY_BATCHED,
};

struct bulk_params {
	int decay; /* enum decay */
};

static const char *const decay_names[] = { "whole", "batched", NULL };

static const struct param bulk_params[] = {
	PARAM_ONE_OF(struct bulk_params, decay, decay_names, DECAY_WHOLE,
		     "whole: what the 1 s worker drains goes under one hold; batched: a hold per pcp->batch, as in "
		     "stable trees of 2026"),
	PARAM_END,
};

static bool bulk_commit(const void *params, const struct pcp_flush *flush, int to_free)
{
	(void)params;
	free_pcppages_bulk(flush, to_free);
	return true;
}

static void bulk_decay(const void *params, const struct pcp_flush *flush, int to_free)
{
	const struct bulk_params *bulk = params;

	pcp_decay_in_chunks(flush, to_free, bulk->decay == DECAY_BATCHED ? flush->pcp->batch : to_free);
}

const struct pcp_free_policy pcp_free_bulk = {
	.policy = {
		.name = "bulk",
		.summary = "a flush goes to the zone under one hold of zone->lock",
		.mirrors = "free_frozen_page_commit(), decay_pcp_high() in mm/page_alloc.c, up to 6.18",
		.params = bulk_params,
		.params_size = sizeof(struct bulk_params),
	},
	.commit = bulk_commit,
	.decay = bulk_decay,
};
