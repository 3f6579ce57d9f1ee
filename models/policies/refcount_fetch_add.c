/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refcount: fetch-add. The patched count (mm: implement page refcount locking
 * via dedicated bit, v6): 32 bits, bit 31 says frozen or free.
 *
 *	live, n -> n + 1            get: one fetch-and-add, no read before, no retry
 *	frozen  -> frozen + junk    failed get: nothing is undone; the low bits are junk
 *	live, n -> n - 1            put: one fetch-and-sub
 *	live, 0 -> frozen           last put: one compare-and-swap more on an owned line; when a
 *	                            get slipped in it fails and that getter is responsible
 *	live, n -> frozen           freeze: one compare-and-swap
 *
 * Junk that comes near bit 31 again is reset to exactly the mark by
 * compare-and-swap, retried while it is still that large.
 */
#include "models/kernel/refcount.h"

#define PAGEREF_FROZEN UINT64_C(0x80000000)
#define PAGEREF_JUNK_LIMIT (PAGEREF_FROZEN + UINT64_C(0x40000000))

static const struct param fetch_add_params[] = {
	PARAM_END,
};

static void fetch_add_set(const void *params, struct cpu *cpu, struct folio *folio, int count)
{
	(void)params;
	line_write(cpu, folio->page, FOLIO_REFCOUNT, count ? (uint64_t)count : PAGEREF_FROZEN);
}

static void reset_junk(struct cpu *cpu, struct folio *folio, uint64_t count)
{
	while (count >= PAGEREF_JUNK_LIMIT)
		if (line_cas(cpu, folio->page, FOLIO_REFCOUNT, &count, PAGEREF_FROZEN))
			return;
}

static bool fetch_add_try_get(const void *params, struct cpu *cpu, struct folio *folio)
{
	const uint64_t count = line_fetch_add(cpu, folio->page, FOLIO_REFCOUNT, 1) + 1;

	(void)params;
	if (!(count & PAGEREF_FROZEN))
		return true;
	reset_junk(cpu, folio, count);
	return false;
}

static bool fetch_add_put(const void *params, struct cpu *cpu, struct folio *folio)
{
	uint64_t count = line_fetch_add(cpu, folio->page, FOLIO_REFCOUNT, (uint64_t)-1) - 1;

	(void)params;
	return count == 0 && line_cas(cpu, folio->page, FOLIO_REFCOUNT, &count, PAGEREF_FROZEN);
}

static bool fetch_add_freeze(const void *params, struct cpu *cpu, struct folio *folio, int count)
{
	uint64_t expected = (uint64_t)count;

	(void)params;
	return line_cas(cpu, folio->page, FOLIO_REFCOUNT, &expected, PAGEREF_FROZEN);
}

static int fetch_add_count(const struct folio *folio)
{
	const uint64_t count = line_peek(folio->page, FOLIO_REFCOUNT);

	return count & PAGEREF_FROZEN ? 0 : (int)count;
}

const struct refcount_policy refcount_fetch_add = {
	.policy = {
		.name = "fetch-add",
		.summary = "one unconditional fetch-and-add; a bit says frozen (the patch)",
		.mirrors = "include/linux/page_ref.h after \"mm: implement page refcount locking via dedicated bit\" (v6)",
		.params = fetch_add_params,
		.params_size = 0,
	},
	.counted = true,
	.set = fetch_add_set,
	.try_get = fetch_add_try_get,
	.put = fetch_add_put,
	.freeze = fetch_add_freeze,
	.count = fetch_add_count,
};
