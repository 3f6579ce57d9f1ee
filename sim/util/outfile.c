/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output files that appear whole or not at all: temporary name, fsync, rename (the usual pattern, see rename(2)). */
#include "sim/util/outfile.h"

#include "sim/util/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Temporary names tried when a process of the same number left its own behind. */
#define NR_TRIES 100

struct outfile {
	struct arena *arena;
	const char *path; /* as the caller wrote it, for messages */
	const char *target; /* with symbolic links resolved */
	const char *temporary; /* NULL when written in place */
	FILE *stream;
};

static int fail(const char *action, const char *path, int reason, struct error *err)
{
	return error_plain(err, "cannot %s '%s': %s", action, path, strerror(reason));
}

/* What the target is now: decides between replacing it and writing in place. errno is set on failure. */
static int target_examine(struct outfile *outfile, struct stat *status, bool *exists)
{
	char resolved[PATH_MAX];

	outfile->target = outfile->path;
	*exists = stat(outfile->path, status) == 0;
	if (!*exists)
		return errno == ENOENT ? 0 : -1;
	if (S_ISDIR(status->st_mode)) {
		errno = EISDIR;
		return -1;
	}
	if (!S_ISREG(status->st_mode))
		return 0;
	if (!realpath(outfile->path, resolved) || access(resolved, W_OK) != 0)
		return -1;
	outfile->target = arena_strdup(outfile->arena, resolved);
	return 0;
}

/* A new file beside the target, with the permissions of a file that it replaces. Returns the descriptor or -1. */
static int temporary_create(struct outfile *outfile, const struct stat *replaced)
{
	int fd = -1;

	for (int i = 0; i < NR_TRIES && fd < 0; i++) {
		outfile->temporary = arena_printf(outfile->arena, "%s.%ld-%d.tmp", outfile->target, (long)getpid(), i);
		fd = open(outfile->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			return -1;
	}
	if (fd >= 0 && replaced && fchmod(fd, replaced->st_mode & 07777) != 0) {
		int reason = errno;

		close(fd);
		unlink(outfile->temporary);
		errno = reason;
		return -1;
	}
	return fd;
}

static int target_open(struct outfile *outfile)
{
	struct stat status;
	bool exists;

	if (target_examine(outfile, &status, &exists) != 0)
		return -1;
	if (exists && !S_ISREG(status.st_mode))
		return open(outfile->target, O_WRONLY | O_CLOEXEC);
	return temporary_create(outfile, exists ? &status : NULL);
}

struct outfile *outfile_open(const char *path, struct error *err)
{
	struct arena *arena = arena_create();
	struct outfile *outfile = arena_alloc(arena, sizeof(*outfile));
	int fd;

	outfile->arena = arena;
	outfile->path = arena_strdup(arena, path);
	fd = target_open(outfile);
	if (fd >= 0)
		outfile->stream = fdopen(fd, "w");
	if (!outfile->stream) {
		fail("write", path, errno, err);
		if (fd >= 0) {
			close(fd);
			if (outfile->temporary)
				unlink(outfile->temporary);
		}
		arena_destroy(arena);
		return NULL;
	}
	return outfile;
}

FILE *outfile_stream(const struct outfile *outfile)
{
	return outfile->stream;
}

/* Everything to the disk, the stream closed whatever happens. Returns 0 or the reason. */
static int stream_finish(struct outfile *outfile)
{
	int reason = 0;

	errno = 0;
	if (fflush(outfile->stream) != 0)
		reason = errno;
	else if (ferror(outfile->stream)) /* an earlier write failed, its errno is gone */
		reason = EIO;
	else if (outfile->temporary && fsync(fileno(outfile->stream)) != 0)
		reason = errno;
	if (fclose(outfile->stream) != 0 && !reason)
		reason = errno;
	outfile->stream = NULL;
	return reason;
}

int outfile_commit(struct outfile *outfile, struct error *err)
{
	int reason = stream_finish(outfile);

	if (!reason && outfile->temporary && rename(outfile->temporary, outfile->target) != 0)
		reason = errno;
	if (reason) {
		fail("write", outfile->path, reason, err);
		outfile_abort(outfile);
		return -1;
	}
	arena_destroy(outfile->arena);
	return 0;
}

void outfile_abort(struct outfile *outfile)
{
	if (!outfile)
		return;
	if (outfile->stream)
		fclose(outfile->stream);
	if (outfile->temporary)
		unlink(outfile->temporary);
	arena_destroy(outfile->arena);
}

bool outfile_is_leftover(const char *name)
{
	static const char digits[] = "0123456789";
	const char *end = name + strlen(name);
	const char *number, *dash, *dot;
	long pid;

	/* from the end: NAME may have dots and dashes of its own */
	if (end - name < 5 || strcmp(end - 4, ".tmp") != 0)
		return false;
	for (number = end - 4; number > name && strchr(digits, number[-1]); number--)
		;
	dash = number - 1;
	if (number == end - 4 || dash <= name || *dash != '-')
		return false;
	for (number = dash; number > name && strchr(digits, number[-1]); number--)
		;
	dot = number - 1;
	if (number == dash || dot <= name || *dot != '.')
		return false;
	pid = strtol(number, NULL, 10);
	return pid > 0 && pid <= INT_MAX && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

void outfile_sync_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int directory_make(const char *path, struct error *err)
{
	struct stat status;

	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno != EEXIST && errno != EROFS && errno != EACCES)
		return fail("make directory", path, errno, err);
	/* on a read-only or foreign file system it may well be there already */
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return 0;
	return fail("make directory", path, errno == EEXIST ? ENOTDIR : errno, err);
}

int outfile_mkdirs(const char *path, struct error *err)
{
	struct arena *arena = arena_create();
	char *copy = arena_strdup(arena, path);
	int failed = 0;

	for (char *slash = copy; *slash && !failed; slash++) {
		if (*slash != '/' || slash == copy)
			continue;
		*slash = '\0';
		failed = directory_make(copy, err);
		*slash = '/';
	}
	if (!failed)
		failed = directory_make(copy, err);
	arena_destroy(arena);
	return failed;
}
