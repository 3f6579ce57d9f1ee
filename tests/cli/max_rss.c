/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Run a command and say how much memory the largest of its processes took, as getrusage(2) has it:
 *
 *	max_rss FILE COMMAND [ARGUMENT...]
 *
 * KiB as a decimal number into FILE; the exit status is that of the command, or 125 when it could not be run or was killed.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define STATUS_NOT_RUN 125

/* The command's exit status, after it and all that it waited for have ended. */
static int run(char **command)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(command[0], command);
		perror(command[0]);
		_exit(STATUS_NOT_RUN);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return STATUS_NOT_RUN;
	return WEXITSTATUS(status);
}

static int write_max_rss(const char *path)
{
	struct rusage usage;
	FILE *out = fopen(path, "w");

	if (!out || getrusage(RUSAGE_CHILDREN, &usage) || fprintf(out, "%ld\n", usage.ru_maxrss) < 0 || fclose(out)) {
		perror(path);
		return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 3) {
		fprintf(stderr, "usage: max_rss FILE COMMAND [ARGUMENT...]\n");
		return STATUS_NOT_RUN;
	}
	status = run(&argv[2]);
	return write_max_rss(argv[1]) ? STATUS_NOT_RUN : status;
}
