/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/unit.h"

#include "sim/engine/fiber.h"
#include "tests/support/forked.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#define NR_FIBERS 200 /* several mappings of stacks */

struct ring {
	struct fiber_stacks stacks;
	struct fiber outside;
	struct fiber fibers[NR_FIBERS];
	char visits[3 * NR_FIBERS + 1];
	size_t nr_visits;
};

struct member {
	struct ring *ring;
	int index;
};

/* Two rounds through all fibers; the last leaves to whoever started. */
static void visit_twice(void *arg)
{
	const struct member *member = arg;
	struct ring *ring = member->ring;
	struct fiber *self = &ring->fibers[member->index];
	struct fiber *next = &ring->fibers[(member->index + 1) % NR_FIBERS];

	ring->visits[ring->nr_visits++] = (char)('a' + member->index % 26);
	fiber_switch(self, next);
	ring->visits[ring->nr_visits++] = (char)('A' + member->index % 26);
	fiber_leave(self, &ring->stacks, member->index == NR_FIBERS - 1 ? &ring->outside : next);
}

static void fibers_run_where_they_stopped_each_on_its_own_stack(void **state)
{
	static struct ring ring;
	static struct member members[NR_FIBERS];

	(void)state;
	memset(&ring, 0, sizeof(ring));
	for (int i = 0; i < NR_FIBERS; i++) {
		members[i] = (struct member){ &ring, i };
		fiber_prepare(&ring.fibers[i], &ring.stacks, visit_twice, &members[i]);
	}
	fiber_switch(&ring.outside, &ring.fibers[0]);
	assert_int_equal(ring.nr_visits, 2 * NR_FIBERS);
	for (int i = 0; i < NR_FIBERS; i++) {
		assert_int_equal(ring.visits[i], 'a' + i % 26);
		assert_int_equal(ring.visits[NR_FIBERS + i], 'A' + i % 26);
	}
	fiber_stacks_destroy(&ring.stacks);
}

static void a_stack_that_was_left_is_used_again(void **state)
{
	struct fiber_stacks stacks = { 0 };
	struct fiber_stack *first = fiber_stack_get(&stacks);
	struct fiber_stack *second = fiber_stack_get(&stacks);

	(void)state;
	assert_ptr_not_equal(first, second);
	fiber_stack_put(&stacks, first);
	assert_ptr_equal(fiber_stack_get(&stacks), first);
	fiber_stacks_destroy(&stacks);
}

static void stacks_that_were_reclaimed_are_used_before_new_ones_are_made(void **state)
{
	struct fiber_stacks stacks = { 0 };
	struct fiber_stack *first = fiber_stack_get(&stacks);
	struct fiber_stack *second = fiber_stack_get(&stacks);

	(void)state;
	fiber_stack_put(&stacks, second);
	fiber_stacks_reclaim(&stacks);
	assert_ptr_equal(fiber_stack_get(&stacks), first);
	assert_ptr_equal(fiber_stack_get(&stacks), second);
	assert_int_equal(stacks.nr_stacks, 2);
	fiber_stacks_destroy(&stacks);
}

struct stranded {
	struct fiber outside, fiber;
	struct fiber_stacks stacks;
	size_t use_bytes; /* of the stack */
};

static void use_stack(size_t bytes)
{
	volatile char use[1024];

	memset((void *)(uintptr_t)use, 0xa5, sizeof(use));
	if (bytes > sizeof(use))
		use_stack(bytes - sizeof(use));
	use[0] = 1; /* after the call, so that it is no jump */
}

static void use_and_go_back(void *arg)
{
	struct stranded *stranded = arg;

	use_stack(stranded->use_bytes);
	fiber_switch(&stranded->fiber, &stranded->outside);
}

static size_t peak_after_using(size_t bytes)
{
	struct stranded stranded = { .use_bytes = bytes };
	size_t peak_bytes;

	fiber_prepare(&stranded.fiber, &stranded.stacks, use_and_go_back, &stranded);
	fiber_switch(&stranded.outside, &stranded.fiber);
	peak_bytes = fiber_stacks_peak_bytes(&stranded.stacks);
	fiber_stacks_destroy(&stranded.stacks);
	return peak_bytes;
}

static void the_peak_is_what_the_deepest_call_reached(void **state)
{
	struct fiber_stacks none = { 0 };

	(void)state;
	assert_int_equal(fiber_stacks_peak_bytes(&none), 0);
	assert_in_range(peak_after_using(1024), 1024, 4 * 1024);
	assert_in_range(peak_after_using(8 * 1024), 8 * 1024, 15 * 1024);
}

static void overflow(FILE *record, const void *arg)
{
	(void)arg;
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	peak_after_using(2 * fiber_stack_bytes());
	fputs("survived", record);
}

static void return_from_a_fiber(void *arg)
{
	(void)arg;
}

static void return_to_nowhere(FILE *record, const void *arg)
{
	struct stranded stranded = { 0 };

	(void)arg;
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	fiber_prepare(&stranded.fiber, &stranded.stacks, return_from_a_fiber, NULL);
	fiber_switch(&stranded.outside, &stranded.fiber);
	fputs("survived", record);
}

/* A sanitizer turns the signal into an exit with a status of its own. */
static void check_death(void (*body)(FILE *record, const void *arg))
{
	struct forked forked = forked_run(body, NULL);

	assert_string_equal(forked.record, "");
	assert_int_not_equal(forked.status, 0);
	forked_free(&forked);
}

static void an_overflow_ends_the_process(void **state)
{
	(void)state;
	check_death(overflow);
}

static void a_fiber_that_returns_ends_the_process_not_as_if_all_were_well(void **state)
{
	(void)state;
	check_death(return_to_nowhere);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(fibers_run_where_they_stopped_each_on_its_own_stack),
		cmocka_unit_test(a_stack_that_was_left_is_used_again),
		cmocka_unit_test(stacks_that_were_reclaimed_are_used_before_new_ones_are_made),
		cmocka_unit_test(the_peak_is_what_the_deepest_call_reached),
		cmocka_unit_test(an_overflow_ends_the_process),
		cmocka_unit_test(a_fiber_that_returns_ends_the_process_not_as_if_all_were_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
