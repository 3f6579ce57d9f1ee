/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/engine/fiber.h"

#include <stdbool.h>
#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

/* Boost.Context 1.74, boost/context/detail/fcontext.hpp: C linkage, but a text in C++. */
struct transfer {
	void *context;
	void *data;
};

extern struct transfer jump_fcontext(void *to, void *data);
extern void *make_fcontext(void *top, size_t bytes, void (*fn)(struct transfer));

/* Before a switch. `from` will not run again when `leaving`. */
static inline void announce_switch(struct fiber *from, struct fiber *to, bool leaving)
{
	to->resumed_by = from;
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_start_switch_fiber(leaving ? NULL : &from->fake_stack, to->low, to->bytes);
#else
	(void)leaving;
#endif
}

/* After a switch, in the fiber switched to: note where the one before can go on. */
static inline void complete_switch(struct fiber *self, void *context)
{
	struct fiber *before = self->resumed_by;

	before->context = context;
#ifdef __SANITIZE_ADDRESS__
	__sanitizer_finish_switch_fiber(self->fake_stack, &before->low, &before->bytes);
#endif
}

/* A Boost context that returns ends the process with status 0, which nobody would notice. */
static void fiber_main(struct transfer transfer)
{
	struct fiber *self = transfer.data;

	complete_switch(self, transfer.context);
	self->fn(self->arg);
	abort();
}

void fiber_prepare(struct fiber *fiber, struct fiber_stacks *stacks, fiber_fn *fn, void *arg)
{
	struct fiber_stack *stack = fiber_stack_get(stacks);
	size_t bytes = (size_t)(stack->top - stack->low);

	*fiber = (struct fiber){ .stack = stack, .fn = fn, .arg = arg };
	fiber->context = make_fcontext(stack->top, bytes, fiber_main);
#ifdef __SANITIZE_ADDRESS__
	fiber->low = stack->low;
	fiber->bytes = bytes;
#endif
}

void fiber_switch(struct fiber *from, struct fiber *to)
{
	announce_switch(from, to, false);
	complete_switch(from, jump_fcontext(to->context, to).context);
}

void fiber_leave(struct fiber *from, struct fiber_stacks *stacks, struct fiber *to)
{
	announce_switch(from, to, true);
	/* nobody takes the stack before `to` runs, and nothing on it is needed after */
	fiber_stack_put(stacks, from->stack);
	jump_fcontext(to->context, to);
	abort();
}
