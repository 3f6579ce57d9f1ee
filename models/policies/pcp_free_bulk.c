/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pcp_free: bulk, as Linux did it up to 6.18: all pages of a flush under one
 * hold of both locks. With an autotuned pcp these are up to 2016 pages and a
 * block.
 */
#include "models/kernel/pcp_free.h"

static const struct param bulk_params[] = {
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
	(void)params;
	pcp_spin_lock(flush);
	free_pcppages_bulk(flush, to_free);
	pcp_spin_unlock(flush->alloc, flush->task, flush->pcp);
}

const struct pcp_free_policy pcp_free_bulk = {
	.policy = {
		.name = "bulk",
		.summary = "a flush goes to the zone under one hold of zone->lock",
		.mirrors = "free_frozen_page_commit(), decay_pcp_high() in mm/page_alloc.c, up to 6.18",
		.params = bulk_params,
	},
	.commit = bulk_commit,
	.decay = bulk_decay,
};
