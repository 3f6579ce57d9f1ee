/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker pool: what comes back, what a failure looks like, and how it ends early. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sim/cli/workers.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_JOBS 32
#define NR_VALUES 3

/* What jobs do in their process and what came of each. Shared memory, so that jobs can count each other. */
struct record {
	int (*act)(struct record *record, int job, double *values, struct error *err);
	int nr_done[MAX_JOBS];
	double values[MAX_JOBS][NR_VALUES];
	char failures[MAX_JOBS][256];
	int nr_now, nr_most;
	int nr_chosen;
};

static int run_job(void *context, int job, double *values, struct error *err)
{
	struct record *record = context;

	return record->act(record, job, values, err);
}

static void note(void *context, int job, const double *values, const char *failure)
{
	struct record *record = context;

	record->nr_done[job]++;
	if (failure)
		strncpy(record->failures[job], failure, sizeof(record->failures[job]) - 1);
	else
		memcpy(record->values[job], values, sizeof(record->values[job]));
}

static int setup(void **state)
{
	struct record *record = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*state = record == MAP_FAILED ? NULL : record;
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	return munmap(*state, sizeof(struct record));
}

static int run_pool(struct record *record, int nr_jobs, int nr_workers,
		    int (*act)(struct record *record, int job, double *values, struct error *err))
{
	const struct workers workers = {
		.nr_jobs = nr_jobs,
		.nr_workers = nr_workers,
		.context = record,
		.run = run_job,
		.done = note,
	};
	struct error err;

	record->act = act;
	return workers_run(&workers, &err);
}

static int answer(struct record *record, int job, double *values, struct error *err)
{
	int i;

	(void)record;
	(void)err;
	for (i = 0; i < NR_VALUES; i++)
		values[i] = job + i / 10.0;
	return 0;
}

static void every_job_is_done_once_and_its_numbers_come_back(void **state)
{
	struct record *record = *state;
	int i;

	assert_int_equal(run_pool(record, 20, 3, answer), 0);
	for (i = 0; i < 20; i++) {
		assert_int_equal(record->nr_done[i], 1);
		assert_string_equal(record->failures[i], "");
		assert_true(record->values[i][0] >= i && record->values[i][0] <= i);
		assert_true(record->values[i][2] > i && record->values[i][2] < i + 1);
	}
}

static void no_job_is_no_error(void **state)
{
	assert_int_equal(run_pool(*state, 0, 3, answer), 0);
}

static void more_workers_than_jobs_is_no_error(void **state)
{
	assert_int_equal(run_pool(*state, 2, 100, answer), 0);
}

static int act_badly(struct record *record, int job, double *values, struct error *err)
{
	switch (job) {
	case 1:
		return error_set(err, (struct source_pos){ "a.yaml", 3, 4 }, "no such thing");
	case 2:
		signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
		raise(SIGSEGV);
		break;
	case 3:
		_exit(7);
	default:
		break;
	}
	return answer(record, job, values, err);
}

static void a_failed_job_says_why_and_the_others_go_on(void **state)
{
	struct record *record = *state;

	assert_int_equal(run_pool(record, 5, 2, act_badly), 0);
	assert_string_equal(record->failures[0], "");
	assert_string_equal(record->failures[1], "a.yaml:3:4: no such thing");
	assert_string_equal(record->failures[2], "killed by signal 11 (Segmentation fault)");
	assert_string_equal(record->failures[3], "ended with status 7 and without a result");
	assert_string_equal(record->failures[4], "");
	assert_int_equal(record->nr_done[4], 1);
}

static int answer_pid(struct record *record, int job, double *values, struct error *err)
{
	(void)record;
	values[0] = getpid();
	return job == 3 ? error_plain(err, "no") : 0;
}

static int process_of(const struct record *record, int job)
{
	return (int)record->values[job][0];
}

static void a_process_takes_one_job_after_the_other_until_one_fails(void **state)
{
	struct record *record = *state;

	assert_int_equal(run_pool(record, 6, 1, answer_pid), 0);
	assert_int_equal(process_of(record, 0), process_of(record, 2));
	assert_string_equal(record->failures[3], "no");
	assert_int_not_equal(process_of(record, 2), process_of(record, 4));
	assert_int_equal(process_of(record, 4), process_of(record, 5));
}

static void a_process_takes_no_more_jobs_than_it_may(void **state)
{
	struct record *record = *state;
	const struct workers workers = {
		.nr_jobs = 3,
		.nr_workers = 1,
		.jobs_per_process = 2,
		.context = record,
		.run = run_job,
		.done = note,
	};

	record->act = answer_pid;
	assert_int_equal(workers_run(&workers, NULL), 0);
	assert_int_equal(process_of(record, 0), process_of(record, 1));
	assert_int_not_equal(process_of(record, 1), process_of(record, 2));
}

/* Jobs 0 and 1; when both are done 2 and 3; when 2 is done, too, nothing more is needed. */
static int choose(void *context)
{
	struct record *record = context;
	int nr_done = record->nr_done[0] + record->nr_done[1] + record->nr_done[2];

	if (nr_done == 3)
		return WORKERS_END;
	return record->nr_chosen < (nr_done < 2 ? 2 : 4) ? record->nr_chosen++ : WORKERS_NONE;
}

static int last_forever_from_job_3(struct record *record, int job, double *values, struct error *err)
{
	while (job >= 3)
		pause();
	return answer(record, job, values, err);
}

static void jobs_are_chosen_when_a_worker_is_free_and_the_end_stops_what_runs(void **state)
{
	struct record *record = *state;
	const struct workers workers = {
		.nr_workers = 3,
		.context = record,
		.next = choose,
		.run = run_job,
		.done = note,
	};

	record->act = last_forever_from_job_3;
	assert_int_equal(workers_run(&workers, NULL), 0);
	assert_int_equal(record->nr_chosen, 4);
	assert_int_equal(record->nr_done[2], 1);
	assert_int_equal(record->nr_done[3], 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static int count_together(struct record *record, int job, double *values, struct error *err)
{
	int now = __atomic_add_fetch(&record->nr_now, 1, __ATOMIC_SEQ_CST);
	int most = __atomic_load_n(&record->nr_most, __ATOMIC_SEQ_CST);

	while (now > most &&
	       !__atomic_compare_exchange_n(&record->nr_most, &most, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	usleep(2000);
	__atomic_sub_fetch(&record->nr_now, 1, __ATOMIC_SEQ_CST);
	return answer(record, job, values, err);
}

static void never_more_jobs_at_a_time_than_workers(void **state)
{
	struct record *record = *state;

	assert_int_equal(run_pool(record, 12, 3, count_together), 0);
	assert_in_range(record->nr_most, 1, 3);
}

/* Job 0 answers; job 1 sends the signal that would come from the terminal; the rest would last forever. */
static int interrupt(struct record *record, int job, double *values, struct error *err)
{
	if (job == 0)
		return answer(record, job, values, err);
	if (job == 1)
		kill(getppid(), SIGTERM);
	for (;;)
		pause();
}

static void a_signal_stops_the_children_and_keeps_what_is_done(void **state)
{
	struct record *record = *state;

	/* one worker: job 0 is over before job 1 starts */
	assert_int_equal(run_pool(record, 4, 1, interrupt), SIGTERM);
	assert_int_equal(record->nr_done[0], 1);
	assert_int_equal(record->nr_done[1], 0);
	assert_int_equal(record->nr_done[3], 0);
	/* no child is left to wait for */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_job_is_done_once_and_its_numbers_come_back, setup, teardown),
		cmocka_unit_test_setup_teardown(no_job_is_no_error, setup, teardown),
		cmocka_unit_test_setup_teardown(more_workers_than_jobs_is_no_error, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failed_job_says_why_and_the_others_go_on, setup, teardown),
		cmocka_unit_test_setup_teardown(a_process_takes_one_job_after_the_other_until_one_fails, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_process_takes_no_more_jobs_than_it_may, setup, teardown),
		cmocka_unit_test_setup_teardown(jobs_are_chosen_when_a_worker_is_free_and_the_end_stops_what_runs,
						setup, teardown),
		cmocka_unit_test_setup_teardown(never_more_jobs_at_a_time_than_workers, setup, teardown),
		cmocka_unit_test_setup_teardown(a_signal_stops_the_children_and_keeps_what_is_done, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
