/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refcount: none. No shared count at all: the upper bound of what any change
 * to the count can gain. Gets and puts are free and always succeed; nothing
 * can be frozen or freed.
 */
#include "models/kernel/refcount.h"

static const struct param none_params[] = {
	PARAM_END,
};

static void none_set(const void *params, struct cpu *cpu, struct folio *folio, int count)
{
	(void)params, (void)cpu, (void)folio, (void)count;
}

static bool none_try_get(const void *params, struct cpu *cpu, struct folio *folio)
{
	(void)params, (void)cpu, (void)folio;
	return true;
}

static bool none_put(const void *params, struct cpu *cpu, struct folio *folio)
{
	(void)params, (void)cpu, (void)folio;
	return false;
}

static bool none_freeze(const void *params, struct cpu *cpu, struct folio *folio, int count)
{
	(void)params, (void)cpu, (void)folio, (void)count;
	return false;
}

static int none_count(const struct folio *folio)
{
	(void)folio;
	return 1;
}

const struct refcount_policy refcount_none = {
	.policy = {
		.name = "none",
		.summary = "no shared count: the upper bound of any change to it",
		.mirrors = "none",
		.params = none_params,
		.params_size = 0,
	},
	.set = none_set,
	.try_get = none_try_get,
	.put = none_put,
	.freeze = none_freeze,
	.count = none_count,
};
