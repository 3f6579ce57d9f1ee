/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/mapping.h"

#include <assert.h>

/* include/asm-generic/tlb.h */
#define MMU_GATHER_BUNDLE 8
#define MAX_GATHER_BATCH 510
#define MAX_GATHER_BATCH_COUNT (10000 / MAX_GATHER_BATCH)
#define GATHER_PAGES (MMU_GATHER_BUNDLE + MAX_GATHER_BATCH_COUNT * MAX_GATHER_BATCH)

/* Faults of one step: what is worked off without looking whether the run is over */
#define STEP_PAGES 64

void mapping_init(struct mapping *mapping, struct arena *arena, struct page_alloc *alloc, uint32_t nr_pages)
{
	assert(nr_pages > 0);
	*mapping = (struct mapping){ .alloc = alloc, .nr_pages = nr_pages };
	mapping->pages = arena_calloc(arena, nr_pages, sizeof(*mapping->pages));
}

uint32_t mapping_touch(struct mapping *mapping, struct task *task, uint32_t nr, const struct page_work *work)
{
	const uint32_t left = mapping->nr_pages - mapping->nr_present;
	const uint32_t got = alloc_pages_burst(mapping->alloc, task, MIGRATE_MOVABLE, nr < left ? nr : left, work,
					       mapping->pages + mapping->nr_present);

	mapping->nr_present += got;
	return got;
}

void mapping_unmap(struct mapping *mapping, struct task *task, const struct page_work *unmap,
		   const struct page_work *release)
{
	for (uint32_t done = 0; done < mapping->nr_present;) {
		const uint32_t left = mapping->nr_present - done;
		const uint32_t nr = left < GATHER_PAGES ? left : GATHER_PAGES;

		page_alloc_work(mapping->alloc, task, unmap, nr);
		free_pages_burst(mapping->alloc, task, mapping->pages + done, nr, release);
		done += nr;
	}
	mapping->nr_present = 0;
}

void mapping_loop_init(struct mapping_loop *loop, struct arena *arena, struct page_alloc *alloc, int nr_tasks,
		       uint32_t nr_pages)
{
	loop->mappings = arena_calloc(arena, (size_t)nr_tasks, sizeof(*loop->mappings));
	for (int i = 0; i < nr_tasks; i++)
		mapping_init(&loop->mappings[i], arena, alloc, nr_pages);
}

uint64_t mapping_loop_step(struct mapping_loop *loop, struct task *task)
{
	struct mapping *mapping = &loop->mappings[task->index];
	struct page_work fault = loop->fault;
	const sim_ps spread_ps = fault.kernel_ps * (sim_ps)loop->jitter_pct / 100;
	uint32_t got;

	if (mapping->nr_present == mapping->nr_pages) {
		mapping_unmap(mapping, task, &loop->unmap, &loop->release);
		return 0;
	}
	fault.kernel_ps += rng_between(&task->cpu->rng, -spread_ps, spread_ps);
	got = mapping_touch(mapping, task, STEP_PAGES, &fault);
	if (got < STEP_PAGES && mapping->nr_present < mapping->nr_pages)
		mapping_unmap(mapping, task, &loop->unmap, &loop->release); /* memory is full: begin again */
	return got;
}

void mapping_loop_finish(struct mapping_loop *loop, struct task *task)
{
	mapping_unmap(&loop->mappings[task->index], task, &loop->unmap, &loop->release);
}
