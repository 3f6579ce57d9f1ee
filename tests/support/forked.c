/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/forked.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int succeeded, const char *what)
{
	if (succeeded)
		return;
	perror(what);
	abort();
}

/* Files in memory take any amount without a reader, where a pipe would block the child. */
static FILE *open_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w+");

	must(file != NULL, name);
	return file;
}

static char *read_all(FILE *file)
{
	char *text = NULL;
	long bytes;

	fseek(file, 0, SEEK_END);
	bytes = ftell(file);
	must(bytes >= 0, "ftell");
	rewind(file);
	text = calloc((size_t)bytes + 1, 1);
	must(text && fread(text, 1, (size_t)bytes, file) == (size_t)bytes, "fread");
	fclose(file);
	return text;
}

struct forked forked_run(forked_fn *fn, const void *arg)
{
	FILE *record = open_memory("record");
	FILE *errors = open_memory("stderr");
	struct forked forked;
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	must(pid >= 0, "fork");
	if (!pid) {
		dup2(fileno(errors), STDERR_FILENO);
		fn(record, arg);
		exit(0);
	}
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	forked.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	forked.record = read_all(record);
	forked.stderr_text = read_all(errors);
	return forked;
}

void forked_free(struct forked *forked)
{
	free(forked->record);
	free(forked->stderr_text);
}
