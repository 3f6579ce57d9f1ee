/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A pool of stacks for fibers, taken from the kernel many at a time and kept
 * until the end. Below every stack lies a page that nobody may touch: an
 * overflow ends the process at once and never writes into a neighbour.
 */
#ifndef CONTEND_ENGINE_FIBER_STACK_H
#define CONTEND_ENGINE_FIBER_STACK_H

#include <stddef.h>

struct fiber_stack {
	struct fiber_stack *next; /* in the pool */
	char *low; /* above the guard page */
	char *top; /* where a fiber begins */
	unsigned int valgrind_id;
};

/* Zeroed, it is an empty pool. */
struct fiber_stacks {
	struct fiber_stack *free;
	struct fiber_stack **all; /* in the order of their making */
	int nr_stacks, max_stacks;
	char *fresh; /* the next stack to be made, out of the last mapping */
	int nr_fresh; /* how many that mapping still has room for */
};

/* No fiber may be on any of the stacks, or run there again. */
void fiber_stacks_destroy(struct fiber_stacks *stacks);

/* Every stack is nobody's again, whatever was on it. No fiber may run there again. */
void fiber_stacks_reclaim(struct fiber_stacks *stacks);

/* A stack that is nobody's. Ends the process when memory does. */
struct fiber_stack *fiber_stack_get(struct fiber_stacks *stacks);

void fiber_stack_put(struct fiber_stacks *stacks, struct fiber_stack *stack);

/* What every stack has room for at least. */
size_t fiber_stack_bytes(void);

/* The most that any stack has held so far, to a word; reads only pages that were touched. */
size_t fiber_stacks_peak_bytes(const struct fiber_stacks *stacks);

#endif
