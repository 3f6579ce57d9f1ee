/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run a piece of a test in a process of its own: each gets a fresh engine, may
 * crash or exit, and its standard error can be checked. What it finds out it
 * writes to a record, which the test then asserts on; assertions inside the
 * child, or inside an actor, would be lost.
 */
#ifndef CONTEND_TESTS_SUPPORT_FORKED_H
#define CONTEND_TESTS_SUPPORT_FORKED_H

#include <stdio.h>

struct forked {
	int status; /* of exit, or 128 + the signal that ended the child */
	char *record;
	char *stderr_text;
};

typedef void forked_fn(FILE *record, const void *arg);

/* Run fn(record, arg) in a child that then exits with status 0, and wait for it. */
struct forked forked_run(forked_fn *fn, const void *arg);

void forked_free(struct forked *forked);

#endif
