/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/claim.h"

#include "sim/cli/cli.h"
#include "sim/util/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME ".contend.lock"

struct claim {
	const char *path;
	int fd;
};

static int fail(const char *directory, int reason, struct error *err)
{
	return error_plain(err, "cannot write results into '%s': %s", directory, strerror(reason));
}

static int refuse(const char *directory, int fd, struct error *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	error_plain(err, "another process writes results into '%s'", directory);
	/* 0 or less: it has no number here, for example because it is on another machine */
	if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0)
		error_append(err, " (process %ld)", (long)lock.l_pid);
	return -1;
}

/* Lock what the descriptor has open. A file system without locks is no reason to do nothing. */
static int lock_file(const char *directory, int fd, struct error *err)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(fd, F_SETLK, &lock) == 0)
		return 0;
	if (errno == EACCES || errno == EAGAIN)
		return refuse(directory, fd, err);
	cli_warn("'%s' cannot be locked (%s): see to it that nobody else writes there", directory, strerror(errno));
	return 0;
}

/* Whether the name still stands for what is open: the former holder may have removed it meanwhile. */
static bool is_same_file(const char *path, int fd)
{
	struct stat named, opened;

	return stat(path, &named) == 0 && fstat(fd, &opened) == 0 && named.st_ino == opened.st_ino &&
	       named.st_dev == opened.st_dev;
}

/* The descriptor, or -1. */
static int open_locked(const char *directory, const char *path, struct error *err)
{
	for (;;) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);

		if (fd < 0)
			return fail(directory, errno, err);
		if (lock_file(directory, fd, err)) {
			close(fd);
			return -1;
		}
		if (is_same_file(path, fd))
			return fd;
		close(fd);
	}
}

/* A file system may be full although a file could be made. */
static int prove_writable(const char *directory, int fd, struct error *err)
{
	static const char text[] = "contend writes here\n";

	if (pwrite(fd, text, sizeof(text) - 1, 0) == (ssize_t)sizeof(text) - 1)
		return 0;
	return fail(directory, errno ? errno : ENOSPC, err);
}

static void remove_leftovers(struct arena *arena, const char *directory)
{
	DIR *dir = opendir(directory);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)) != NULL) {
		if (outfile_is_leftover(entry->d_name))
			unlink(arena_printf(arena, "%s/%s", directory, entry->d_name));
	}
	if (dir)
		closedir(dir);
}

struct claim *claim_take(struct arena *arena, const char *directory, struct error *err)
{
	struct claim *claim = arena_alloc(arena, sizeof(*claim));

	if (outfile_mkdirs(directory, err))
		return NULL;
	claim->path = arena_printf(arena, "%s/" LOCK_NAME, directory);
	claim->fd = open_locked(directory, claim->path, err);
	if (claim->fd < 0)
		return NULL;
	if (prove_writable(directory, claim->fd, err)) {
		claim_release(claim);
		return NULL;
	}
	remove_leftovers(arena, directory);
	return claim;
}

void claim_release(struct claim *claim)
{
	if (!claim)
		return;
	unlink(claim->path); /* before the lock goes, so that nobody removes the next one's */
	close(claim->fd);
}
