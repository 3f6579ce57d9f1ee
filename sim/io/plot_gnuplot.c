/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/plot_gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* gnuplot's own numbers of the files; those of this process are moved out of their way */
enum { MESSAGES_FD = 2, SCRIPT_FD = 3, PICTURE_FD = 4, FIRST_FREE_FD = 10 };

#define SCRIPT_PATH "/dev/fd/3"
#define MESSAGE_MAX_BYTES 400

struct files {
	int script, picture, messages;
};

/* A file in memory with a number that no dup2 of the child overwrites, or -1. */
static int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	int moved;

	if (fd < 0)
		return -1;
	moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
	close(fd);
	return moved;
}

static int write_all(int fd, const char *bytes, size_t nr_bytes)
{
	while (nr_bytes) {
		ssize_t written = write(fd, bytes, nr_bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -1;
		bytes += written;
		nr_bytes -= (size_t)written;
	}
	return 0;
}

static char *read_all(struct arena *arena, int fd, size_t *nr_bytes)
{
	struct stat status;
	size_t used = 0;
	char *bytes;

	if (fstat(fd, &status) || lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	bytes = arena_alloc(arena, (size_t)status.st_size + 1);
	while (used < (size_t)status.st_size) {
		ssize_t got = read(fd, bytes + used, (size_t)status.st_size - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		used += (size_t)got;
	}
	*nr_bytes = used;
	return bytes;
}

/* Start gnuplot; 0 or an errno. */
static int start(const struct files *files, pid_t *child)
{
	char *argv[] = { (char[]){ "gnuplot" }, (char[]){ "-d" }, (char[]){ SCRIPT_PATH }, NULL };
	posix_spawn_file_actions_t actions;
	int failure;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, files->messages, MESSAGES_FD);
	posix_spawn_file_actions_adddup2(&actions, files->script, SCRIPT_FD);
	posix_spawn_file_actions_adddup2(&actions, files->picture, PICTURE_FD);
	failure = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return failure;
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* gnuplot's message in one line: it repeats the command and points at a column of it before it says what is wrong. */
static const char *message_line(char *text)
{
	char *line = text;

	for (size_t end = strlen(text); end && strchr("\n ", text[end - 1]); end--)
		text[end - 1] = '\0';
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	if (strlen(line) > MESSAGE_MAX_BYTES)
		line[MESSAGE_MAX_BYTES] = '\0';
	return line;
}

static int run(struct arena *arena, const struct files *files, struct error *err)
{
	size_t nr_bytes = 0;
	char *messages;
	pid_t child;
	int failure;
	int status;

	failure = start(files, &child);
	status = failure ? 0 : wait_for(child);
	/* 127: under valgrind posix_spawn cannot report that there is no such program */
	if (failure == ENOENT || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
		return error_plain(
			err, "gnuplot is not installed: apt-get install gnuplot-nox; tables are complete without it");
	if (failure)
		return error_plain(err, "cannot run gnuplot: %s", strerror(failure));
	if (status == 0)
		return 0;
	messages = read_all(arena, files->messages, &nr_bytes);
	if (WIFSIGNALED(status))
		return error_plain(err, "gnuplot was ended by signal %d", WTERMSIG(status));
	return error_plain(err, "gnuplot: %s", nr_bytes ? message_line(messages) : "failed without a message");
}

static void close_files(const struct files *files)
{
	if (files->script >= 0)
		close(files->script);
	if (files->picture >= 0)
		close(files->picture);
	if (files->messages >= 0)
		close(files->messages);
}

char *gnuplot_run(struct arena *arena, const char *script, size_t *nr_bytes, struct error *err)
{
	struct files files = { memory_file("script"), memory_file("picture"), memory_file("messages") };
	char *picture = NULL;

	*nr_bytes = 0;
	if (files.script < 0 || files.picture < 0 || files.messages < 0 ||
	    write_all(files.script, script, strlen(script)))
		error_plain(err, "cannot prepare a script for gnuplot: %s", strerror(errno));
	else if (!run(arena, &files, err)) {
		picture = read_all(arena, files.picture, nr_bytes);
		if (!*nr_bytes) {
			error_plain(err, "gnuplot drew nothing");
			picture = NULL;
		}
	}
	close_files(&files);
	return picture;
}
