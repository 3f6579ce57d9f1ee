/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * struct vmap_node and its lists. Without lock debugging, pool_lock and what
 * belongs to the busy areas share a line behind 6144 bytes of pools, and the
 * lock of the lazy ones begins the next: our arithmetic from the struct.
 */
#include "models/kernel/vmap_area.h"

#define MAX_VA_SIZE_PAGES 256 /* that a pool keeps */
#define ZONE_PAGES 16 /* vmap_zone_size */
#define LAZY_PAGES 8192 /* 32 MiB, times fls(CPUs) */

enum vmap_line_words {
	POOL_LOCK_WORD = 0,
	BUSY_LOCK_WORD = 4,
};

struct vmap_area {
	struct vmap_area *next; /* of a pool, the lazy ones, or those that are no area now */
	uint64_t first_page; /* its address */
	uint32_t nr_pages;
	struct vmap_node *node; /* whose pool it goes back to */
};

struct vmap_node {
	struct spinlock pool_lock, busy_lock, lazy_lock;
	struct vmap_area *pools[MAX_VA_SIZE_PAGES]; /* by size */
	uint32_t pool_lens[MAX_VA_SIZE_PAGES];
	struct vmap_area *lazy, *purged;
};

struct vmap {
	struct vmap_site site;
	struct vmap_node *nodes;
	int nr_nodes;
	struct spinlock free_lock;
	uint64_t next_page; /* above all that were ever used */
	struct line *lazy_nr_line;
	int64_t nr_lazy_max;
	bool purging; /* vmap_purge_lock */
	struct vmap_area *unused;
	struct vmap_counters counters;
};

static struct line *vmap_line(const struct vmap_site *site, const char *name, int index)
{
	return line_create(site->arena, site->machine, site->engine, name, 0,
			   site->seed + (UINT64_C(1) << 50) + (uint64_t)index);
}

static void init_lock(const struct vmap_site *site, struct spinlock *lock, const char *name, struct line *line,
		      int word)
{
	const struct spinlock_site lock_site = {
		.arena = site->arena, .machine = site->machine, .engine = site->engine, .seed = site->seed
	};

	spinlock_init(lock, &lock_site, site->lock, name, line, word);
}

struct vmap *vmap_create(const struct vmap_site *site)
{
	struct vmap *vmap = arena_calloc(site->arena, 1, sizeof(*vmap));
	const int nr_cpus = machine_nr_cpus(site->machine);

	vmap->site = *site;
	vmap->nr_nodes = nr_cpus < site->max_nodes ? nr_cpus : site->max_nodes;
	vmap->nr_lazy_max = (int64_t)(32 - __builtin_clz((unsigned)nr_cpus)) * LAZY_PAGES;
	vmap->lazy_nr_line = vmap_line(site, "the line of vmap_lazy_nr", 0);
	init_lock(site, &vmap->free_lock, "free_vmap_area_lock", vmap_line(site, "free_vmap_area_lock", 1), 0);
	vmap->nodes = arena_calloc(site->arena, (size_t)vmap->nr_nodes, sizeof(*vmap->nodes));
	for (int i = 0; i < vmap->nr_nodes; i++) {
		struct vmap_node *node = &vmap->nodes[i];
		struct line *line = vmap_line(site, "pool and busy areas of a vmap_node", 2 + 2 * i);

		init_lock(site, &node->pool_lock, "vmap_node->pool_lock", line, POOL_LOCK_WORD);
		init_lock(site, &node->busy_lock, "vmap_node->busy.lock", line, BUSY_LOCK_WORD);
		init_lock(site, &node->lazy_lock, "vmap_node->lazy.lock",
			  vmap_line(site, "lazy areas of a vmap_node", 3 + 2 * i), 0);
	}
	return vmap;
}

void vmap_counters(const struct vmap *vmap, struct vmap_counters *counters)
{
	*counters = vmap->counters;
}

/* ---- prices ---- */

static sim_ps lock_alone_ps(const struct vmap *vmap)
{
	const struct machine_core *core = &machine_config_of(vmap->site.machine)->core;

	return ns_to_ps(core->atomic_hit_ns) + ns_to_ps(core->cmpxchg_extra_ns) + ns_to_ps(core->store_hit_ns) +
	       vmap->site.hold_ps;
}

/* Its pool, or what is free of all; busy. */
sim_ps vmap_alloc_alone_ps(const struct vmap *vmap)
{
	return 2 * lock_alone_ps(vmap);
}

/* Busy, lazy. */
sim_ps vmap_free_alone_ps(const struct vmap *vmap)
{
	return 2 * lock_alone_ps(vmap) + ns_to_ps(machine_config_of(vmap->site.machine)->core.atomic_hit_ns);
}

/* ---- lists ---- */

static void push(struct vmap_area **list, struct vmap_area *area)
{
	area->next = *list;
	*list = area;
}

static struct vmap_area *pop(struct vmap_area **list)
{
	struct vmap_area *area = *list;

	if (area)
		*list = area->next;
	return area;
}

static void lock(const struct vmap *vmap, struct cpu *cpu, struct spinlock *spinlock, uint64_t *counter)
{
	spin_lock(cpu, spinlock);
	cpu_work(cpu, vmap->site.hold_ps);
	++*counter;
}

/* ---- allocating ---- */

/* id_to_node() of this CPU */
static struct vmap_node *own_node(const struct vmap *vmap, const struct cpu *cpu)
{
	return &vmap->nodes[cpu->id % vmap->nr_nodes];
}

/* addr_to_node() */
static struct vmap_node *busy_node(const struct vmap *vmap, const struct vmap_area *area)
{
	return &vmap->nodes[area->first_page / ZONE_PAGES % (uint64_t)vmap->nr_nodes];
}

/* node_pool_del_va() */
static struct vmap_area *take_from_pool(struct vmap *vmap, struct cpu *cpu, struct vmap_node *node, uint32_t nr_pages)
{
	struct vmap_area *area;

	if (vmap->nr_nodes == 1 || nr_pages > MAX_VA_SIZE_PAGES || !node->pools[nr_pages - 1])
		return NULL;
	lock(vmap, cpu, &node->pool_lock, &vmap->counters.pool);
	area = pop(&node->pools[nr_pages - 1]);
	node->pool_lens[nr_pages - 1] -= area != NULL;
	spin_unlock(cpu, &node->pool_lock);
	return area;
}

/* __alloc_vmap_area() */
static struct vmap_area *take_from_all(struct vmap *vmap, struct cpu *cpu, struct vmap_node *node, uint32_t nr_pages)
{
	struct vmap_area *area = pop(&vmap->unused);

	if (!area)
		area = arena_alloc(vmap->site.arena, sizeof(*area));
	lock(vmap, cpu, &vmap->free_lock, &vmap->counters.free);
	*area = (struct vmap_area){ .first_page = vmap->next_page, .nr_pages = nr_pages, .node = node };
	vmap->next_page += nr_pages;
	spin_unlock(cpu, &vmap->free_lock);
	return area;
}

/* insert_vmap_area() or unlink_va(), under the lock of those that are in use */
static void change_busy(struct vmap *vmap, struct cpu *cpu, const struct vmap_area *area)
{
	struct vmap_node *node = busy_node(vmap, area);

	lock(vmap, cpu, &node->busy_lock, &vmap->counters.busy);
	spin_unlock(cpu, &node->busy_lock);
}

struct vmap_area *vmap_alloc(struct vmap *vmap, struct cpu *cpu, uint32_t nr_pages)
{
	struct vmap_node *node = own_node(vmap, cpu);
	struct vmap_area *area = take_from_pool(vmap, cpu, node, nr_pages + 1);

	if (!area)
		area = take_from_all(vmap, cpu, node, nr_pages + 1);
	change_busy(vmap, cpu, area);
	return area;
}

/* ---- purging ---- */

/* reclaim_list_global() */
static void give_to_all(struct vmap *vmap, struct cpu *cpu, struct vmap_area *areas)
{
	struct vmap_area *area;

	if (!areas)
		return;
	lock(vmap, cpu, &vmap->free_lock, &vmap->counters.free);
	while ((area = pop(&areas)))
		push(&vmap->unused, area);
	spin_unlock(cpu, &vmap->free_lock);
}

/* decay_va_pool_node() */
static void decay_pools(struct vmap *vmap, struct cpu *cpu, struct vmap_node *node)
{
	struct vmap_area *decayed = NULL;

	for (int i = 0; i < MAX_VA_SIZE_PAGES; i++) {
		if (!node->pools[i])
			continue;
		lock(vmap, cpu, &node->pool_lock, &vmap->counters.pool);
		for (uint32_t nr = node->pool_lens[i] / 4; nr; nr--, node->pool_lens[i]--)
			push(&decayed, pop(&node->pools[i]));
		spin_unlock(cpu, &node->pool_lock);
	}
	give_to_all(vmap, cpu, decayed);
}

static void detach_lazy(struct vmap *vmap, struct cpu *cpu, struct vmap_node *node)
{
	if (!node->lazy)
		return;
	lock(vmap, cpu, &node->lazy_lock, &vmap->counters.lazy);
	node->purged = node->lazy;
	node->lazy = NULL;
	spin_unlock(cpu, &node->lazy_lock);
}

/* purge_vmap_node(), but for node_pool_add_va() under one hold */
static void purge_node(struct vmap *vmap, struct cpu *cpu, struct vmap_node *node)
{
	struct vmap_area *too_large = NULL, *area;
	int64_t nr_pages = 0;

	if (!node->purged)
		return;
	lock(vmap, cpu, &node->pool_lock, &vmap->counters.pool);
	while ((area = pop(&node->purged))) {
		nr_pages += area->nr_pages;
		if (vmap->nr_nodes == 1 || area->nr_pages > MAX_VA_SIZE_PAGES) {
			push(&too_large, area);
			continue;
		}
		push(&node->pools[area->nr_pages - 1], area);
		node->pool_lens[area->nr_pages - 1]++;
	}
	spin_unlock(cpu, &node->pool_lock);
	line_fetch_add(cpu, vmap->lazy_nr_line, 0, (uint64_t)-nr_pages);
	give_to_all(vmap, cpu, too_large);
}

/* drain_vmap_area_work() */
static void purge(struct vmap *vmap, struct cpu *cpu)
{
	if (vmap->purging)
		return;
	vmap->purging = true;
	vmap->counters.purges++;
	for (int i = 0; i < vmap->nr_nodes; i++) {
		decay_pools(vmap, cpu, &vmap->nodes[i]);
		detach_lazy(vmap, cpu, &vmap->nodes[i]);
	}
	for (int i = 0; i < vmap->nr_nodes; i++)
		purge_node(vmap, cpu, &vmap->nodes[i]);
	vmap->purging = false;
}

void vmap_free(struct vmap *vmap, struct cpu *cpu, struct vmap_area *area)
{
	int64_t nr_lazy = area->nr_pages;

	change_busy(vmap, cpu, area);
	nr_lazy += (int64_t)line_fetch_add(cpu, vmap->lazy_nr_line, 0, area->nr_pages);
	lock(vmap, cpu, &area->node->lazy_lock, &vmap->counters.lazy);
	push(&area->node->lazy, area);
	spin_unlock(cpu, &area->node->lazy_lock);
	if (nr_lazy > vmap->nr_lazy_max)
		purge(vmap, cpu);
}
