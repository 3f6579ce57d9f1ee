/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A fiber's first switch is made when it is prepared, with a context of another
 * kind (make_fcontext, jump_fcontext), and it switches back at once:
 *
 *	prepared -> fiber_main -> back -> suspended as every other -> fn(arg)
 */
#include "sim/engine/fiber.h"

#include <stdlib.h>

#ifdef __SANITIZE_ADDRESS__
#define start_switch __sanitizer_start_switch_fiber
#define finish_switch __sanitizer_finish_switch_fiber
#else
#define start_switch(save, low, bytes) ((void)(save), (void)(low), (void)(bytes))
#define finish_switch(save, low, bytes) ((void)(save), (void)(low), (void)(bytes))
#endif

extern struct transfer jump_fcontext(void *to, void *data);
extern void *make_fcontext(void *top, size_t bytes, void (*fn)(struct transfer));

struct transfer fiber_arrive(struct transfer transfer)
{
	struct fiber *from = transfer.data;

	from->context = transfer.context;
#ifdef __SANITIZE_ADDRESS__
	finish_switch(from->to->fake_stack, &from->low, &from->bytes);
#endif
	return transfer;
}

/* The same on the stack of who prepares a fiber, for which fiber_prepare answers. */
static struct transfer arrive_prepared(struct transfer transfer)
{
	struct fiber *fiber = transfer.data;

	fiber->context = transfer.context;
	return transfer;
}

/* A Boost context that returns ends the process with status 0, which nobody would notice. */
static void fiber_main(struct transfer transfer)
{
	struct fiber *self = transfer.data;
	const void *low = NULL;
	size_t bytes = 0;
	void *fake_stack = NULL;

	finish_switch(NULL, &low, &bytes);
	start_switch(&fake_stack, low, bytes);
#ifdef __SANITIZE_ADDRESS__
	self->fake_stack = fake_stack;
#endif
	ontop_fcontext(transfer.context, self, arrive_prepared);
	self->fn(self->arg);
	abort();
}

void fiber_prepare(struct fiber *fiber, struct fiber_stacks *stacks, fiber_fn *fn, void *arg)
{
	struct fiber_stack *stack = fiber_stack_get(stacks);
	const size_t bytes = (size_t)(stack->top - stack->low);
	void *fake_stack = NULL;

	*fiber = (struct fiber){ .stack = stack, .fn = fn, .arg = arg };
#ifdef __SANITIZE_ADDRESS__
	fiber->low = stack->low;
	fiber->bytes = bytes;
#endif
	start_switch(&fake_stack, stack->low, bytes);
	jump_fcontext(make_fcontext(stack->top, bytes, fiber_main), fiber);
	finish_switch(fake_stack, NULL, NULL);
}

void fiber_leave(struct fiber *from, struct fiber_stacks *stacks, struct fiber *to)
{
	fiber_announce(from, to, 1);
	/* nobody takes the stack before `to` runs, and nothing on it is needed after */
	fiber_stack_put(stacks, from->stack);
	ontop_fcontext(to->context, from, fiber_arrive);
	abort();
}
