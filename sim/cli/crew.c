/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One socket pair per worker, of a kind that keeps messages whole: a request
 * and an answer are one message each, and a message of no bytes is the end.
 *
 *	worker: idle --request--> busy --answer--> idle
 *	                               --end of file--> dead: the batch fails
 */
#include "sim/cli/crew.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define IDLE (-1)

struct member {
	pid_t pid;
	int fd;
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

static ssize_t receive(int fd, void *bytes, size_t nr)
{
	ssize_t received;

	do {
		received = recv(fd, bytes, nr, 0);
	} while (received < 0 && errno == EINTR);
	return received;
}

/* Until the parent closes its end. Returns only by _exit: nothing of the parent (buffers, atexit) may run twice. */
static void member_main(const struct crew_job *job, int fd, pid_t parent)
{
	_Alignas(max_align_t) char request[CREW_MAX_REQUEST_BYTES];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGINT, SIG_IGN);
	while (receive(fd, request, job->request_bytes) == (ssize_t)job->request_bytes) {
		struct crew_answer answer = { 0 };

		answer.failed = job->work(job->context, request, &answer.value, &answer.err) != 0;
		if (send(fd, &answer, sizeof(answer), 0) != (ssize_t)sizeof(answer))
			break;
	}
	_exit(0);
}

static int member_start(struct crew *crew, struct error *err)
{
	pid_t parent = getpid();
	int fds[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return error_plain(err, "cannot start a worker: socketpair: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return error_plain(err, "cannot start a worker: fork: %s", strerror(errno));
	}
	if (pid == 0) {
		/* an older member's socket held open here would hide that the parent closed it */
		for (int i = 0; i < crew->nr; i++)
			close(crew->members[i].fd);
		close(fds[0]);
		member_main(&crew->job, fds[1], parent);
	}
	close(fds[1]);
	crew->members[crew->nr++] = (struct member){ .pid = pid, .fd = fds[0], .request = IDLE };
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
		(void)!send(member->fd, batch->requests + (size_t)batch->next * bytes, bytes, MSG_NOSIGNAL);
		member->request = batch->next++;
		batch->nr_open++;
	}
}

static int bury(struct member *member, struct error *err)
{
	int status = 0;

	while (waitpid(member->pid, &status, 0) < 0 && errno == EINTR)
		;
	member->pid = 0;
	if (WIFSIGNALED(status))
		return error_plain(err, "a worker was killed by signal %d (%s)", WTERMSIG(status),
				   strsignal(WTERMSIG(status)));
	return error_plain(err, "a worker ended with status %d and without an answer", WEXITSTATUS(status));
}

static int take_answer(struct member *member, struct batch *batch, struct error *err)
{
	struct crew_answer *answer = &batch->answers[member->request];

	if (receive(member->fd, answer, sizeof(*answer)) != (ssize_t)sizeof(*answer))
		return bury(member, err);
	if (answer->err.pos.file)
		answer->err.pos.file = answer->err.file_name; /* the worker's address of it */
	member->request = IDLE;
	batch->nr_open--;
	return 0;
}

static int wait_for_answers(struct crew *crew, struct batch *batch, int *culprit, struct error *err)
{
	for (int i = 0; i < crew->nr; i++) {
		int fd = crew->members[i].request == IDLE ? -1 : crew->members[i].fd;

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
		struct member *member = &crew->members[i];

		close(member->fd);
		if (member->pid && member->request != IDLE)
			kill(member->pid, SIGKILL); /* a batch that failed left it at work */
	}
	for (int i = 0; crew && i < crew->nr; i++) {
		while (crew->members[i].pid && waitpid(crew->members[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}
