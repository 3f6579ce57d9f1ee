/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The finished runs of a sweep that is not finished itself, so that it can go on after it was killed at any moment.
 *
 * A text file of lines. Each is 16 hexadecimal digits, the hash of what follows the blank behind them, and then
 *
 *	contend-journal 1 version=0.1.0 config=HASH build=ID shard=1/4 metrics=14	the head, once
 *	MACHINE VARIANT POINT REPLICATION VALUE...					a run: indices, then every metric
 *
 * Numbers have nine digits, as everywhere in a result set. The head appears whole or not at all (outfile.h); each run is
 * one write at the end. A last line without its end was being written when the process died: it is cut off. Any other line
 * whose hash is wrong, or which says nothing of this sweep, was damaged: it is passed over, and its run made again.
 *
 * Runs reach the disk at the latest when a second has passed and another one comes: what a crash of the whole machine
 * takes is made again, too.
 */
#ifndef CONTEND_IO_JOURNAL_H
#define CONTEND_IO_JOURNAL_H

#include "sim/stats/results.h"
#include "sim/util/error.h"

/* A run of a sweep. */
struct run_place {
	int machine, variant, point, replication;
};

/* What a journal has in it. */
struct journal_content {
	int nr_runs; /* whose values were taken */
	int nr_damaged; /* lines passed over */
	long sound_bytes; /* up to a last line that was cut short; 0: no head, there is nothing to go on with */
};

/*
 * Read the journal at path into results, whose values are set where the journal has them. A missing or empty file is no
 * error: nothing is in it. Fails when the head says that it belongs to another version, configuration, build or shard than
 * results and `build` (the text says which), or is damaged, or the file cannot be read.
 */
int journal_read(const char *path, const char *build, struct results *results, struct journal_content *out,
		 struct error *err);

struct journal;

/* Start one for results, in place of any that is there; or go on with one that was read. NULL with err on failure. */
struct journal *journal_create(const char *path, const char *build, const struct results *results, struct error *err);
struct journal *journal_continue(const char *path, const struct journal_content *content, struct error *err);

/* Add a run with its values in results. On failure (a full disk) the journal is as it was before. */
int journal_append(struct journal *journal, const struct results *results, struct run_place place, struct error *err);

/* Sync and close; the file stays. NULL is fine. */
void journal_close(struct journal *journal);

#endif
