/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/step_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_STEPS 64
#define CHILDREN_BYTES (STEP_HEAP_CHILDREN * sizeof(struct step)) /* a cache line */

void step_heap_destroy(struct step_heap *heap)
{
	free(heap->memory);
}

void step_heap_grow(struct step_heap *heap)
{
	struct step *memory;
	struct step *steps;

	heap->max_steps = heap->max_steps ? 2 * heap->max_steps : FIRST_STEPS;
	memory = aligned_alloc(CHILDREN_BYTES, CHILDREN_BYTES + heap->max_steps * sizeof(struct step));
	if (!memory) {
		fputs("contend: out of memory\n", stderr);
		exit(1);
	}
	steps = memory + STEP_HEAP_CHILDREN - 1;
	if (heap->nr_steps)
		memcpy(steps, heap->steps, heap->nr_steps * sizeof(*steps));
	free(heap->memory);
	heap->memory = memory;
	heap->steps = steps;
}
