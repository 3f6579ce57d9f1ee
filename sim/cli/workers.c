/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State of one slot:
 *
 *	free --slot_start--> idle --slot_give--> busy --answer--> idle
 *	  ^                   |                   |
 *	  +-- no job for it --+                   |
 *	  +-- dead over its job, failed, interrupted, or had its share of jobs
 *
 * Parent and child talk over a pair of sockets. The parent closes its copy of the child's end before the next fork, and
 * a child closes its copies of the parent's other ends: so the end of file means that the other side is gone.
 */
#include "sim/cli/workers.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_JOB (-1)
/* Freed memory that a child keeps for its next run: in all, and of one piece (the most that glibc allows). */
#define KEPT_BYTES (256 << 20)
#define KEPT_PIECE_BYTES (32 << 20)

/* What a child sends. It fits into the socket's buffer, so the child never waits for the parent. */
struct answer {
	int failed;
	double values[WORKERS_MAX_VALUES];
	struct error err;
};

struct slot {
	pid_t pid; /* 0: free */
	int fd; /* the parent's end; -1: free, which poll ignores */
	int job; /* NO_JOB: idle */
	int nr_jobs; /* that this process was given */
	size_t received_bytes;
	struct answer answer;
};

struct pool {
	const struct workers *workers;
	struct slot *slots;
	struct pollfd *polls; /* one per slot, then signal_fd */
	int signal_fd;
	sigset_t old_mask;
	int held_job; /* next() gave it, but no process could take it; or NO_JOB */
	int nr_given; /* jobs, when there is no next() */
	int nr_busy;
};

int workers_default_nr(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return CPU_COUNT(&set) < WORKERS_MAX ? CPU_COUNT(&set) : WORKERS_MAX;
	/* more CPUs than a cpu_set_t holds */
	return WORKERS_MAX;
}

/* In the child: one job after the other until the parent closes its end. */
static int answer_jobs(const struct workers *workers, int fd)
{
	int job;

	while (read(fd, &job, sizeof(job)) == (ssize_t)sizeof(job)) {
		struct answer answer = { 0 };

		answer.failed = workers->run(workers->context, job, answer.values, &answer.err) != 0;
		if (write(fd, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
			return 1;
	}
	return 0;
}

/* Returns only by _exit: nothing of the parent (buffers, atexit) may run twice. */
static void child_main(const struct pool *pool, int fd, pid_t parent)
{
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* Ctrl-C reaches the whole foreground group; what becomes of the children is the parent's decision */
	signal(SIGINT, SIG_IGN);
	sigprocmask(SIG_SETMASK, &pool->old_mask, NULL);
	for (i = 0; i < pool->workers->nr_workers; i++) {
		if (pool->slots[i].pid)
			close(pool->slots[i].fd);
	}
	/* a run frees what it allocated; faulting it in again for the next run costs more than the run may */
	mallopt(M_MMAP_THRESHOLD, KEPT_PIECE_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	_exit(answer_jobs(pool->workers, fd));
}

static int slot_start(struct pool *pool, struct slot *slot, struct error *err)
{
	pid_t parent = getpid();
	int fds[2]; /* the parent's end, the child's */
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return error_plain(err, "cannot start a worker: socketpair: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		child_main(pool, fds[1], parent);
	}
	close(fds[1]);
	if (pid < 0) {
		error_plain(err, "cannot start a worker: fork: %s", strerror(errno));
		close(fds[0]);
		return -1;
	}
	*slot = (struct slot){ .pid = pid, .fd = fds[0], .job = NO_JOB };
	return 0;
}

/* Close the parent's end, which ends an idle child, and wait for it. Returns its status. */
static int slot_reap(struct slot *slot)
{
	int status = 0;

	close(slot->fd);
	while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR)
		;
	*slot = (struct slot){ .fd = -1, .job = NO_JOB };
	return status;
}

/* Why a child sent no whole answer, in words. */
static void describe_death(int status, char *out, size_t out_bytes)
{
	if (WIFSIGNALED(status))
		snprintf(out, out_bytes, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(out, out_bytes, "ended with status %d and without a result", WEXITSTATUS(status));
}

static void slot_lost(struct pool *pool, struct slot *slot)
{
	const struct workers *workers = pool->workers;
	char failure[sizeof(struct error)];
	int job = slot->job;

	describe_death(slot_reap(slot), failure, sizeof(failure));
	pool->nr_busy--;
	workers->done(workers->context, job, NULL, failure);
}

static void slot_answered(struct pool *pool, struct slot *slot)
{
	const struct workers *workers = pool->workers;
	const struct answer answer = slot->answer;
	char failure[sizeof(struct error)];
	int job = slot->job;

	pool->nr_busy--;
	slot->job = NO_JOB;
	slot->received_bytes = 0;
	/* nobody knows in what state an error left the process */
	if (answer.failed || slot->nr_jobs == workers->jobs_per_process)
		slot_reap(slot);
	if (answer.failed)
		error_format(&answer.err, failure, sizeof(failure));
	workers->done(workers->context, job, answer.failed ? NULL : answer.values, answer.failed ? failure : NULL);
}

static void slot_read(struct pool *pool, struct slot *slot)
{
	char *bytes = (char *)&slot->answer;
	ssize_t nr = read(slot->fd, bytes + slot->received_bytes, sizeof(slot->answer) - slot->received_bytes);

	if (nr < 0 && errno == EINTR)
		return;
	if (nr > 0)
		slot->received_bytes += (size_t)nr;
	if (slot->received_bytes == sizeof(slot->answer))
		slot_answered(pool, slot);
	else if (nr <= 0)
		slot_lost(pool, slot);
}

static int next_job(struct pool *pool)
{
	const struct workers *workers = pool->workers;
	int job = pool->held_job;

	pool->held_job = NO_JOB;
	if (job != NO_JOB)
		return job;
	if (workers->next)
		return workers->next(workers->context);
	return pool->nr_given < workers->nr_jobs ? pool->nr_given++ : WORKERS_NONE;
}

static bool slot_send(const struct slot *slot, int job)
{
	return send(slot->fd, &job, sizeof(job), MSG_NOSIGNAL) == (ssize_t)sizeof(job);
}

/* Hand a job to an idle or free slot. Fails with err when no process can be made. */
static int slot_give(struct pool *pool, struct slot *slot, int job, struct error *err)
{
	bool sent = slot->pid && slot_send(slot, job);

	if (!sent && slot->pid)
		slot_reap(slot); /* somebody killed it while it was idle: another process takes the job */
	if (!sent && slot_start(pool, slot, err))
		return -1;
	if (!sent)
		slot_send(slot, job); /* the end of file will tell if this one is dead, too */
	slot->job = job;
	slot->nr_jobs++;
	pool->nr_busy++;
	return 0;
}

/* Jobs for whoever has none. Returns 0, WORKERS_END, or -1 with err when no process can be made and none works. */
static int give_jobs(struct pool *pool, struct error *err)
{
	int i;

	for (i = 0; i < pool->workers->nr_workers; i++) {
		struct slot *slot = &pool->slots[i];
		int job;

		if (slot->job != NO_JOB)
			continue;
		job = next_job(pool);
		if (job == WORKERS_END)
			return WORKERS_END;
		if (job == WORKERS_NONE && slot->pid)
			slot_reap(slot);
		if (job != WORKERS_NONE && slot_give(pool, slot, job, err)) {
			/* fewer processes than asked for are no error as long as one works */
			pool->held_job = job;
			return pool->nr_busy > 0 ? 0 : -1;
		}
	}
	return pool->nr_busy > 0 ? 0 : WORKERS_END;
}

/* Wait for answers and signals. Returns the signal that came, or 0. */
static int pool_wait(struct pool *pool)
{
	int nr_workers = pool->workers->nr_workers;
	struct signalfd_siginfo info;
	int i;

	for (i = 0; i < nr_workers; i++)
		pool->polls[i] = (struct pollfd){ .fd = pool->slots[i].fd, .events = POLLIN };
	pool->polls[nr_workers] = (struct pollfd){ .fd = pool->signal_fd, .events = POLLIN };
	if (poll(pool->polls, (nfds_t)nr_workers + 1, -1) < 0)
		return 0;
	for (i = 0; i < nr_workers; i++) {
		if (pool->polls[i].revents)
			slot_read(pool, &pool->slots[i]);
	}
	if (pool->polls[nr_workers].revents && read(pool->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		return (int)info.ssi_signo;
	return 0;
}

static void stop_children(struct pool *pool)
{
	int i;

	for (i = 0; i < pool->workers->nr_workers; i++) {
		if (pool->slots[i].pid)
			kill(pool->slots[i].pid, SIGKILL);
	}
	for (i = 0; i < pool->workers->nr_workers; i++) {
		if (pool->slots[i].pid)
			slot_reap(&pool->slots[i]);
	}
}

static int pool_loop(struct pool *pool, struct error *err)
{
	int signal_nr = 0;
	int given = 0;

	while (!signal_nr && !given) {
		given = give_jobs(pool, err);
		if (!given)
			signal_nr = pool_wait(pool);
	}
	stop_children(pool);
	return given == -1 ? -1 : signal_nr;
}

/* The signals that end a pool; one that is ignored from outside (nohup, a background job) stays ignored. */
static sigset_t ending_signals(void)
{
	static const int candidates[] = { SIGINT, SIGTERM };
	struct sigaction action;
	sigset_t set;
	size_t i;

	sigemptyset(&set);
	for (i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++) {
		if (sigaction(candidates[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			sigaddset(&set, candidates[i]);
	}
	return set;
}

static struct slot *slots_create(int nr)
{
	struct slot *slots = calloc((size_t)nr, sizeof(*slots));
	int i;

	for (i = 0; slots && i < nr; i++)
		slots[i] = (struct slot){ .fd = -1, .job = NO_JOB };
	return slots;
}

int workers_run(const struct workers *workers, struct error *err)
{
	struct pool pool = { .workers = workers, .held_job = NO_JOB };
	sigset_t signals = ending_signals();
	int result = -1;

	pool.slots = slots_create(workers->nr_workers);
	pool.polls = calloc((size_t)workers->nr_workers + 1, sizeof(*pool.polls));
	pool.signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (!pool.slots || !pool.polls || pool.signal_fd < 0) {
		error_plain(err, "cannot start workers: %s", strerror(errno));
	} else {
		sigprocmask(SIG_BLOCK, &signals, &pool.old_mask);
		result = pool_loop(&pool, err);
		sigprocmask(SIG_SETMASK, &pool.old_mask, NULL);
	}
	if (pool.signal_fd >= 0)
		close(pool.signal_fd);
	free(pool.polls);
	free(pool.slots);
	return result;
}
