/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The refcount axis: how a folio's reference count is taken, dropped and
 * frozen. One file per policy in models/policies/.
 *
 * Counts. A folio in the page cache has the cache's reference (1) and one per
 * user. A count of 0 (or a policy's frozen mark) belongs to whoever freed or
 * froze the folio, and try_get refuses it.
 */
#ifndef CONTEND_KERNEL_REFCOUNT_H
#define CONTEND_KERNEL_REFCOUNT_H

#include <stdbool.h>

#include "models/hardware/cpu.h"
#include "models/kernel/folio.h"
#include "models/kernel/policy.h"

struct refcount_policy {
	struct policy policy;
	bool counted; /* false: there is no count, so nothing can be frozen or freed */

	/* set_page_count(): what an allocation or an unfreeze stores. One plain store. */
	void (*set)(const void *params, struct cpu *cpu, struct folio *folio, int count);

	/* folio_try_get(): one more reference, or false when the folio is frozen or free. */
	bool (*try_get)(const void *params, struct cpu *cpu, struct folio *folio);

	/* folio_put_testzero(): one reference less; true when it was the last and the caller now owns the dead folio. */
	bool (*put)(const void *params, struct cpu *cpu, struct folio *folio);

	/* folio_ref_freeze(): from exactly `count` references to frozen; false when there were others. */
	bool (*freeze)(const void *params, struct cpu *cpu, struct folio *folio, int count);

	/*
	 * folio_ref_count() outside simulated time: live references, 0 when frozen.
	 * For tests and the model's own checks.
	 */
	int (*count)(const struct folio *folio);
};

static inline const struct refcount_policy *refcount_policy(const struct policy_choice *choice)
{
	return (const struct refcount_policy *)(const void *)choice->policy;
}

#endif
