/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 *	             kmem_cache_alloc()                       all objects out
 *	new pages --------------------> a CPU's own slab ---------------------> on no list (full)
 *	                                   ^                                        |
 *	                                   | its CPU needs another                  | an object comes back on some CPU
 *	                                   |                                        v
 *	     given back <--------- a node's partial slabs <--------- that CPU's partial slabs
 *	        empty, and enough others are there      too many of them
 */
#include "models/kernel/slab.h"

#include <assert.h>

#define SLAB_MAX_ORDER PAGE_ALLOC_COSTLY_ORDER /* slub_max_order */
#define MIN_PARTIAL 5
#define MAX_PARTIAL 10

enum slab_place {
	SLAB_FULL, /* on no list, no object free */
	SLAB_ACTIVE, /* the slab that a CPU allocates from */
	SLAB_CPU_PARTIAL,
	SLAB_NODE_PARTIAL,
};

struct slab {
	struct slab *next, *previous; /* in a list */
	pfn_t pfn;
	int cpu; /* that allocated the pages */
	uint16_t free; /* objects on the slab's own free list */
	uint8_t place; /* enum slab_place */
	uint8_t node;
};

struct slab_list {
	struct slab *first, *last;
	uint32_t nr;
};

/* struct kmem_cache_cpu */
struct cpu_slabs {
	struct slab *active;
	uint16_t freelist; /* objects of the active slab that this CPU took as its own */
	struct slab_list partial;
};

struct kmem_cache {
	struct arena *arena;
	struct page_alloc *page_alloc;
	unsigned order;
	uint16_t objects; /* per slab */
	uint32_t cpu_partial_slabs, min_partial;
	struct cpu_slabs *cpus; /* by CPU of the machine */
	struct slab_list *nodes; /* partial slabs by node */
	struct slab *unused; /* to be used again: their pages are gone */
	uint64_t nr_slabs;
	uint64_t freed_elsewhere;
};

static void list_add_tail(struct slab_list *list, struct slab *slab)
{
	slab->next = NULL;
	slab->previous = list->last;
	*(list->last ? &list->last->next : &list->first) = slab;
	list->last = slab;
	list->nr++;
}

static void list_add_head(struct slab_list *list, struct slab *slab)
{
	slab->previous = NULL;
	slab->next = list->first;
	*(list->first ? &list->first->previous : &list->last) = slab;
	list->first = slab;
	list->nr++;
}

static void list_remove(struct slab_list *list, struct slab *slab)
{
	*(slab->previous ? &slab->previous->next : &list->first) = slab->next;
	*(slab->next ? &slab->next->previous : &list->last) = slab->previous;
	list->nr--;
}

static struct slab *list_pop(struct slab_list *list)
{
	struct slab *slab = list->first;

	if (slab)
		list_remove(list, slab);
	return slab;
}

static unsigned log2_floor(uint32_t number)
{
	return 31U - (unsigned)__builtin_clz(number);
}

/* get_order() */
static unsigned order_of_bytes(uint64_t bytes)
{
	unsigned order = 0;

	while (PAGE_BYTES << order < bytes)
		order++;
	return order;
}

static uint32_t objects_in(unsigned order, uint32_t object_bytes)
{
	return (uint32_t)((PAGE_BYTES << order) / object_bytes);
}

/* calc_slab_order(): the first order that leaves at most this fraction over. */
static unsigned order_with_waste(uint32_t object_bytes, unsigned min_order, uint32_t fraction)
{
	unsigned order = min_order;

	while (order <= SLAB_MAX_ORDER && (PAGE_BYTES << order) % object_bytes > (PAGE_BYTES << order) / fraction)
		order++;
	return order;
}

unsigned slab_order(uint32_t object_bytes, int nr_cpus)
{
	const uint32_t most = objects_in(SLAB_MAX_ORDER, object_bytes);
	uint32_t min_objects = 4 * (log2_floor((uint32_t)nr_cpus) + 1 + 1);
	unsigned min_order;

	min_objects = min_objects < most ? min_objects : most;
	min_order = order_of_bytes((uint64_t)min_objects * object_bytes);
	for (uint32_t fraction = 16; fraction > 1; fraction /= 2) {
		const unsigned order = order_with_waste(object_bytes, min_order, fraction);

		if (order <= SLAB_MAX_ORDER)
			return order;
	}
	return order_of_bytes(object_bytes);
}

/* set_cpu_partial() */
static uint32_t cpu_partial_objects(uint32_t object_bytes)
{
	if (object_bytes >= PAGE_BYTES)
		return 6;
	if (object_bytes >= 1024)
		return 24;
	return object_bytes >= 256 ? 52 : 120;
}

static uint32_t clamp(uint32_t value, uint32_t low, uint32_t high)
{
	return value < low ? low : value > high ? high : value;
}

struct kmem_cache *kmem_cache_create(struct arena *arena, const struct machine *machine, struct page_alloc *page_alloc,
				     uint32_t object_bytes)
{
	struct kmem_cache *cache = arena_alloc(arena, sizeof(*cache));

	cache->arena = arena;
	cache->page_alloc = page_alloc;
	cache->order = slab_order(object_bytes, machine_nr_cpus(machine));
	cache->objects = (uint16_t)objects_in(cache->order, object_bytes);
	cache->cpu_partial_slabs = (2 * cpu_partial_objects(object_bytes) + cache->objects - 1) / cache->objects;
	cache->min_partial = clamp(log2_floor(object_bytes) / 2, MIN_PARTIAL, MAX_PARTIAL);
	cache->cpus = arena_calloc(arena, (size_t)machine_nr_cpus(machine), sizeof(*cache->cpus));
	cache->nodes = arena_calloc(arena, (size_t)machine_nr_nodes(machine), sizeof(*cache->nodes));
	return cache;
}

/* allocate_slab(); NULL when there is no memory. The task may be on another CPU afterwards. */
static struct slab *new_slab(struct kmem_cache *cache, struct task *task)
{
	const int cpu = task->cpu->id;
	const int node = task->cpu->place->node;
	const pfn_t pfn = alloc_pages(cache->page_alloc, task, cache->order, MIGRATE_UNMOVABLE);
	struct slab *slab = cache->unused;

	if (pfn == NO_PAGE)
		return NULL;
	if (slab)
		cache->unused = slab->next;
	else
		slab = arena_alloc(cache->arena, sizeof(*slab));
	*slab = (struct slab){ .pfn = pfn, .cpu = cpu, .node = (uint8_t)node, .free = cache->objects };
	cache->nr_slabs++;
	return slab;
}

/* discard_slab(): of a slab that is on no list. */
static void discard(struct kmem_cache *cache, struct task *task, struct slab *slab)
{
	const pfn_t pfn = slab->pfn;

	cache->freed_elsewhere += slab->cpu != task->cpu->id;
	cache->nr_slabs--;
	slab->next = cache->unused;
	cache->unused = slab;
	free_pages(cache->page_alloc, task, pfn, cache->order);
}

/* get_partial_node(): the first slab to allocate from, some more for the CPU's partial list. */
static struct slab *get_partial_node(struct kmem_cache *cache, struct cpu_slabs *cpu, int node)
{
	struct slab_list *partial = &cache->nodes[node];
	struct slab *slab = list_pop(partial);

	while (slab && partial->nr && cpu->partial.nr <= cache->cpu_partial_slabs / 2) {
		struct slab *more = list_pop(partial);

		more->place = SLAB_CPU_PARTIAL;
		list_add_head(&cpu->partial, more);
	}
	return slab;
}

/* ___slab_alloc(): another slab becomes the CPU's own. Returns false when there is no memory. */
static bool refill(struct kmem_cache *cache, struct task *task)
{
	struct cpu_slabs *cpu = &cache->cpus[task->cpu->id];
	struct slab *slab = cpu->active;

	if (slab && !slab->free) { /* deactivate_slab(): nobody has it until an object comes back */
		slab->place = SLAB_FULL;
		slab = NULL;
	}
	if (!slab)
		slab = list_pop(&cpu->partial);
	if (!slab)
		slab = get_partial_node(cache, cpu, task->cpu->place->node);
	cpu->active = slab;
	if (!slab) {
		slab = new_slab(cache, task);
		if (!slab)
			return false;
		cpu = &cache->cpus[task->cpu->id];
		if (cpu->active) { /* somebody else's refill on this CPU while the pages were taken */
			slab->place = SLAB_CPU_PARTIAL;
			list_add_head(&cpu->partial, slab);
			return true;
		}
		cpu->active = slab;
	}
	slab->place = SLAB_ACTIVE;
	cpu->freelist = slab->free;
	slab->free = 0;
	return true;
}

struct slab *kmem_cache_alloc(struct kmem_cache *cache, struct task *task)
{
	while (!cache->cpus[task->cpu->id].freelist) {
		if (!refill(cache, task))
			return NULL;
	}
	cache->cpus[task->cpu->id].freelist--;
	return cache->cpus[task->cpu->id].active;
}

/* __put_partials(): a CPU's partial slabs go to their nodes; empty ones are given back where there are enough. */
static void put_partials(struct kmem_cache *cache, struct task *task, struct slab_list *partials)
{
	struct slab_list discarded = { 0 };
	struct slab *slab;

	while ((slab = list_pop(partials))) {
		struct slab_list *node = &cache->nodes[slab->node];

		if (slab->free == cache->objects && node->nr >= cache->min_partial) {
			list_add_tail(&discarded, slab);
			continue;
		}
		slab->place = SLAB_NODE_PARTIAL;
		list_add_tail(node, slab);
	}
	while ((slab = list_pop(&discarded)))
		discard(cache, task, slab);
}

/* put_cpu_partial(): a slab that was full until now. */
static void put_cpu_partial(struct kmem_cache *cache, struct task *task, struct slab *slab)
{
	struct cpu_slabs *cpu = &cache->cpus[task->cpu->id];
	struct slab_list old = { 0 };

	if (cpu->partial.nr >= cache->cpu_partial_slabs) {
		old = cpu->partial;
		cpu->partial = (struct slab_list){ 0 };
	}
	slab->place = SLAB_CPU_PARTIAL;
	list_add_head(&cpu->partial, slab);
	put_partials(cache, task, &old);
}

void kmem_cache_free(struct kmem_cache *cache, struct task *task, struct slab *slab)
{
	struct cpu_slabs *cpu = &cache->cpus[task->cpu->id];
	struct slab_list *node = &cache->nodes[slab->node];

	if (cpu->active == slab) {
		cpu->freelist++;
		return;
	}
	assert(slab->free < cache->objects);
	slab->free++;
	if (slab->place == SLAB_FULL) {
		put_cpu_partial(cache, task, slab);
	} else if (slab->place == SLAB_NODE_PARTIAL && slab->free == cache->objects && node->nr >= cache->min_partial) {
		list_remove(node, slab);
		discard(cache, task, slab);
	}
}

uint64_t kmem_cache_pages(const struct kmem_cache *cache)
{
	return cache->nr_slabs << cache->order;
}

uint64_t kmem_cache_freed_elsewhere(const struct kmem_cache *cache)
{
	return cache->freed_elsewhere;
}
