/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stack, from low to high addresses:
 *
 *	guard page | free ... used by the fiber | colour | struct fiber_stack
 *
 * The colour differs between stacks. Without it the tops of all stacks would
 * lie at one offset in their pages and share a few sets of the first cache.
 *
 * Size: the deepest that any experiment of configs/ or any property test of the
 * models went was 1.0 KiB (x86-64, gcc 12, -O2; by fiber_stacks_peak_bytes). The
 * text of an error takes up to 8 more. A stack takes up memory for the pages
 * that were touched, one or two.
 */
#include "sim/engine/fiber_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define STACK_BYTES ((size_t)256 << 10) /* redzones make frames several times as large */
#else
#define ASAN_UNPOISON_MEMORY_REGION(start, bytes) ((void)(start), (void)(bytes))
#define STACK_BYTES ((size_t)16 << 10)
#endif

#ifdef HAVE_VALGRIND_H
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(low, high) ((void)(low), (void)(high), 0U)
#define VALGRIND_STACK_DEREGISTER(id) ((void)(id))
#endif

#define STACKS_PER_MAPPING 64
#define CACHE_LINE_BYTES 64
#define NR_COLOURS 16

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Whole pages, however large they are. */
static size_t stack_bytes(void)
{
	return STACK_BYTES > page_bytes() ? STACK_BYTES : page_bytes();
}

size_t fiber_stack_bytes(void)
{
	return stack_bytes() - sizeof(struct fiber_stack) - (NR_COLOURS - 1) * (size_t)CACHE_LINE_BYTES;
}

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

void fiber_stack_put(struct fiber_stacks *stacks, struct fiber_stack *stack)
{
	ASAN_UNPOISON_MEMORY_REGION(stack->low, (size_t)(stack->top - stack->low));
	stack->next = stacks->free;
	stacks->free = stack;
}

static void stacks_keep(struct fiber_stacks *stacks, struct fiber_stack *stack)
{
	if (stacks->nr_stacks == stacks->max_stacks) {
		stacks->max_stacks = stacks->max_stacks ? 2 * stacks->max_stacks : STACKS_PER_MAPPING;
		stacks->all = reallocarray(stacks->all, (size_t)stacks->max_stacks, sizeof(struct fiber_stack *));
		if (!stacks->all)
			give_up("contend: stacks of actors");
	}
	stacks->all[stacks->nr_stacks++] = stack;
	fiber_stack_put(stacks, stack);
}

static size_t place_bytes(void)
{
	return page_bytes() + stack_bytes();
}

static void stacks_map(struct fiber_stacks *stacks)
{
	stacks->fresh = mmap(NULL, STACKS_PER_MAPPING * place_bytes(), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stacks->fresh == MAP_FAILED)
		give_up("contend: stacks of actors: mmap");
	stacks->nr_fresh = STACKS_PER_MAPPING;
}

/* One at a time: guards and the pages that are touched here are most of what a short run costs. */
static void stack_create(struct fiber_stacks *stacks)
{
	char *guard = stacks->fresh;
	char *low = guard + page_bytes();
	struct fiber_stack *stack = (struct fiber_stack *)(void *)(low + stack_bytes() - sizeof(*stack));
	size_t colour = (size_t)(stacks->nr_stacks % NR_COLOURS) * CACHE_LINE_BYTES;

	if (mprotect(guard, page_bytes(), PROT_NONE))
		give_up("contend: stacks of actors: mprotect");
	stack->low = low;
	stack->top = (char *)stack - colour;
	stack->valgrind_id = VALGRIND_STACK_REGISTER(low, stack->top);
	stacks->fresh += place_bytes();
	stacks->nr_fresh--;
	stacks_keep(stacks, stack);
}

struct fiber_stack *fiber_stack_get(struct fiber_stacks *stacks)
{
	struct fiber_stack *stack;

	if (!stacks->free) {
		if (stacks->nr_fresh == 0)
			stacks_map(stacks);
		stack_create(stacks);
	}
	stack = stacks->free;
	stacks->free = stack->next;
	return stack;
}

void fiber_stacks_destroy(struct fiber_stacks *stacks)
{
	for (int i = 0; i < stacks->nr_stacks; i++) {
		VALGRIND_STACK_DEREGISTER(stacks->all[i]->valgrind_id);
		ASAN_UNPOISON_MEMORY_REGION(stacks->all[i]->low, stack_bytes());
	}
	for (int i = 0; i < stacks->nr_stacks; i += STACKS_PER_MAPPING) /* the first stack of each mapping */
		munmap(stacks->all[i]->low - page_bytes(), STACKS_PER_MAPPING * place_bytes());
	free(stacks->all);
}

void fiber_stacks_reclaim(struct fiber_stacks *stacks)
{
	stacks->free = NULL;
	for (int i = stacks->nr_stacks; i-- > 0;)
		fiber_stack_put(stacks, stacks->all[i]);
}

/* From the lowest word that is not zero: a stack comes zeroed from the kernel. */
static size_t stack_peak_bytes(const struct fiber_stack *stack)
{
	const size_t page = page_bytes();

	for (char *at = stack->low; at < stack->top; at += page) {
		char *end = at + page < stack->top ? at + page : stack->top;
		unsigned char resident = 0;

		if (mincore(at, page, &resident) || !(resident & 1))
			continue;
		for (const char *word = at; word < end; word += sizeof(long)) {
			if (*(const long *)(const void *)word)
				return (size_t)(stack->top - word);
		}
	}
	return 0;
}

size_t fiber_stacks_peak_bytes(const struct fiber_stacks *stacks)
{
	size_t peak_bytes = 0;

	for (int i = 0; i < stacks->nr_stacks; i++) {
		size_t bytes = stack_peak_bytes(stacks->all[i]);

		peak_bytes = bytes > peak_bytes ? bytes : peak_bytes;
	}
	return peak_bytes;
}
