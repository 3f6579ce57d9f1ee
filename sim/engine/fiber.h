/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fibers: flows of control with stacks of their own, one of which runs until it
 * switches to another. Boost.Context saves and restores the registers (its C
 * linkage, x86-64 and aarch64 alike); the way in and out, and what
 * AddressSanitizer must be told, are here.
 */
#ifndef CONTEND_ENGINE_FIBER_H
#define CONTEND_ENGINE_FIBER_H

#include "sim/engine/fiber_stack.h"

typedef void fiber_fn(void *arg);

/* Zeroed, it stands for the flow of control that the process began with. */
struct fiber {
	void *context; /* where to go on; stale while it runs */
	struct fiber *resumed_by;
	struct fiber_stack *stack;
	fiber_fn *fn;
	void *arg;
#ifdef __SANITIZE_ADDRESS__
	void *fake_stack;
	const void *low;
	size_t bytes;
#endif
};

/*
 * The first switch to `fiber` calls fn(arg) on a stack from the pool. fn ends with fiber_leave; if it returns
 * nevertheless the process aborts.
 */
void fiber_prepare(struct fiber *fiber, struct fiber_stacks *stacks, fiber_fn *fn, void *arg);

/* Go on in `to`; returns when somebody switches back to `from`, the running one. */
void fiber_switch(struct fiber *from, struct fiber *to);

/* Go on in `to` for good: `from`, the running one, is over, and its stack goes back to the pool. */
void fiber_leave(struct fiber *from, struct fiber_stacks *stacks, struct fiber *to) __attribute__((noreturn));

#endif
