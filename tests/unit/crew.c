/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers that stay: answers land where they belong, failures say why, a death ends the batch and names its request. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sim/cli/crew.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NR_REQUESTS 50

enum deed {
	ANSWER,
	FAIL,
	CRASH,
	LEAVE,
	SAY_WHO, /* the worker's process number */
};

struct request {
	enum deed deed;
	int number;
};

static int act(void *context, const void *bytes, double *value, struct error *err)
{
	const struct request *request = bytes;
	const int *base = context;

	switch (request->deed) {
	case FAIL:
		return error_set(err, (struct source_pos){ "a.yaml", 3, 4 }, "no such thing");
	case CRASH:
		signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
		raise(SIGSEGV);
		break;
	case LEAVE:
		_exit(7);
	case SAY_WHO:
		usleep(1000); /* so that the others get requests too */
		*value = getpid();
		return 0;
	case ANSWER:
		break;
	}
	*value = *base + request->number;
	return 0;
}

static const int base = 100;

static struct crew *start(struct arena *arena, int nr_workers)
{
	int *context = arena_alloc(arena, sizeof(*context));
	const struct crew_job job = { .request_bytes = sizeof(struct request), .context = context, .work = act };

	*context = base;
	return crew_start(arena, nr_workers, &job, NULL);
}

static void no_child_is_left(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void every_request_has_its_answer_whatever_the_number_of_workers(void **state)
{
	for (int nr_workers = 1; nr_workers <= 4; nr_workers++) {
		struct crew *crew = start(*state, nr_workers);
		struct request requests[NR_REQUESTS] = { { ANSWER, 0 } };
		struct crew_answer answers[NR_REQUESTS];
		int culprit;

		for (int batch = 0; batch < 3; batch++) {
			for (int i = 0; i < NR_REQUESTS; i++)
				requests[i].number = 1000 * batch + i;
			assert_int_equal(crew_run(crew, requests, NR_REQUESTS, answers, &culprit, NULL), 0);
			for (int i = 0; i < NR_REQUESTS; i++) {
				assert_int_equal(answers[i].failed, 0);
				assert_int_equal((int)answers[i].value, base + 1000 * batch + i);
			}
		}
		crew_stop(crew);
		no_child_is_left();
	}
}

static void the_same_processes_make_all_batches(void **state)
{
	struct crew *crew = start(*state, 2);
	struct request requests[NR_REQUESTS];
	struct crew_answer first[NR_REQUESTS], second[NR_REQUESTS];
	int culprit;

	for (int i = 0; i < NR_REQUESTS; i++)
		requests[i] = (struct request){ SAY_WHO, i };
	assert_int_equal(crew_run(crew, requests, NR_REQUESTS, first, &culprit, NULL), 0);
	assert_int_equal(crew_run(crew, requests, NR_REQUESTS, second, &culprit, NULL), 0);
	/* two workers, and both of them took part in the first batch: requests 0 and 1 went out together */
	for (int i = 0; i < NR_REQUESTS; i++) {
		assert_int_not_equal((int)second[i].value, getpid());
		assert_true((int)second[i].value == (int)first[0].value || (int)second[i].value == (int)first[1].value);
	}
	crew_stop(crew);
}

static void an_empty_batch_is_no_error(void **state)
{
	struct crew *crew = start(*state, 2);
	int culprit;

	assert_int_equal(crew_run(crew, NULL, 0, NULL, &culprit, NULL), 0);
	crew_stop(crew);
	no_child_is_left();
}

static void a_failed_request_says_why_and_the_others_go_on(void **state)
{
	const struct request requests[] = { { ANSWER, 1 }, { FAIL, 2 }, { ANSWER, 3 } };
	struct crew *crew = start(*state, 2);
	struct crew_answer answers[3];
	char text[256];
	int culprit;

	assert_int_equal(crew_run(crew, requests, 3, answers, &culprit, NULL), 0);
	assert_int_equal(answers[0].failed, 0);
	assert_int_equal(answers[1].failed, 1);
	assert_string_equal(error_format(&answers[1].err, text, sizeof(text)), "a.yaml:3:4: no such thing");
	assert_int_equal((int)answers[2].value, base + 3);
	crew_stop(crew);
}

static void a_dead_worker_ends_the_batch_and_names_its_request(void **state)
{
	static const struct {
		enum deed deed;
		const char *message;
	} cases[] = {
		{ CRASH, "a worker is gone: killed by signal 11 (Segmentation fault)" },
		{ LEAVE, "a worker is gone: ended with status 7 and without a result" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct request requests[] = { { ANSWER, 1 }, { ANSWER, 2 }, { cases[i].deed, 3 }, { ANSWER, 4 } };
		struct crew *crew = start(*state, 1);
		struct crew_answer answers[4];
		struct error err;
		int culprit;

		assert_int_equal(crew_run(crew, requests, 4, answers, &culprit, &err), -1);
		assert_int_equal(culprit, 2);
		assert_string_equal(err.text, cases[i].message);
		crew_stop(crew);
		no_child_is_left();
	}
}

static int setup(void **state)
{
	*state = arena_create();
	return 0;
}

static int teardown(void **state)
{
	arena_destroy(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_request_has_its_answer_whatever_the_number_of_workers, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_same_processes_make_all_batches, setup, teardown),
		cmocka_unit_test_setup_teardown(an_empty_batch_is_no_error, setup, teardown),
		cmocka_unit_test_setup_teardown(a_failed_request_says_why_and_the_others_go_on, setup, teardown),
		cmocka_unit_test_setup_teardown(a_dead_worker_ends_the_batch_and_names_its_request, setup, teardown),
	};

	return cmocka_run_group_tests_name("crew", tests, NULL, NULL);
}
