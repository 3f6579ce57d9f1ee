/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/step_heap.h"

#include <stdio.h>
#include <stdlib.h>

#define FIRST_STEPS 64

void step_heap_destroy(struct step_heap *heap)
{
	free(heap->steps);
}

void step_heap_grow(struct step_heap *heap)
{
	heap->max_steps = heap->max_steps ? 2 * heap->max_steps : FIRST_STEPS;
	heap->steps = reallocarray(heap->steps, heap->max_steps, sizeof(*heap->steps));
	if (!heap->steps) {
		fputs("contend: out of memory\n", stderr);
		exit(1);
	}
}
