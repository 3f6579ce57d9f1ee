/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocating and freeing areas (mm/vmalloc.c as of 7.1, and 6.18 by its policies), and what the data of
 * their pages cost to write.
 */
#include "models/kernel/vmalloc.h"

#include "models/hardware/line.h"
#include "models/hardware/memory.h"
#include "models/kernel/sched.h"

#define BULK_PAGES 100 /* of a request, so that preemption is not off for long */
#define PAGE_LINES 64
#define MAX_ORDER_PAGES (UINT32_C(1) << MAX_PAGE_ORDER)
#define TABLE_PAGES 512 /* that a table of page-table entries maps */

static const char *const accounting_names[] = { "atomic", "node", NULL };
static const char *const lazy_mmu_names[] = { "count", "thread-flag", NULL };

/* clang-format off */
/*
 * Nobody published these apart for any machine. node_stat_ns: Arm's CI on a Graviton3, v7.0 against v7.1, whose difference was
 * bisected to this counter (15973e53-5774-428c-96c4-675eea600788@arm.com, 19 June 2026): fix_size_alloc_test of 16, 64, 256 and
 * 512 pages takes 34.5 to 35.9 ns longer per update if the changes there are of speed, 25.5 to 26.9 if they are of time.
 * pte_ns: on the same machine and v7.0 a loop of 512 pages takes 46.96 us, and 37.67 us with a huge mapping of 2 MiB.
 * clear_page_ns: 4 KiB at 64 bytes per cycle and 2.6 GHz is 25 ns, at half of that 49.
 * vmap_hold_ns: not measured; a few nodes of a tree in the core's caches.
 */
const struct param vmalloc_params[] = {
	PARAM_ONE_OF(struct vmalloc_params, accounting, accounting_names, VMALLOC_ACCOUNTING_ATOMIC, "how pages in use are counted: an atomic per area, or (7.1) NR_VMALLOC of the node, per page"),
	PARAM_ONE_OF(struct vmalloc_params, lazy_mmu, lazy_mmu_names, VMALLOC_LAZY_MMU_COUNT, "how a task notes lazy MMU mode, once per table of page-table entries: a count of its own (7.0; x86 keeps none), or (arm64, 6.16 to 6.19) a thread flag, set and cleared by atomics"),
	PARAM(struct vmalloc_params, vmap_nodes, "", VMAP_MAX_NODES, 0, VMAP_MAX_NODES, "nodes of address space, one per CPU up to so many (6.9); 1: one lock for all (6.8); 0: areas share no lock"),
	PARAM(struct vmalloc_params, vmap_hold_ns, "ns", 20, 0, 1e6, "work under each lock of areas; part of alloc_area_ns and free_area_ns"),
	PARAM(struct vmalloc_params, node_stat_ns, "ns", 35, 0, 1e5, "a change of NR_VMALLOC, beside the atomics when this CPU's delta is full"),
	PARAM(struct vmalloc_params, alloc_area_ns, "ns", 300, 0, 1e7, "an area when it is allocated, by a lone CPU: address space, its descriptor, the array of pages"),
	PARAM(struct vmalloc_params, free_area_ns, "ns", 300, 0, 1e7, "... when it is freed, its share of the lazy purge included"),
	PARAM(struct vmalloc_params, pte_ns, "ns", 9, 0, 1e6, "a page-table entry set, and again cleared"),
	PARAM(struct vmalloc_params, pmd_ns, "ns", 60, 0, 1e6, "a huge mapping of 2 MiB set, and again cleared"),
	PARAM(struct vmalloc_params, map_ram_ns, "ns", 90, 0, 1e7, "vm_map_ram(), and again vm_unmap_ram(), beside the entries"),
	PARAM(struct vmalloc_params, clear_page_ns, "ns", 50, 0, 1e6, "clearing a page that is in this core's caches; others take as long as a stream from where they are"),
	PARAM_END,
};
/* clang-format on */

/* Data of the pages of one largest block: the stamp of each one's first line stands for all of it. */
struct page_data {
	struct memory_stamp stamps[MAX_ORDER_PAGES];
};

struct vmalloc {
	struct vmalloc_site site;
	struct vmalloc_params params;
	const struct vmalloc_order_policy *order;
	const void *order_params;
	const struct contig_free_policy *free;
	const void *free_params;
	sim_ps node_stat_ps, alloc_area_ps, free_area_ps, pte_ps, pmd_ps, map_ram_ps, clear_page_ps, l2_ps, stream_ps;
	sim_ps lazy_mmu_ps; /* to enter and leave it */
	struct vmap *vmap; /* NULL: areas share no lock */
	struct line *nr_vmalloc_pages; /* the atomic; or vm_node_stat[NR_VMALLOC] */
	struct line **node_lines; /* pgdat->vm_stat[NR_VMALLOC] */
	int16_t *deltas; /* per node and CPU: vm_node_stat_diff */
	int stat_threshold;
	int nr_cpus;
	int64_t nr_used;
	struct page_data **data; /* by largest block of the machine; NULL until written */
};

static struct line *counter_line(const struct vmalloc_site *site, const char *name, int node)
{
	return line_create(site->arena, site->machine, site->engine, name, node,
			   site->seed + (UINT64_C(1) << 49) + (uint64_t)node);
}

static void create_counters(struct vmalloc *vmalloc)
{
	const struct vmalloc_site *site = &vmalloc->site;
	const int nr_nodes = machine_nr_nodes(site->machine);

	vmalloc->nr_cpus = machine_nr_cpus(site->machine);
	vmalloc->stat_threshold =
		zone_stat_threshold(vmalloc->nr_cpus, page_alloc_zone(site->page_alloc, 0)->size.managed_pages);
	vmalloc->deltas = arena_calloc(site->arena, (size_t)(nr_nodes * vmalloc->nr_cpus), sizeof(*vmalloc->deltas));
	vmalloc->nr_vmalloc_pages = counter_line(site, "the line of nr_vmalloc_pages", 0);
	vmalloc->node_lines = arena_calloc(site->arena, (size_t)nr_nodes, sizeof(*vmalloc->node_lines));
	for (int node = 0; node < nr_nodes; node++)
		vmalloc->node_lines[node] = counter_line(site, "a node's line of NR_VMALLOC", node);
}

static void set_costs(struct vmalloc *vmalloc)
{
	const struct vmalloc_params *params = &vmalloc->params;
	const struct machine_config *config = machine_config_of(vmalloc->site.machine);

	vmalloc->node_stat_ps = ns_to_ps(params->node_stat_ns);
	vmalloc->alloc_area_ps = ns_to_ps(params->alloc_area_ns);
	vmalloc->free_area_ps = ns_to_ps(params->free_area_ns);
	vmalloc->pte_ps = ns_to_ps(params->pte_ns);
	vmalloc->pmd_ps = ns_to_ps(params->pmd_ns);
	vmalloc->map_ram_ps = ns_to_ps(params->map_ram_ns);
	vmalloc->clear_page_ps = ns_to_ps(params->clear_page_ns);
	vmalloc->l2_ps = ns_to_ps(config->cache.l2_hit_ns);
	vmalloc->stream_ps = ns_to_ps(config->memory.stream_ns);
	if (params->lazy_mmu == VMALLOC_LAZY_MMU_THREAD_FLAG)
		vmalloc->lazy_mmu_ps = 2 * ns_to_ps(config->core.atomic_hit_ns);
}

static sim_ps rest_of(sim_ps whole_ps, sim_ps part_ps)
{
	return whole_ps > part_ps ? whole_ps - part_ps : 0;
}

/* The constants are those of a lone CPU with all that it does: less what is charged as it happens. */
static void create_vmap(struct vmalloc *vmalloc)
{
	const struct vmalloc_site *site = &vmalloc->site;
	const struct vmap_site vmap_site = {
		.arena = site->arena,
		.machine = site->machine,
		.engine = site->engine,
		.lock = &site->policies[AXIS_ZONE_LOCK],
		.seed = site->seed,
		.max_nodes = (int)vmalloc->params.vmap_nodes,
		.hold_ps = ns_to_ps(vmalloc->params.vmap_hold_ns),
	};

	if (!vmap_site.max_nodes)
		return;
	vmalloc->vmap = vmap_create(&vmap_site);
	vmalloc->alloc_area_ps = rest_of(vmalloc->alloc_area_ps, vmap_alloc_alone_ps(vmalloc->vmap));
	vmalloc->free_area_ps = rest_of(vmalloc->free_area_ps, vmap_free_alone_ps(vmalloc->vmap));
}

static pfn_t end_pfn(struct page_alloc *page_alloc)
{
	const struct zone *last = page_alloc_zone(page_alloc, page_alloc_nr_zones(page_alloc) - 1);

	return last->start_pfn + (pfn_t)last->nr_pages;
}

struct vmalloc *vmalloc_create(const struct vmalloc_site *site, const struct vmalloc_params *params)
{
	struct vmalloc *vmalloc = arena_calloc(site->arena, 1, sizeof(*vmalloc));
	const struct policy_choice *order = &site->policies[AXIS_VMALLOC_ORDER];
	const struct policy_choice *free = &site->policies[AXIS_CONTIG_FREE];

	vmalloc->site = *site;
	vmalloc->params = *params;
	vmalloc->order = vmalloc_order_policy(order);
	vmalloc->order_params = order->params;
	vmalloc->free = contig_free_policy(free);
	vmalloc->free_params = free->params;
	set_costs(vmalloc);
	create_vmap(vmalloc);
	create_counters(vmalloc);
	vmalloc->data =
		arena_calloc(site->arena, (end_pfn(site->page_alloc) >> MAX_PAGE_ORDER) + 1, sizeof(*vmalloc->data));
	return vmalloc;
}

struct page_alloc *vmalloc_page_alloc(const struct vmalloc *vmalloc)
{
	return vmalloc->site.page_alloc;
}

int64_t vmalloc_nr_used(const struct vmalloc *vmalloc)
{
	return vmalloc->nr_used;
}

/* ---- counters ---- */

static int node_of(struct vmalloc *vmalloc, pfn_t pfn)
{
	int node = 0;

	while (!zone_has_pfn(page_alloc_zone(vmalloc->site.page_alloc, node), pfn))
		node++;
	return node;
}

void vmalloc_account(struct vmalloc *vmalloc, struct task *task, pfn_t pfn, int32_t nr_pages)
{
	int16_t *delta;
	int node, sum;

	if (vmalloc->params.accounting != VMALLOC_ACCOUNTING_NODE)
		return;
	vmalloc->nr_used += nr_pages;
	node = node_of(vmalloc, pfn);
	task_kernel(task, vmalloc->node_stat_ps);
	delta = &vmalloc->deltas[node * vmalloc->nr_cpus + task->cpu->id];
	sum = *delta + nr_pages;
	if (sum >= -vmalloc->stat_threshold && sum <= vmalloc->stat_threshold) {
		*delta = (int16_t)sum;
		return;
	}
	*delta = 0;
	line_fetch_add(task->cpu, vmalloc->node_lines[node], 0, (uint64_t)(int64_t)sum);
	line_fetch_add(task->cpu, vmalloc->nr_vmalloc_pages, 0, (uint64_t)(int64_t)sum);
}

/* The atomic: an area comes or goes. */
static void account_area(struct vmalloc *vmalloc, struct task *task, int64_t nr_pages)
{
	if (vmalloc->params.accounting != VMALLOC_ACCOUNTING_ATOMIC)
		return;
	vmalloc->nr_used += nr_pages;
	line_fetch_add(task->cpu, vmalloc->nr_vmalloc_pages, 0, (uint64_t)nr_pages);
}

/* ---- data ---- */

/* What a line of the page's data costs now. */
static sim_ps touch_data(struct vmalloc *vmalloc, const struct cpu *cpu, pfn_t pfn)
{
	struct page_data **data = &vmalloc->data[pfn >> MAX_PAGE_ORDER];

	if (!*data)
		*data = arena_calloc(vmalloc->site.arena, 1, sizeof(**data));
	return memory_touch(vmalloc->site.memory, cpu, &(*data)->stamps[pfn % MAX_ORDER_PAGES], node_of(vmalloc, pfn),
			    MEMORY_ALONE);
}

void vmalloc_write(struct vmalloc *vmalloc, struct task *task, pfn_t pfn)
{
	if (vmalloc->site.memory)
		task_kernel(task, touch_data(vmalloc, task->cpu, pfn));
}

/* clear_page(): the first line says where the others are. Those from farther away than this core come as a stream. */
static void clear_page(struct vmalloc *vmalloc, struct task *task, pfn_t pfn)
{
	sim_ps price_ps = vmalloc->clear_page_ps;
	sim_ps line_ps;

	if (vmalloc->site.memory) {
		line_ps = touch_data(vmalloc, task->cpu, pfn);
		if (line_ps > vmalloc->l2_ps) {
			price_ps = ps_max(price_ps, PAGE_LINES * ps_min(line_ps, vmalloc->stream_ps));
			memory_pass(vmalloc->site.memory, task->cpu, PAGE_LINES - 1);
		}
	}
	task_kernel(task, price_ps);
}

/* ---- pages ---- */

bool vmalloc_alloc_block(struct vmalloc *vmalloc, struct task *task, struct vm_area_request *request, unsigned order)
{
	const uint32_t nr_pages = UINT32_C(1) << order;
	const pfn_t pfn = alloc_pages(vmalloc->site.page_alloc, task, order, MIGRATE_UNMOVABLE);

	if (pfn == NO_PAGE)
		return false;
	vmalloc_account(vmalloc, task, pfn, (int32_t)nr_pages);
	if (order)
		split_page(vmalloc->site.page_alloc, task, pfn, order);
	for (uint32_t i = 0; i < nr_pages; i++)
		request->pages[request->nr_allocated + i] = pfn + i;
	request->nr_allocated += nr_pages;
	return true;
}

/* Single pages, as long as the bulk allocator has all that it is asked for. */
static void alloc_in_bulk(struct vmalloc *vmalloc, struct task *task, struct vm_area_request *request)
{
	uint32_t nr = 0, wanted = 0;

	for (; nr == wanted && request->nr_allocated < request->nr_pages; request->nr_allocated += nr) {
		pfn_t *pages = request->pages + request->nr_allocated;

		wanted = request->nr_pages - request->nr_allocated;
		wanted = wanted < BULK_PAGES ? wanted : BULK_PAGES;
		nr = alloc_pages_bulk(vmalloc->site.page_alloc, task, MIGRATE_UNMOVABLE, wanted, pages);
		for (uint32_t i = 0; i < nr; i++)
			vmalloc_account(vmalloc, task, pages[i], 1);
	}
}

/* vm_area_alloc_pages(). False: not enough, or (a huge mapping) not in blocks as large. */
static bool vm_area_alloc_pages(struct vmalloc *vmalloc, struct task *task, struct vm_area_request *request)
{
	vmalloc->order->alloc_large(vmalloc->order_params, vmalloc, task, request);
	if (!request->order)
		alloc_in_bulk(vmalloc, task, request);
	while (request->nr_allocated < request->nr_pages)
		if (!vmalloc_alloc_block(vmalloc, task, request, request->order))
			return false;
	return true;
}

/* ---- areas ---- */

/* The order of a mapping as arch_vmap_pte_supported_shift() and PMD_SIZE allow it. */
static unsigned mapping_order(uint32_t nr_pages, unsigned flags)
{
	if (!(flags & VM_ALLOW_HUGE_VMAP) || nr_pages < UINT32_C(1) << VM_CONT_PTE_ORDER)
		return 0;
	return nr_pages < UINT32_C(1) << PMD_ORDER ? VM_CONT_PTE_ORDER : PMD_ORDER;
}

uint32_t vmalloc_nr_pages(uint32_t nr_pages, unsigned flags)
{
	const uint32_t block = UINT32_C(1) << mapping_order(nr_pages, flags);

	return (nr_pages + block - 1) & ~(block - 1);
}

/* Entries set, or cleared, as if a table's worth began at a table: the contiguous bit saves entries of the TLB, not of the page table. */
static void change_page_tables(struct vmalloc *vmalloc, struct task *task, uint32_t nr_pages, unsigned order)
{
	if (order == PMD_ORDER)
		task_kernel(task, (nr_pages >> order) * vmalloc->pmd_ps);
	else
		task_kernel(task, nr_pages * vmalloc->pte_ps +
					  (nr_pages + TABLE_PAGES - 1) / TABLE_PAGES * vmalloc->lazy_mmu_ps);
}

/* __get_vm_area_node() */
static void get_vm_area(struct vmalloc *vmalloc, struct task *task, struct vm_struct *area)
{
	task_kernel(task, vmalloc->alloc_area_ps);
	area->va = vmalloc->vmap ? vmap_alloc(vmalloc->vmap, task->cpu, area->nr_pages) : NULL;
}

/* remove_vm_area() */
static void remove_vm_area(struct vmalloc *vmalloc, struct task *task, struct vm_struct *area)
{
	task_kernel(task, vmalloc->free_area_ps);
	change_page_tables(vmalloc, task, area->nr_pages, area->page_order);
	if (vmalloc->vmap)
		vmap_free(vmalloc->vmap, task->cpu, area->va);
}

/* One try with mappings of an order. What it got goes back when that is not enough. */
static int alloc_area(struct vmalloc *vmalloc, struct task *task, unsigned flags, struct vm_struct *area)
{
	struct vm_area_request request = { .pages = area->pages,
					   .nr_pages = area->nr_pages,
					   .order = area->page_order };
	bool complete;

	get_vm_area(vmalloc, task, area);
	complete = vm_area_alloc_pages(vmalloc, task, &request);
	area->nr_pages = request.nr_allocated;
	account_area(vmalloc, task, area->nr_pages);
	if (!complete) {
		vfree(vmalloc, task, area);
		return -1;
	}
	for (uint32_t i = 0; flags & VMALLOC_ZERO && i < area->nr_pages; i++)
		clear_page(vmalloc, task, area->pages[i]);
	change_page_tables(vmalloc, task, area->nr_pages, area->page_order);
	return 0;
}

int vmalloc_alloc(struct vmalloc *vmalloc, struct task *task, uint32_t nr_pages, unsigned flags, struct vm_struct *area)
{
	area->nr_pages = vmalloc_nr_pages(nr_pages, flags);
	area->page_order = mapping_order(nr_pages, flags);
	if (!alloc_area(vmalloc, task, flags, area))
		return 0;
	if (!(flags & VM_ALLOW_HUGE_VMAP))
		return -1;
	return vmalloc_alloc(vmalloc, task, nr_pages, flags & ~(unsigned)VM_ALLOW_HUGE_VMAP, area);
}

void vfree(struct vmalloc *vmalloc, struct task *task, struct vm_struct *area)
{
	remove_vm_area(vmalloc, task, area);
	vmalloc->free->free(vmalloc->free_params, vmalloc, task, area);
	account_area(vmalloc, task, -(int64_t)area->nr_pages);
	area->nr_pages = 0;
}

void vm_map_ram(struct vmalloc *vmalloc, struct task *task, uint32_t nr_pages)
{
	task_kernel(task, vmalloc->map_ram_ps);
	change_page_tables(vmalloc, task, nr_pages, 0);
}

void vm_unmap_ram(struct vmalloc *vmalloc, struct task *task, uint32_t nr_pages)
{
	vm_map_ram(vmalloc, task, nr_pages); /* the same again */
}
