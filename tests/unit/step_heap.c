/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/unit.h"

#include "sim/engine/step_heap.h"
#include "sim/util/rng.h"

#include <stdlib.h>
#include <string.h>

#define NR_STEPS 3000

static int by_order(const void *a, const void *b)
{
	const struct step *x = a;
	const struct step *y = b;

	if (step_comes_before(x, y))
		return -1;
	return step_comes_before(y, x);
}

/* Dates and CPUs out of few, so that many are equal. */
static struct step random_step(struct rng *rng, uint64_t request, uint64_t *place)
{
	sim_ps date = rng_between(rng, 1, 40);
	int cpu = (int)rng_below(rng, 5);

	*place = step_place(cpu, request);
	return (struct step){ .date = date, .place = place };
}

static void steps_come_by_date_then_cpu_then_request(void **state)
{
	static uint64_t places[] = { 0, 1, 9 };
	static const struct {
		struct step first, second;
	} cases[] = {
		{ { .date = 1, .place = &places[2] }, { .date = 2, .place = &places[0] } },
		{ { .date = INT64_MAX - 1, .place = &places[0] }, { .date = INT64_MAX, .place = &places[0] } },
		{ { .date = 5, .place = &places[0] }, { .date = 5, .place = &places[1] } },
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(step_comes_before(&cases[i].first, &cases[i].second));
		assert_false(step_comes_before(&cases[i].second, &cases[i].first));
		assert_false(step_comes_before(&cases[i].first, &cases[i].first));
	}
	assert_true(step_place(3, (UINT64_C(1) << STEP_REQUEST_BITS) - 1) < step_place(4, 0));
}

static void what_is_added_is_taken_in_order(void **state)
{
	static struct step sorted[NR_STEPS];
	static uint64_t places[NR_STEPS];

	(void)state;
	for (uint64_t nr = 0; nr < NR_STEPS; nr = nr * 2 + 1) {
		struct rng rng = rng_stream(11, nr);
		struct step_heap heap = { 0 };

		for (uint64_t i = 0; i < nr; i++) {
			sorted[i] = random_step(&rng, i, &places[i]);
			step_heap_add(&heap, sorted[i]);
		}
		qsort(sorted, nr, sizeof(sorted[0]), by_order);
		for (uint64_t i = 0; i < nr; i++)
			assert_ptr_equal(step_heap_take(&heap).place, sorted[i].place);
		assert_int_equal(heap.nr_steps, 0);
		step_heap_destroy(&heap);
	}
}

/* The same requests to two heaps, of which one exchanges and the other adds and takes. */
static void an_exchange_is_an_add_and_a_take(void **state)
{
	static uint64_t places[NR_STEPS];
	struct step_heap exchanged = { 0 };
	struct step_heap added = { 0 };
	struct rng rng = rng_stream(12, 0);

	(void)state;
	for (uint64_t i = 0; i < NR_STEPS; i++) {
		struct step step = random_step(&rng, i, &places[i]);
		struct step taken;

		if (rng_below(&rng, 4) == 0) {
			step_heap_add(&exchanged, step);
			step_heap_add(&added, step);
			continue;
		}
		taken = step_heap_exchange(&exchanged, step);
		step_heap_add(&added, step);
		assert_ptr_equal(taken.place, step_heap_take(&added).place);
	}
	assert_int_equal(exchanged.nr_steps, added.nr_steps);
	assert_true(added.nr_steps > NR_STEPS / 8);
	while (added.nr_steps)
		assert_ptr_equal(step_heap_take(&exchanged).place, step_heap_take(&added).place);
	step_heap_destroy(&exchanged);
	step_heap_destroy(&added);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_come_by_date_then_cpu_then_request),
		cmocka_unit_test(what_is_added_is_taken_in_order),
		cmocka_unit_test(an_exchange_is_an_add_and_a_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
