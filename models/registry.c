/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of plug-ins. One line each; the first of an axis is its default.
 */
#include "models/registry.h"

#include <string.h>

#include "models/kernel/folio_lock.h"
#include "models/kernel/pcp.h"
#include "models/kernel/pcp_free.h"
#include "models/kernel/refcount.h"
#include "models/kernel/spinlock.h"
#include "models/kernel/vmalloc.h"
#include "models/workloads/workload.h"

#define REFCOUNT_POLICIES(X) \
	X(refcount_cas, "cas") \
	X(refcount_cas_optimistic, "cas-optimistic") \
	X(refcount_fetch_add, "fetch-add") \
	X(refcount_none, "none")

#define FOLIO_LOCK_POLICIES(X) \
	X(folio_lock_sleep, "sleep") \
	X(folio_lock_spin, "spin")

#define PCP_HIGH_POLICIES(X) \
	X(pcp_high_v6_16, "v6.16") \
	X(pcp_high_v6_7, "v6.7") \
	X(pcp_high_v6_6, "v6.6")

#define ZONE_LOCK_POLICIES(X) \
	X(zone_lock_qspinlock, "qspinlock") \
	X(zone_lock_ticket, "ticket") \
	X(zone_lock_mcs, "mcs") \
	X(zone_lock_cna, "cna") \
	X(zone_lock_tas, "tas")

#define PCP_FREE_POLICIES(X) \
	X(pcp_free_bulk, "bulk") \
	X(pcp_free_batched, "batched")

#define VMALLOC_ORDER_POLICIES(X) \
	X(vmalloc_order_order_0, "order-0") \
	X(vmalloc_order_large, "large")

#define CONTIG_FREE_POLICIES(X) \
	X(contig_free_per_page, "per-page") \
	X(contig_free_ranges, "ranges")

#define WORKLOADS(X) \
	X(workload_pread, "pread") \
	X(workload_atomics, "atomics") \
	X(workload_vmalloc, "vmalloc") \
	X(workload_lmbench_unix, "lmbench-unix") \
	X(workload_netperf, "netperf") \
	X(workload_kbuild, "kbuild") \
	X(workload_iperf3, "iperf3") \
	X(workload_page_fault1, "page_fault1") \
	X(workload_page_fault2, "page_fault2") \
	X(workload_alloc_free, "alloc_free") \
	X(workload_replay, "replay")

#define DECLARE_REFCOUNT(symbol, name) extern const struct refcount_policy symbol;
#define DECLARE_FOLIO_LOCK(symbol, name) extern const struct folio_lock_policy symbol;
#define DECLARE_PCP_HIGH(symbol, name) extern const struct pcp_high_policy symbol;
#define DECLARE_ZONE_LOCK(symbol, name) extern const struct spinlock_policy symbol;
#define DECLARE_PCP_FREE(symbol, name) extern const struct pcp_free_policy symbol;
#define DECLARE_VMALLOC_ORDER(symbol, name) extern const struct vmalloc_order_policy symbol;
#define DECLARE_CONTIG_FREE(symbol, name) extern const struct contig_free_policy symbol;
#define DECLARE_WORKLOAD(symbol, name) extern const struct workload symbol;
#define POLICY_OF(symbol, name) &symbol.policy,
#define ADDRESS_OF(symbol, name) &symbol,
#define NAME_OF(symbol, name) name,

REFCOUNT_POLICIES(DECLARE_REFCOUNT)
FOLIO_LOCK_POLICIES(DECLARE_FOLIO_LOCK)
PCP_HIGH_POLICIES(DECLARE_PCP_HIGH)
ZONE_LOCK_POLICIES(DECLARE_ZONE_LOCK)
PCP_FREE_POLICIES(DECLARE_PCP_FREE)
VMALLOC_ORDER_POLICIES(DECLARE_VMALLOC_ORDER)
CONTIG_FREE_POLICIES(DECLARE_CONTIG_FREE)
WORKLOADS(DECLARE_WORKLOAD)

static const struct policy *const refcounts[] = { REFCOUNT_POLICIES(POLICY_OF) NULL };
static const struct policy *const folio_locks[] = { FOLIO_LOCK_POLICIES(POLICY_OF) NULL };
static const struct policy *const pcp_highs[] = { PCP_HIGH_POLICIES(POLICY_OF) NULL };
static const struct policy *const zone_locks[] = { ZONE_LOCK_POLICIES(POLICY_OF) NULL };
static const struct policy *const pcp_frees[] = { PCP_FREE_POLICIES(POLICY_OF) NULL };
static const struct policy *const vmalloc_orders[] = { VMALLOC_ORDER_POLICIES(POLICY_OF) NULL };
static const struct policy *const contig_frees[] = { CONTIG_FREE_POLICIES(POLICY_OF) NULL };
static const struct workload *const workloads[] = { WORKLOADS(ADDRESS_OF) NULL };

static const char *const refcount_names[] = { REFCOUNT_POLICIES(NAME_OF) NULL };
static const char *const folio_lock_names[] = { FOLIO_LOCK_POLICIES(NAME_OF) NULL };
static const char *const pcp_high_names[] = { PCP_HIGH_POLICIES(NAME_OF) NULL };
static const char *const zone_lock_names[] = { ZONE_LOCK_POLICIES(NAME_OF) NULL };
static const char *const pcp_free_names[] = { PCP_FREE_POLICIES(NAME_OF) NULL };
static const char *const vmalloc_order_names[] = { VMALLOC_ORDER_POLICIES(NAME_OF) NULL };
static const char *const contig_free_names[] = { CONTIG_FREE_POLICIES(NAME_OF) NULL };
static const char *const workload_names[] = { WORKLOADS(NAME_OF) NULL };

static const struct policy *const *const policies[NR_POLICY_AXES] = {
	[AXIS_REFCOUNT] = refcounts,	   [AXIS_FOLIO_LOCK] = folio_locks, [AXIS_PCP_HIGH] = pcp_highs,
	[AXIS_ZONE_LOCK] = zone_locks,	   [AXIS_PCP_FREE] = pcp_frees,	    [AXIS_VMALLOC_ORDER] = vmalloc_orders,
	[AXIS_CONTIG_FREE] = contig_frees,
};

static const char *const *const policy_names[NR_POLICY_AXES] = {
	[AXIS_REFCOUNT] = refcount_names,	[AXIS_FOLIO_LOCK] = folio_lock_names,
	[AXIS_PCP_HIGH] = pcp_high_names,	[AXIS_ZONE_LOCK] = zone_lock_names,
	[AXIS_PCP_FREE] = pcp_free_names,	[AXIS_VMALLOC_ORDER] = vmalloc_order_names,
	[AXIS_CONTIG_FREE] = contig_free_names,
};

const char *const policy_axis_keys[NR_POLICY_AXES + 1] = {
	[AXIS_REFCOUNT] = "refcount",	    [AXIS_FOLIO_LOCK] = "folio_lock", [AXIS_PCP_HIGH] = "pcp_high",
	[AXIS_ZONE_LOCK] = "zone_lock",	    [AXIS_PCP_FREE] = "pcp_free",     [AXIS_VMALLOC_ORDER] = "vmalloc_order",
	[AXIS_CONTIG_FREE] = "contig_free",
};

const struct policy *registry_policy(enum policy_axis axis, const char *name)
{
	for (int i = 0; policies[axis][i]; i++)
		if (!strcmp(policies[axis][i]->name, name))
			return policies[axis][i];
	return NULL;
}

const struct policy *registry_default_policy(enum policy_axis axis)
{
	return policies[axis][0];
}

const struct workload *registry_workload(const char *name)
{
	for (int i = 0; workloads[i]; i++)
		if (!strcmp(workloads[i]->name, name))
			return workloads[i];
	return NULL;
}

const struct policy *registry_policy_at(enum policy_axis axis, int index)
{
	return policies[axis][index];
}

const struct workload *registry_workload_at(int index)
{
	return workloads[index];
}

const char *const *registry_policy_names(enum policy_axis axis)
{
	return policy_names[axis];
}

const char *const *registry_workload_names(void)
{
	return workload_names;
}
