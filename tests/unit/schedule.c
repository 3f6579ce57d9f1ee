/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In which order runs are made, that none is made twice or forgotten, and that the order decides nothing. */
#include "tests/support/unit.h"

#include "sim/cli/schedule.h"

#include "sim/cli/workers.h"
#include "sim/stats/replications.h"
#include "sim/util/rng.h"
#include "tests/support/sample_results.h"

#include <math.h>
#include <string.h>

#define NR_MACHINES 2
#define NR_VARIANTS 3
#define NR_POINTS 6 /* per machine */
#define MAX_RUNNING 16
#define MAX_RUNS (NR_MACHINES * NR_VARIANTS * NR_POINTS * 40)

/* A sweep whose values are known beforehand, and what came of it. */
struct trial {
	struct arena *arena;
	struct results *truth; /* every replication */
	struct results *results; /* as the sweep fills it */
	struct schedule *schedule;
	struct rng rng;
	int running[MAX_RUNNING];
	int nr_running, nr_workers;
	int nr_made[MAX_RUNS];
	bool first_fails;
	bool ended;
};

static struct results *shape(struct arena *arena, int nr_replications, int least, uint64_t until_ppm)
{
	struct results *results = sample_results(arena);

	results->nr_replications = nr_replications;
	results->min_replications = least;
	results->until_ppm = until_ppm;
	results_allocate(results);
	return results;
}

/* Values around 1000 that spread by up to 4 %, more at some points than at others. */
static void fill(struct results *results, uint64_t seed)
{
	struct rng rng = rng_stream(seed, 1);
	const size_t per_point = (size_t)results->nr_replications * (size_t)results->nr_metrics;

	for (size_t i = 0; i < results_nr_values(results); i++)
		results->values[i] = 1000 + (double)(rng_between(&rng, 0, 80) - 40) * (double)(i / per_point % 4) / 4;
}

static void add_points(struct trial *trial)
{
	const struct results *results = trial->results;

	for (int i = 0; i < NR_MACHINES * NR_POINTS; i++) {
		const struct schedule_point point = {
			.results = results,
			.machine = i / NR_POINTS,
			.point = i % NR_POINTS,
			.least = replications_least(results),
			.most = results->nr_replications,
		};
		int first = schedule_add_point(trial->schedule, &point);

		for (int variant = 0; variant < NR_VARIANTS; variant++)
			trial->schedule->cells[first + variant].work = 1 + i % NR_POINTS;
	}
	schedule_make_runs(trial->schedule);
}

static struct trial *trial_create(int nr_replications, int least, uint64_t until_ppm, uint64_t seed)
{
	struct arena *arena = arena_create();
	struct trial *trial = arena_alloc(arena, sizeof(*trial));

	trial->arena = arena;
	trial->truth = shape(arena, nr_replications, least, until_ppm);
	trial->results = shape(arena, nr_replications, least, until_ppm);
	trial->schedule = schedule_create(arena);
	trial->rng = rng_stream(seed, 2);
	fill(trial->truth, seed);
	add_points(trial);
	return trial;
}

static double *place_of(const struct trial *trial, const struct results *results, int run)
{
	int replication;
	const struct schedule_cell *cell = schedule_cell_of(trial->schedule, run, &replication);
	const struct schedule_point *point = &trial->schedule->points[cell->point];

	return results_at(results, point->machine, cell->variant, point->point, replication, 0);
}

static void start_runs(struct trial *trial)
{
	while (trial->nr_running < trial->nr_workers) {
		int run = schedule_next(trial->schedule);

		trial->ended = run == WORKERS_END;
		if (run < 0)
			return;
		trial->nr_made[run]++;
		trial->running[trial->nr_running++] = run;
	}
}

/* Some run of those that are under way ends. */
static void end_one(struct trial *trial)
{
	int which = (int)rng_between(&trial->rng, 0, trial->nr_running - 1);
	int run = trial->running[which];
	bool fails = trial->first_fails && trial->nr_made[run] == 1 && rng_between(&trial->rng, 0, 4) == 0;

	trial->running[which] = trial->running[--trial->nr_running];
	if (!fails)
		memcpy(place_of(trial, trial->results, run), place_of(trial, trial->truth, run), 2 * sizeof(double));
	schedule_over(trial->schedule, run, fails, (double)rng_between(&trial->rng, 1, 100));
}

static void execute(struct trial *trial, int nr_workers)
{
	trial->nr_workers = nr_workers;
	schedule_start(trial->schedule);
	start_runs(trial);
	while (!trial->ended) {
		assert_true(trial->nr_running > 0);
		end_one(trial);
		start_runs(trial);
	}
}

static void every_run_is_made_once(void **state)
{
	(void)state;
	for (int nr_workers = 1; nr_workers <= MAX_RUNNING; nr_workers += 5) {
		struct trial *trial = trial_create(5, 0, 0, 3);

		execute(trial, nr_workers);
		assert_int_equal(trial->nr_running, 0);
		for (int run = 0; run < trial->schedule->nr_runs; run++)
			assert_int_equal(trial->nr_made[run], 1);
		assert_memory_equal(trial->results->values, trial->truth->values,
				    results_nr_values(trial->truth) * sizeof(double));
		arena_destroy(trial->arena);
	}
}

static void the_replications_that_count_depend_on_values_alone(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		struct trial *trial = trial_create(40, 3, 4000, seed);

		execute(trial, 1 + (int)(seed % MAX_RUNNING));
		replications_trim(trial->truth);
		replications_trim(trial->results);
		assert_memory_equal(trial->results->values, trial->truth->values,
				    results_nr_values(trial->truth) * sizeof(double));
		arena_destroy(trial->arena);
	}
}

static void one_worker_makes_few_runs_in_vain_when_it_guesses(void **state)
{
	struct trial *trial = trial_create(40, 3, 4000, 1);
	int nr_made = 0;
	int nr_kept = 0;

	(void)state;
	execute(trial, 1);
	for (int run = 0; run < trial->schedule->nr_runs; run++)
		nr_made += trial->nr_made[run];
	for (int i = 0; i < NR_MACHINES * NR_POINTS; i++)
		nr_kept += NR_VARIANTS * replications_kept(trial->truth, i / NR_POINTS, i % NR_POINTS);
	assert_in_range(nr_made, nr_kept, nr_kept + nr_kept / 4);
	arena_destroy(trial->arena);
}

static void a_failure_of_a_run_that_was_a_guess_is_made_again_when_it_is_needed(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct trial *trial = trial_create(40, 3, 4000, seed);
		int nr_kept_failures = 0;

		trial->first_fails = true;
		execute(trial, MAX_RUNNING);
		for (int i = 0; i < NR_MACHINES * NR_POINTS; i++) {
			int kept = replications_kept(trial->results, i / NR_POINTS, i % NR_POINTS);

			for (int variant = 0; variant < NR_VARIANTS; variant++) {
				const struct schedule_cell *cell = &trial->schedule->cells[i * NR_VARIANTS + variant];

				for (int replication = 0; replication < kept; replication++) {
					int made = trial->nr_made[cell->first_run + replication];
					unsigned char run = trial->schedule->states[cell->first_run + replication];

					assert_in_range(made, 1, 2);
					assert_true(run == RUN_DONE || run == RUN_FAILED);
					nr_kept_failures += run == RUN_FAILED;
				}
			}
		}
		assert_int_equal(schedule_count(trial->schedule, -1).failed, nr_kept_failures);
		arena_destroy(trial->arena);
	}
}

static void runs_that_are_there_are_not_made_and_change_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 30; seed++) {
		struct trial *trial = trial_create(40, 3, 4000, seed);

		for (int run = 0; run < trial->schedule->nr_runs; run++) {
			int replication;
			const struct schedule_cell *cell = schedule_cell_of(trial->schedule, run, &replication);

			if (rng_between(&trial->rng, 0, 9) >= (int64_t)(seed % 11))
				continue;
			memcpy(place_of(trial, trial->results, run), place_of(trial, trial->truth, run),
			       2 * sizeof(double));
			schedule_set(trial->schedule, (int)(cell - trial->schedule->cells), replication, RUN_DONE);
			trial->nr_made[run]--;
		}
		execute(trial, 3);
		for (int run = 0; run < trial->schedule->nr_runs; run++)
			assert_in_range(trial->nr_made[run] + 1, 0, 2);
		replications_trim(trial->truth);
		replications_trim(trial->results);
		assert_memory_equal(trial->results->values, trial->truth->values,
				    results_nr_values(trial->truth) * sizeof(double));
		arena_destroy(trial->arena);
	}
}

/* The works of the runs that schedule_next gives, until it has given nr. */
static void first_of_each_cell_come_by_work_then_the_others_by_the_time_of_the_first(void **state)
{
	struct trial *trial = trial_create(3, 0, 0, 1);
	const int nr_cells = trial->schedule->nr_cells;
	double before = INFINITY;

	(void)state;
	schedule_start(trial->schedule);
	for (int i = 0; i < nr_cells; i++) {
		int run = schedule_next(trial->schedule);
		int replication;
		const struct schedule_cell *cell = schedule_cell_of(trial->schedule, run, &replication);

		assert_int_equal(replication, 0);
		assert_true(cell->work <= before);
		before = cell->work;
		/* what looked long turns out to be short */
		schedule_over(trial->schedule, run, false, 10 - cell->work);
	}
	before = INFINITY;
	for (int i = 0; i < 2 * nr_cells; i++) {
		int run = schedule_next(trial->schedule);
		int replication;
		const struct schedule_cell *cell = schedule_cell_of(trial->schedule, run, &replication);

		assert_in_range(replication, 1, 2);
		assert_true(10 - cell->work <= before);
		before = 10 - cell->work;
	}
	assert_int_equal(schedule_next(trial->schedule), WORKERS_NONE);
	arena_destroy(trial->arena);
}

static void what_another_shard_makes_is_neither_made_nor_counted(void **state)
{
	struct trial *trial = trial_create(4, 0, 0, 1);
	int nr = 0;

	(void)state;
	for (int cell = 0; cell < trial->schedule->nr_cells; cell += 2)
		schedule_set(trial->schedule, cell, 1, RUN_ELSEWHERE);
	execute(trial, 2);
	for (int run = 0; run < trial->schedule->nr_runs; run++)
		nr += trial->nr_made[run];
	assert_int_equal(nr, trial->schedule->nr_runs - trial->schedule->nr_cells / 2);
	assert_int_equal(schedule_count(trial->schedule, 0).needed, nr);
	assert_int_equal(schedule_count(trial->schedule, 0).done, nr);
	assert_int_equal(schedule_count(trial->schedule, 1).needed, 0);
	arena_destroy(trial->arena);
}

static void the_time_left_comes_from_runs_of_the_cell_or_else_of_others(void **state)
{
	struct trial *trial = trial_create(2, 0, 0, 1);
	double work = 0;
	int run, replication;

	(void)state;
	schedule_start(trial->schedule);
	assert_true(schedule_left_s(trial->schedule) <= 0);
	for (int i = 0; i < trial->schedule->nr_cells; i++)
		work += 2 * trial->schedule->cells[i].work;
	run = schedule_next(trial->schedule);
	work -= schedule_cell_of(trial->schedule, run, &replication)->work;
	/* half a second per unit of work */
	schedule_over(trial->schedule, run, false, schedule_cell_of(trial->schedule, run, &replication)->work / 2);
	assert_true(fabs(schedule_left_s(trial->schedule) - work / 2) < 1e-9);
	arena_destroy(trial->arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_run_is_made_once),
		cmocka_unit_test(the_replications_that_count_depend_on_values_alone),
		cmocka_unit_test(one_worker_makes_few_runs_in_vain_when_it_guesses),
		cmocka_unit_test(a_failure_of_a_run_that_was_a_guess_is_made_again_when_it_is_needed),
		cmocka_unit_test(runs_that_are_there_are_not_made_and_change_nothing),
		cmocka_unit_test(first_of_each_cell_come_by_work_then_the_others_by_the_time_of_the_first),
		cmocka_unit_test(what_another_shard_makes_is_neither_made_nor_counted),
		cmocka_unit_test(the_time_left_comes_from_runs_of_the_cell_or_else_of_others),
	};

	return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
