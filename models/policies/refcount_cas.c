/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refcount: cas. The count as it was up to the patch: a get reads the count,
 * refuses 0, and then retries a compare-and-swap until it wins; 0 means frozen
 * or free.
 *
 * Cost. The read may bring the line as a shared copy, so that the first
 * compare-and-swap needs a second transaction to own it. A lost one has paid
 * for owning the line; whether the retry finds it still here is up to the line.
 */
#include "models/kernel/page_ref.h"
#include "models/kernel/refcount.h"

struct cas_params {
	double backoff_ns;
	double reload_ns;
};

static const struct param cas_params[] = {
	PARAM(struct cas_params, backoff_ns, "ns", 0, 0, 1e6, "pause after a failed compare-and-swap"),
	PARAM(struct cas_params, reload_ns, "ns", 1, 0, 1e3,
	      "instructions between the value's arrival and the next try"),
	PARAM_END,
};

static bool cas_try_get(const void *params, struct cpu *cpu, struct folio *folio)
{
	const struct cas_params *cas = params;
	/* page_ref_add_unless(): anything there? atomic_add_unless() reads again, at once: one access */
	const uint64_t count = line_read(cpu, folio->page, FOLIO_REFCOUNT);

	if (!count)
		return false;
	return page_ref_inc_unless_zero(cpu, folio, count, ns_to_ps(cas->reload_ns), ns_to_ps(cas->backoff_ns));
}

const struct refcount_policy refcount_cas = {
	.policy = {
		.name = "cas",
		.summary = "read, then compare-and-swap until it wins (up to the patch)",
		.mirrors = "page_ref_add_unless() in include/linux/page_ref.h, v6.15",
		.params = cas_params,
		.params_size = sizeof(struct cas_params),
	},
	.counted = true,
	.set = page_ref_set,
	.try_get = cas_try_get,
	.put = page_ref_dec_and_test,
	.freeze = page_ref_freeze,
	.count = page_ref_count,
};
