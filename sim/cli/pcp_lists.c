/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source: mm/page_alloc.c, zone_highsize and decay_pcp_high. */
#include "sim/cli/pcp_lists.h"

#include "sim/trace/zoneinfo.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYSCTL "/proc/sys/vm/percpu_pagelist_high_fraction"
#define FRACTION "1000000"
#define CALM_S 4 /* the decay of a CPU runs once a second or two */
#define MAX_S 60

static int fail(struct error *err)
{
	return error_plain(err, "cannot empty the per-CPU page lists by %s: %s", SYSCTL, strerror(errno));
}

static int write_sysctl(const char *text)
{
	const int fd = open(SYSCTL, O_WRONLY | O_CLOEXEC);
	const bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return written ? 0 : -1;
}

static int read_sysctl(char *out, size_t bytes)
{
	const int fd = open(SYSCTL, O_RDONLY | O_CLOEXEC);
	const ssize_t nr = fd >= 0 ? read(fd, out, bytes - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (nr <= 0)
		return -1;
	out[nr] = '\0';
	return 0;
}

/* Waits for the end of the pipe, which the end of the other process is at the latest. */
static _Noreturn void guard(int pipe_fd, const char *before)
{
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	while (read(pipe_fd, &byte, 1) < 0 && errno == EINTR)
		;
	_exit(write_sysctl(before) == 0 ? 0 : 1);
}

/* Pages in the lists of all CPUs and zones. */
static int64_t count_pages(struct error *err)
{
	struct arena *arena = arena_create();
	const struct zoneinfo *zoneinfo = zoneinfo_load(arena, "/proc/zoneinfo", err);
	int64_t nr = zoneinfo ? 0 : -1;

	for (int i = 0; zoneinfo && i < zoneinfo->nr_zones; i++) {
		for (int cpu = 0; cpu < zoneinfo->zones[i].nr_pagesets; cpu++)
			nr += zoneinfo->zones[i].pagesets[cpu].count;
	}
	arena_destroy(arena);
	return nr;
}

static int wait_for_decay(int signal_fd, struct error *err)
{
	struct pollfd poll_fd = { .fd = signal_fd, .events = POLLIN };
	int64_t least = INT64_MAX;

	for (int second = 0, calm = 0; second < MAX_S && calm < CALM_S; second++) {
		const int64_t nr = count_pages(err);

		if (nr < 0)
			return -1;
		calm = nr < least ? 0 : calm + 1;
		least = nr < least ? nr : least;
		if (poll(&poll_fd, 1, 1000) > 0)
			return 1;
	}
	return 0;
}

int pcp_lists_empty(struct arena *arena, int signal_fd, struct error *err)
{
	char *before = arena_alloc(arena, 32);
	int ends[2], status = 0, result;
	pid_t guardian;

	if (read_sysctl(before, 32) != 0)
		return fail(err);
	if (strcmp(before, FRACTION "\n") == 0)
		return error_plain(err, "%s is " FRACTION " already: is another recording emptying the lists?", SYSCTL);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return fail(err);
	guardian = fork();
	if (guardian == 0) {
		close(ends[1]);
		guard(ends[0], before);
	}
	close(ends[0]);
	result = guardian > 0 && write_sysctl(FRACTION) == 0 ? wait_for_decay(signal_fd, err) : fail(err);
	close(ends[1]);
	while (guardian > 0 && waitpid(guardian, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		return error_plain(err, "cannot write %s back to what it was: %s", SYSCTL, before);
	return result;
}
