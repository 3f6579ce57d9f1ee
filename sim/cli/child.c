/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void follow(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	signal(SIGINT, SIG_IGN);
}

int child_start(struct child *child, int (*main)(void *context, int fd), void *context, struct error *err)
{
	const pid_t parent = getpid();
	int fds[2]; /* the parent's end, the child's */
	pid_t pid;

	*child = CHILD_NONE;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return error_plain(err, "cannot start a worker: socketpair: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		follow(parent);
		_exit(main(context, fds[1]));
	}
	if (pid < 0)
		error_plain(err, "cannot start a worker: fork: %s", strerror(errno));
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return -1;
	}
	*child = (struct child){ .pid = pid, .fd = fds[0] };
	return 0;
}

int child_reap(struct child *child)
{
	int status = 0;

	close(child->fd);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	*child = CHILD_NONE;
	return status;
}

const char *child_end_text(int status, char *out, size_t out_bytes)
{
	if (WIFSIGNALED(status))
		snprintf(out, out_bytes, "killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(out, out_bytes, "ended with status %d and without a result", WEXITSTATUS(status));
	return out;
}

bool child_send(int fd, const void *bytes, size_t nr)
{
	return send(fd, bytes, nr, MSG_NOSIGNAL) == (ssize_t)nr;
}

bool child_receive(int fd, void *bytes, size_t nr)
{
	ssize_t received;

	do {
		received = recv(fd, bytes, nr, 0);
	} while (received < 0 && errno == EINTR);
	return received == (ssize_t)nr;
}
