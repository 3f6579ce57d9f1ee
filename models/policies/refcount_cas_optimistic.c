/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refcount: cas-optimistic. The first compare-and-swap guesses the count
 * instead of reading it, so that the line comes exclusive at once; a wrong
 * guess returns the true value, and from there on it is the loop of `cas`.
 *
 * Proposed by Linus Torvalds in the discussion of the patch (linux-mm,
 * 2026-03-01): guess a count of 1.
 */
#include "models/kernel/page_ref.h"
#include "models/kernel/refcount.h"

struct optimistic_params {
	uint32_t guess;
	double reload_ns;
};

static const struct param optimistic_params[] = {
	PARAM(struct optimistic_params, guess, "", 1, 1, 1e6, "the count that the first try expects"),
	PARAM(struct optimistic_params, reload_ns, "ns", 1, 0, 1e3,
	      "instructions between the value's arrival and the next try"),
	PARAM_END,
};

static bool optimistic_try_get(const void *params, struct cpu *cpu, struct folio *folio)
{
	const struct optimistic_params *optimistic = params;

	return page_ref_inc_unless_zero(cpu, folio, optimistic->guess, ns_to_ps(optimistic->reload_ns), 0);
}

const struct refcount_policy refcount_cas_optimistic = {
	.policy = {
		.name = "cas-optimistic",
		.summary = "compare-and-swap that guesses the count first instead of reading it",
		.mirrors = "none merged; proposed for page_ref_add_unless() on linux-mm, 2026-03-01",
		.params = optimistic_params,
		.params_size = sizeof(struct optimistic_params),
	},
	.counted = true,
	.set = page_ref_set,
	.try_get = optimistic_try_get,
	.put = page_ref_dec_and_test,
	.freeze = page_ref_freeze,
	.count = page_ref_count,
};
