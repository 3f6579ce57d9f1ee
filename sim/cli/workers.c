/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State of one slot:
 *
 *	free --slot_start--> idle --slot_give--> busy --answer--> idle
 *	  ^                   |                   |
 *	  +-- no job for it --+                   |
 *	  +-- dead over its job, failed, interrupted, or had its share of jobs
 */
#include "sim/cli/workers.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "sim/cli/child.h"

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
	struct child child; /* none: free */
	int job; /* NO_JOB: idle */
	int nr_jobs; /* that this process was given */
};

static const struct slot free_slot = { .child = { .fd = -1 }, .job = NO_JOB };

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

static void answer_jobs(const struct workers *workers, int fd)
{
	int job;

	while (child_receive(fd, &job, sizeof(job))) {
		struct answer answer = { 0 };

		answer.failed = workers->run(workers->context, job, answer.values, &answer.err) != 0;
		if (!child_send(fd, &answer, sizeof(answer)))
			return;
	}
}

/* In the child. */
static int slot_main(void *arg, int fd)
{
	const struct pool *pool = arg;
	int i;

	sigprocmask(SIG_SETMASK, &pool->old_mask, NULL);
	for (i = 0; i < pool->workers->nr_workers; i++) {
		if (pool->slots[i].child.pid)
			close(pool->slots[i].child.fd);
	}
	/* a run frees what it allocated; faulting it in again for the next run costs more than the run may */
	mallopt(M_MMAP_THRESHOLD, KEPT_PIECE_BYTES);
	mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
	answer_jobs(pool->workers, fd);
	return 0;
}

static int slot_start(struct pool *pool, struct slot *slot, struct error *err)
{
	*slot = free_slot;
	return child_start(&slot->child, slot_main, pool, err);
}

/* Returns the child's status. */
static int slot_reap(struct slot *slot)
{
	const int status = child_reap(&slot->child);

	*slot = free_slot;
	return status;
}

static void slot_lost(struct pool *pool, struct slot *slot)
{
	const struct workers *workers = pool->workers;
	char failure[sizeof(struct error)];
	int job = slot->job;

	child_end_text(slot_reap(slot), failure, sizeof(failure));
	pool->nr_busy--;
	workers->done(workers->context, job, NULL, failure);
}

static void slot_answered(struct pool *pool, struct slot *slot, const struct answer *answer)
{
	const struct workers *workers = pool->workers;
	char failure[sizeof(struct error)];
	int job = slot->job;

	pool->nr_busy--;
	slot->job = NO_JOB;
	/* nobody knows in what state an error left the process */
	if (answer->failed || slot->nr_jobs == workers->jobs_per_process)
		slot_reap(slot);
	if (answer->failed)
		error_format(&answer->err, failure, sizeof(failure));
	workers->done(workers->context, job, answer->failed ? NULL : answer->values, answer->failed ? failure : NULL);
}

static void slot_read(struct pool *pool, struct slot *slot)
{
	struct answer answer;

	if (child_receive(slot->child.fd, &answer, sizeof(answer)))
		slot_answered(pool, slot, &answer);
	else
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

/* Hand a job to an idle or free slot. Fails with err when no process can be made. */
static int slot_give(struct pool *pool, struct slot *slot, int job, struct error *err)
{
	bool sent = slot->child.pid && child_send(slot->child.fd, &job, sizeof(job));

	if (!sent && slot->child.pid)
		slot_reap(slot); /* somebody killed it while it was idle: another process takes the job */
	if (!sent && slot_start(pool, slot, err))
		return -1;
	if (!sent)
		child_send(slot->child.fd, &job, sizeof(job)); /* the end of file will tell if this one is dead, too */
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
		if (job == WORKERS_NONE && slot->child.pid)
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
		pool->polls[i] = (struct pollfd){ .fd = pool->slots[i].child.fd, .events = POLLIN };
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
		if (pool->slots[i].child.pid)
			kill(pool->slots[i].child.pid, SIGKILL);
	}
	for (i = 0; i < pool->workers->nr_workers; i++) {
		if (pool->slots[i].child.pid)
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
		slots[i] = free_slot;
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
