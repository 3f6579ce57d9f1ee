/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A results directory that one process at a time writes into.
 *
 * The claim is a POSIX record lock on DIR/.contend.lock: it ends with its process however that dies, is not inherited by
 * workers (a flock would be, and outlive a killed parent for as long as they take to follow it), and holds on network
 * file systems. The file goes with the claim; one that a killed process left is taken over.
 */
#ifndef CONTEND_CLI_CLAIM_H
#define CONTEND_CLI_CLAIM_H

#include "sim/util/arena.h"
#include "sim/util/error.h"

struct claim;

/*
 * Make the directory with its parents, claim it, prove that files can be written there, and remove what processes that
 * are gone left half written (outfile_is_leftover). NULL with err when that fails or another process holds the claim.
 */
struct claim *claim_take(struct arena *arena, const char *directory, struct error *err);

/* NULL is fine. */
void claim_release(struct claim *claim);

#endif
