/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * State of one slot:
 *
 *	free --slot_start--> running --end of file on its pipe--> slot_finish --> free
 *	                             --signal--> killed and reaped --> free
 *
 * The parent closes its copy of a pipe's writing end before the next fork, so
 * that the end of file on a pipe means that its child is gone.
 */
#include "sim/cli/workers.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child sends. It fits into a pipe, so the child never waits for the parent. */
struct answer {
	int failed;
	double values[WORKERS_MAX_VALUES];
	struct error err;
};

struct slot {
	pid_t pid; /* 0: free */
	int fd; /* reading end; -1: free, which poll ignores */
	int job;
	size_t received_bytes;
	struct answer answer;
};

struct pool {
	const struct workers *workers;
	struct slot *slots;
	struct pollfd *polls; /* one per slot, then signal_fd */
	int signal_fd;
	sigset_t old_mask;
	int next_job;
	int nr_running;
};

int workers_default_nr(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0)
		return CPU_COUNT(&set) < WORKERS_MAX ? CPU_COUNT(&set) : WORKERS_MAX;
	/* more CPUs than a cpu_set_t holds */
	return WORKERS_MAX;
}

/* Returns only by _exit: nothing of the parent (buffers, atexit) may run twice. */
static void child_main(const struct pool *pool, int job, int fd, pid_t parent)
{
	const struct workers *workers = pool->workers;
	struct answer answer = { 0 };
	ssize_t written;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	/* Ctrl-C reaches the whole foreground group; what becomes of the children is the parent's decision */
	signal(SIGINT, SIG_IGN);
	sigprocmask(SIG_SETMASK, &pool->old_mask, NULL);
	answer.failed = workers->run(workers->context, job, answer.values, &answer.err) != 0;
	written = write(fd, &answer, sizeof(answer));
	_exit(written == (ssize_t)sizeof(answer) ? 0 : 1);
}

static int slot_start(struct pool *pool, struct slot *slot, struct error *err)
{
	pid_t parent = getpid();
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		return error_plain(err, "cannot start a worker: pipe: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return error_plain(err, "cannot start a worker: fork: %s", strerror(errno));
	}
	if (pid == 0) {
		close(fds[0]);
		child_main(pool, pool->next_job, fds[1], parent);
	}
	close(fds[1]);
	*slot = (struct slot){ .pid = pid, .fd = fds[0], .job = pool->next_job };
	pool->next_job++;
	pool->nr_running++;
	return 0;
}

static int slot_reap(struct pool *pool, struct slot *slot)
{
	int status = 0;

	close(slot->fd);
	while (waitpid(slot->pid, &status, 0) < 0 && errno == EINTR)
		;
	slot->pid = 0;
	slot->fd = -1;
	pool->nr_running--;
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

static void slot_finish(struct pool *pool, struct slot *slot)
{
	const struct workers *workers = pool->workers;
	char failure[sizeof(struct error)];
	int status = slot_reap(pool, slot);

	if (slot->received_bytes < sizeof(slot->answer)) {
		describe_death(status, failure, sizeof(failure));
		workers->done(workers->context, slot->job, NULL, failure);
	} else if (slot->answer.failed) {
		error_format(&slot->answer.err, failure, sizeof(failure));
		workers->done(workers->context, slot->job, NULL, failure);
	} else {
		workers->done(workers->context, slot->job, slot->answer.values, NULL);
	}
}

static void slot_read(struct pool *pool, struct slot *slot)
{
	char *bytes = (char *)&slot->answer;
	ssize_t nr = read(slot->fd, bytes + slot->received_bytes, sizeof(slot->answer) - slot->received_bytes);

	if (nr < 0 && errno == EINTR)
		return;
	if (nr > 0)
		slot->received_bytes += (size_t)nr;
	if (nr <= 0 || slot->received_bytes == sizeof(slot->answer))
		slot_finish(pool, slot);
}

static int start_what_fits(struct pool *pool, struct error *err)
{
	const struct workers *workers = pool->workers;
	int i;

	for (i = 0; i < workers->nr_workers && pool->next_job < workers->nr_jobs; i++) {
		if (pool->slots[i].pid == 0 && slot_start(pool, &pool->slots[i], err)) {
			/* fewer processes than asked for are no error as long as one works */
			return pool->nr_running > 0 ? 0 : -1;
		}
	}
	return 0;
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
			slot_reap(pool, &pool->slots[i]);
	}
}

static int pool_loop(struct pool *pool, struct error *err)
{
	int signal_nr = 0;

	while (!signal_nr && (pool->next_job < pool->workers->nr_jobs || pool->nr_running > 0)) {
		if (start_what_fits(pool, err)) {
			signal_nr = -1;
			break;
		}
		signal_nr = pool_wait(pool);
	}
	stop_children(pool);
	return signal_nr;
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
		slots[i].fd = -1;
	return slots;
}

int workers_run(const struct workers *workers, struct error *err)
{
	struct pool pool = { .workers = workers };
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
