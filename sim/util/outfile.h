/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Output files that appear whole or not at all.
 *
 * The bytes go to a temporary file in the target's directory, which takes the
 * target's name once everything is on disk. A symbolic link is followed, so
 * the file behind it is replaced and not the link. A target that exists and is
 * no regular file (/dev/stdout, a pipe) is written in place.
 *
 * Every message names the path and the system's reason.
 */
#ifndef CONTEND_UTIL_OUTFILE_H
#define CONTEND_UTIL_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/util/error.h"

struct outfile;

/* Start a file. NULL when it could not be written: no directory, no permission, a read-only target. */
struct outfile *outfile_open(const char *path, struct error *err);

/* Where to write. Nobody need check each write: the stream remembers a failure and outfile_commit reports it. */
FILE *outfile_stream(const struct outfile *outfile);

/* Flush, sync, rename and free. On failure the target is as it was before, and nothing else is left. */
int outfile_commit(struct outfile *outfile, struct error *err);

/* Forget what was written and free. NULL is fine. */
void outfile_abort(struct outfile *outfile);

/*
 * Whether a file name is that of a temporary file (NAME.PID-N.tmp) whose process is no more on this machine: it was killed
 * between outfile_open and the end of outfile_commit.
 */
bool outfile_is_leftover(const char *name);

/* Make what was renamed into a directory or removed from it last on the disk, too, as far as that is possible. */
void outfile_sync_directory(const char *path);

/* Make a directory and those above it, as mkdir -p. */
int outfile_mkdirs(const char *path, struct error *err);

#endif
