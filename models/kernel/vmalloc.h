/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vmalloc(): virtually contiguous memory from single pages (mm/vmalloc.c).
 *
 * Where the pages come from is the axis `vmalloc_order`, how they go back the
 * axis `contig_free`. What is around that - areas of address space, page
 * tables, their lazy purge - is priced by constants of a lone CPU, and takes no
 * memory but the pages themselves. CPUs meet on the locks of areas
 * (models/kernel/vmap_area.h): what these cost alone is in the constants, and
 * taken out of them, so that only waiting and the way of lines is added.
 *
 * How much memory is in use is kept as one atomic of the machine, or (since
 * 7.1) as NR_VMALLOC, a counter of each node with a delta per CPU that every
 * page changes on its own.
 *
 * Left out: memory cgroups, NUMA policies (pages come from the task's node, or
 * the nearest that has any), guard pages, KASAN, interrupts (vfree_atomic()).
 */
#ifndef CONTEND_KERNEL_VMALLOC_H
#define CONTEND_KERNEL_VMALLOC_H

#include "models/kernel/page_alloc.h"
#include "models/kernel/policy.h"
#include "models/kernel/task.h"
#include "models/kernel/vmap_area.h"
#include "sim/util/arena.h"

struct vmalloc;

enum vmalloc_accounting {
	VMALLOC_ACCOUNTING_ATOMIC, /* nr_vmalloc_pages, once per area */
	VMALLOC_ACCOUNTING_NODE, /* NR_VMALLOC, once per page or block */
};

/* How a task notes that it is in lazy MMU mode, in which it changes each table of page-table entries. */
enum vmalloc_lazy_mmu {
	VMALLOC_LAZY_MMU_COUNT, /* nothing, or a count of the task's own */
	VMALLOC_LAZY_MMU_THREAD_FLAG, /* arm64: a flag set and cleared, each an atomic */
};

struct vmalloc_params {
	int accounting; /* enum vmalloc_accounting */
	int lazy_mmu; /* enum vmalloc_lazy_mmu */
	uint32_t vmap_nodes; /* at most; 0: areas share no lock */
	double vmap_hold_ns; /* under a lock of areas; part of alloc_area_ns and free_area_ns */
	double node_stat_ns; /* mod_node_page_state() but for what it adds to shared counters */
	double alloc_area_ns, free_area_ns;
	double pte_ns; /* an entry of a page table, when it is set, and again when it is cleared */
	double pmd_ns; /* the same of a huge mapping of 2 MiB */
	double map_ram_ns; /* vm_map_ram(), and again vm_unmap_ram(), beside the entries */
	double clear_page_ns; /* a page that is in the core's caches */
};

extern const struct param vmalloc_params[];

struct vmalloc_site {
	struct arena *arena;
	const struct machine *machine;
	struct engine *engine;
	const struct policy_choice *policies; /* by enum policy_axis */
	struct page_alloc *page_alloc;
	struct memory *memory; /* NULL: the data of pages cost nothing to access */
	uint64_t seed;
};

struct vmalloc *vmalloc_create(const struct vmalloc_site *site, const struct vmalloc_params *params);

enum vmalloc_flags {
	VM_ALLOW_HUGE_VMAP = 1, /* vmalloc_huge() */
	VMALLOC_ZERO = 2, /* __GFP_ZERO */
};

#define VM_CONT_PTE_ORDER 4 /* arm64, 4 KiB pages: 16 page-table entries with the contiguous bit */

/* What vfree() needs to know. */
struct vm_struct {
	struct vmap_area *va; /* its addresses */
	pfn_t *pages; /* single ones, in the order of their addresses */
	uint32_t nr_pages;
	unsigned page_order; /* of the mapping */
};

/* nr pages of a mapping of this order, rounded up to whole blocks of it: so many does vmalloc() need room for. */
uint32_t vmalloc_nr_pages(uint32_t nr_pages, unsigned flags);

/*
 * vmalloc() and its kin: nr_pages >= 1 pages into area->pages, which is the caller's and has room for vmalloc_nr_pages().
 * A huge mapping for which there are no blocks becomes one of single pages. Blocks; returns -1 when there is no memory.
 */
int vmalloc_alloc(struct vmalloc *vmalloc, struct task *task, uint32_t nr_pages, unsigned flags,
		  struct vm_struct *area);

/* vfree(). Blocks; may return on another CPU. */
void vfree(struct vmalloc *vmalloc, struct task *task, struct vm_struct *area);

/* A store to a page's first line. Never blocks. */
void vmalloc_write(struct vmalloc *vmalloc, struct task *task, pfn_t pfn);

/* vm_map_ram() and vm_unmap_ram(): addresses for pages that the caller has. Neither blocks. */
void vm_map_ram(struct vmalloc *vmalloc, struct task *task, uint32_t nr_pages);
void vm_unmap_ram(struct vmalloc *vmalloc, struct task *task, uint32_t nr_pages);

/* Pages of all areas, as the counter has it. */
int64_t vmalloc_nr_used(const struct vmalloc *vmalloc);

/* ---- for the policies ---- */

/* vm_area_alloc_pages(): pages wanted, and how many there are so far. */
struct vm_area_request {
	pfn_t *pages;
	uint32_t nr_pages, nr_allocated;
	unsigned order; /* of the mapping: smaller blocks are of no use to it, unless it is 0 */
};

struct vmalloc_order_policy {
	struct policy policy;

	/*
	 * The first phase: as many pages as the policy likes, in blocks larger than the mapping's order, split. What is
	 * missing afterwards comes from the bulk allocator, or in blocks of that order. Blocks.
	 */
	void (*alloc_large)(const void *params, struct vmalloc *vmalloc, struct task *task,
			    struct vm_area_request *request);
};

static inline const struct vmalloc_order_policy *vmalloc_order_policy(const struct policy_choice *choice)
{
	return (const struct vmalloc_order_policy *)(const void *)choice->policy;
}

struct contig_free_policy {
	struct policy policy;

	/* The pages of an area go back, and out of the statistics by page (vmalloc_account()). Blocks. */
	void (*free)(const void *params, struct vmalloc *vmalloc, struct task *task, const struct vm_struct *area);
};

static inline const struct contig_free_policy *contig_free_policy(const struct policy_choice *choice)
{
	return (const struct contig_free_policy *)(const void *)choice->policy;
}

/* A block of 2^order pages, split, behind those that the request has: false when there is none. Blocks. */
bool vmalloc_alloc_block(struct vmalloc *vmalloc, struct task *task, struct vm_area_request *request, unsigned order);

/*
 * mod_node_page_state(NR_VMALLOC) for the node of a page, by so many pages (or less, when negative), once. Nothing when
 * areas are accounted by an atomic. May block on the shared counters.
 */
void vmalloc_account(struct vmalloc *vmalloc, struct task *task, pfn_t pfn, int32_t nr_pages);

/* The allocator beneath. */
struct page_alloc *vmalloc_page_alloc(const struct vmalloc *vmalloc);

#endif
