/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A copy of this process that works for it, at the other end of a socket pair that keeps messages whole. The end of file
 * says that the other side is gone: the parent closes its copy of the child's end before the next fork, and a child's main
 * must close the parent's ends of older children first of all.
 *
 * Children die with the parent and leave SIGINT to it: Ctrl-C reaches the whole foreground group, and what becomes of the
 * children is the parent's decision.
 */
#ifndef CONTEND_CLI_CHILD_H
#define CONTEND_CLI_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "sim/util/error.h"

struct child {
	pid_t pid; /* 0: none */
	int fd; /* the parent's end; -1: none, which poll ignores */
};

#define CHILD_NONE ((struct child){ .pid = 0, .fd = -1 })

/*
 * Fork. The child calls main with its end of the socket pair and ends with the status that this returns, without a second
 * run of what the parent wants done at exit. Returns 0, or -1 with err and CHILD_NONE.
 */
int child_start(struct child *child, int (*main)(void *context, int fd), void *context, struct error *err);

/* Close the parent's end, which ends a child that waits for a message, and wait for it. Returns its status (wait(2)). */
int child_reap(struct child *child);

/* Why a child sent no answer, in words, from its status: "killed by signal 11 (Segmentation fault)". */
const char *child_end_text(int status, char *out, size_t out_bytes);

/* One message of nr bytes, at either end. False when the other side is gone, or sends something else. */
bool child_send(int fd, const void *bytes, size_t nr);
bool child_receive(int fd, void *bytes, size_t nr); /* waits */

#endif
