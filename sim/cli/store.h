/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The directory of a part of a sweep, from before its first run until its results are complete.
 *
 *	store_open: claimed; what is there was read --store_begin--> journal open --sweep_execute--> store_finish: files
 *	written, journal gone (kept while runs are missing), claim given back
 *
 * Killed at any moment, the directory has either a journal or complete results; opened to resume, the part starts with
 * what that has. Results depend on values alone, so they are byte by byte those of a sweep that nobody disturbed.
 */
#ifndef CONTEND_CLI_STORE_H
#define CONTEND_CLI_STORE_H

#include <stdbool.h>

#include "sim/cli/claim.h"
#include "sim/cli/save.h"
#include "sim/cli/sweep.h"

struct store {
	/* set by the caller */
	struct arena *arena;
	struct sweep_part *part;
	const char *directory;
	/* set by store_open */
	const char *journal_path;
	struct claim *claim; /* NULL: not open */
	struct journal_content content; /* of the journal to go on with */
};

/*
 * Claim the directory. To resume: put into the part's results what an earlier process made; fails when that belongs to
 * another configuration, version, build or shard. Fails, too, when the directory cannot be written or another process
 * writes there. Changes nothing in it.
 */
int store_open(struct store *store, bool resume, struct error *err);

/* Go on with the journal that was read or, with a note on stderr if that ends an unfinished sweep, start one. */
int store_begin(struct store *store, struct error *err);

/* After sweep_execute: write what the part has. Prints errors; returns an exit status. Closes the store. */
int store_finish(struct store *store, const struct save_options *options);

/* Give the claim back when nothing ran. A store that is not open is fine. */
void store_close(struct store *store);

#endif
