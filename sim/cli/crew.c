/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A request and an answer are one message each.
 *
 *	worker: idle --request--> busy --answer--> idle
 *	                               --end of file--> dead: the batch fails
 */
#include "sim/cli/crew.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "sim/cli/child.h"

#define IDLE (-1)

struct member {
	struct child child;
	int request; /* index of the one it works on, or IDLE */
};

struct crew {
	struct crew_job job;
	struct member *members;
	struct pollfd *polls;
	int nr;
};

/* One batch on its way. */
struct batch {
	const char *requests;
	struct crew_answer *answers;
	int nr;
	int next; /* first request that no worker has */
	int nr_open; /* given out and not answered */
};

/* In a worker. */
static int answer_requests(void *arg, int fd)
{
	const struct crew *crew = arg;
	const struct crew_job *job = &crew->job;
	_Alignas(max_align_t) char request[CREW_MAX_REQUEST_BYTES];

	for (int i = 0; i < crew->nr; i++)
		close(crew->members[i].child.fd);
	while (child_receive(fd, request, job->request_bytes)) {
		struct crew_answer answer = { 0 };

		answer.failed = job->work(job->context, request, &answer.value, &answer.err) != 0;
		if (!child_send(fd, &answer, sizeof(answer)))
			break;
	}
	return 0;
}

static int member_start(struct crew *crew, struct error *err)
{
	struct member *member = &crew->members[crew->nr];

	member->request = IDLE;
	if (child_start(&member->child, answer_requests, crew, err))
		return -1;
	crew->nr++;
	return 0;
}

struct crew *crew_start(struct arena *arena, int nr_workers, const struct crew_job *job, struct error *err)
{
	struct crew *crew = arena_alloc(arena, sizeof(*crew));

	assert(job->request_bytes > 0 && job->request_bytes <= CREW_MAX_REQUEST_BYTES);
	crew->job = *job;
	crew->members = arena_calloc(arena, (size_t)nr_workers, sizeof(*crew->members));
	crew->polls = arena_calloc(arena, (size_t)nr_workers, sizeof(*crew->polls));
	while (crew->nr < nr_workers && member_start(crew, err) == 0)
		;
	return crew->nr > 0 ? crew : NULL;
}

/* A worker that is gone is found out by the end of file of its socket, later. */
static void give_out(struct crew *crew, struct batch *batch)
{
	size_t bytes = crew->job.request_bytes;

	for (int i = 0; i < crew->nr && batch->next < batch->nr; i++) {
		struct member *member = &crew->members[i];

		if (member->request != IDLE)
			continue;
		child_send(member->child.fd, batch->requests + (size_t)batch->next * bytes, bytes);
		member->request = batch->next++;
		batch->nr_open++;
	}
}

static int take_answer(struct member *member, struct batch *batch, struct error *err)
{
	struct crew_answer *answer = &batch->answers[member->request];
	char text[sizeof(err->text)];

	if (!child_receive(member->child.fd, answer, sizeof(*answer)))
		return error_plain(err, "a worker is gone: %s",
				   child_end_text(child_reap(&member->child), text, sizeof(text)));
	if (answer->err.pos.file)
		answer->err.pos.file = answer->err.file_name; /* the worker's address of it */
	member->request = IDLE;
	batch->nr_open--;
	return 0;
}

static int wait_for_answers(struct crew *crew, struct batch *batch, int *culprit, struct error *err)
{
	for (int i = 0; i < crew->nr; i++) {
		int fd = crew->members[i].request == IDLE ? -1 : crew->members[i].child.fd;

		crew->polls[i] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
	if (poll(crew->polls, (nfds_t)crew->nr, -1) < 0)
		return errno == EINTR ? 0 : error_plain(err, "cannot wait for workers: %s", strerror(errno));
	for (int i = 0; i < crew->nr; i++) {
		struct member *member = &crew->members[i];

		if (crew->polls[i].revents && take_answer(member, batch, err)) {
			*culprit = member->request;
			return -1;
		}
	}
	return 0;
}

int crew_run(struct crew *crew, const void *requests, int nr, struct crew_answer *answers, int *culprit,
	     struct error *err)
{
	struct batch batch = { .requests = requests, .answers = answers, .nr = nr };

	*culprit = -1;

	while (batch.next < nr || batch.nr_open > 0) {
		give_out(crew, &batch);
		if (wait_for_answers(crew, &batch, culprit, err))
			return -1;
	}
	return 0;
}

void crew_stop(struct crew *crew)
{
	for (int i = 0; crew && i < crew->nr; i++) {
		const struct member *member = &crew->members[i];

		if (member->child.pid && member->request != IDLE)
			kill(member->child.pid, SIGKILL); /* a batch that failed left it at work */
	}
	for (int i = 0; crew && i < crew->nr; i++) {
		if (crew->members[i].child.pid)
			child_reap(&crew->members[i].child);
	}
}
