/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A priority queue of steps: by date, then CPU, then request, which no two
 * steps share, so that their order is total and the shape of the queue cannot
 * show.
 *
 * An implicit heap whose nodes have four children: half the depth of a binary
 * one, and the children of a node fill one cache line. Hence the places lie with
 * who owns the steps, and are read only where dates are equal. All of it that
 * runs per step is inline: it is most of what an engine costs.
 */
#ifndef CONTEND_ENGINE_STEP_HEAP_H
#define CONTEND_ENGINE_STEP_HEAP_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/util/units.h"

#define STEP_HEAP_CHILDREN 4
#define STEP_REQUEST_BITS 40 /* of a place */

struct step {
	sim_ps date;
	uint64_t *place; /* among the steps of its date, by step_place; stays as it is while the heap has the step */
};

/* Zeroed, it is an empty heap. */
struct step_heap {
	struct step *steps; /* the root; a few bytes into the memory, so that the children of each begin a cache line */
	struct step *memory;
	size_t nr_steps;
	size_t max_steps;
};

void step_heap_destroy(struct step_heap *heap);

/* Make room for one more step. Ends the process when memory does. */
void step_heap_grow(struct step_heap *heap);

/* By CPU, then request. */
static inline uint64_t step_place(int cpu, uint64_t request)
{
	assert(request >> STEP_REQUEST_BITS == 0);
	return (uint64_t)cpu << STEP_REQUEST_BITS | request;
}

static inline uint64_t step_request(uint64_t place)
{
	return place & ((UINT64_C(1) << STEP_REQUEST_BITS) - 1);
}

static inline bool step_comes_before(const struct step *a, const struct step *b)
{
	return a->date != b->date ? a->date < b->date : *a->place < *b->place;
}

/* Put `step` into the hole at the root, or below. */
static inline void step_heap_sink(struct step_heap *heap, struct step step)
{
	struct step *steps = heap->steps;
	size_t hole = 0;
	size_t child;

	while ((child = hole * STEP_HEAP_CHILDREN + 1) < heap->nr_steps) {
		size_t end = child + STEP_HEAP_CHILDREN < heap->nr_steps ? child + STEP_HEAP_CHILDREN : heap->nr_steps;
		size_t first = child;

		while (++child < end)
			first = step_comes_before(&steps[child], &steps[first]) ? child : first;
		if (!step_comes_before(&steps[first], &step))
			break;
		steps[hole] = steps[first];
		hole = first;
	}
	steps[hole] = step;
}

/* O(log) at worst, O(1) for a step that comes late. */
static inline void step_heap_add(struct step_heap *heap, struct step step)
{
	struct step *steps;
	size_t hole = heap->nr_steps;

	if (hole == heap->max_steps)
		step_heap_grow(heap);
	heap->nr_steps++;
	steps = heap->steps;
	while (hole > 0) {
		size_t parent = (hole - 1) / STEP_HEAP_CHILDREN;

		if (!step_comes_before(&step, &steps[parent]))
			break;
		steps[hole] = steps[parent];
		hole = parent;
	}
	steps[hole] = step;
}

/* The first step leaves the heap, which must not be empty. O(log). */
static inline struct step step_heap_take(struct step_heap *heap)
{
	struct step first = heap->steps[0];

	heap->nr_steps--;
	if (heap->nr_steps)
		step_heap_sink(heap, heap->steps[heap->nr_steps]);
	return first;
}

/* Add a step and take the first, in one pass. */
static inline struct step step_heap_exchange(struct step_heap *heap, struct step step)
{
	struct step first;

	if (!heap->nr_steps || step_comes_before(&step, &heap->steps[0]))
		return step;
	first = heap->steps[0];
	step_heap_sink(heap, step);
	return first;
}

#endif
