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

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

typedef void fiber_fn(void *arg);

/* Zeroed, it stands for the flow of control that the process began with. */
struct fiber {
	void *context; /* where to go on; stale while it runs */
	struct fiber_stack *stack;
	fiber_fn *fn;
	void *arg;
#ifdef __SANITIZE_ADDRESS__
	struct fiber *to; /* that it switched to last */
	void *fake_stack;
	const void *low;
	size_t bytes;
#endif
};

/* Boost.Context 1.74, boost/context/detail/fcontext.hpp: C linkage, but a text in C++. */
struct transfer {
	void *context; /* of who switched */
	void *data;
};

extern struct transfer ontop_fcontext(void *to, void *data, struct transfer (*fn)(struct transfer));

/*
 * The first switch to `fiber` calls fn(arg) on a stack from the pool. fn ends with fiber_leave; if it returns
 * nevertheless the process aborts.
 */
void fiber_prepare(struct fiber *fiber, struct fiber_stacks *stacks, fiber_fn *fn, void *arg);

/* First thing on the stack switched to: notes where the fiber before can go on. For fiber_switch alone. */
struct transfer fiber_arrive(struct transfer transfer);

/* Before a switch. `from` will not run again when `leaving`. */
static inline void fiber_announce(struct fiber *from, struct fiber *to, int leaving)
{
#ifdef __SANITIZE_ADDRESS__
	from->to = to;
	__sanitizer_start_switch_fiber(leaving ? NULL : &from->fake_stack, to->low, to->bytes);
#else
	(void)from;
	(void)to;
	(void)leaving;
#endif
}

/*
 * Go on in `to`; returns when somebody switches back to `from`, the running one. At the end of a function this is a
 * jump: who resumes `from` then returns straight to its caller. A processor foresees few returns on a stack that it has
 * just come to, so each that is left out saves some nanoseconds.
 */
static inline void fiber_switch(struct fiber *from, struct fiber *to)
{
	fiber_announce(from, to, 0);
	ontop_fcontext(to->context, from, fiber_arrive);
}

/* Go on in `to` for good: `from`, the running one, is over, and its stack goes back to the pool. */
void fiber_leave(struct fiber *from, struct fiber_stacks *stacks, struct fiber *to) __attribute__((noreturn));

#endif
