/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend: what a patch would do on a machine that you do not have. Finds the command and hands over. */
#include "sim/cli/cli.h"
#include "sim/io/bind.h"

#include <argp.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command commands[] = {
	{ "run", "simulate experiments; print the table, write results and plots", cmd_run },
	{ "replay", "a recorded kernel trace on another machine, under other policies", cmd_replay },
	{ "merge", "put the shards of a sweep together", cmd_merge },
	{ "compare", "print the table of a result set in another format", cmd_compare },
	{ "plot", "draw a result set as SVG, PNG, PDF or text", cmd_plot },
	{ "reproduce", "published and simulated numbers side by side, with the error", cmd_reproduce },
	{ "fit", "values of configuration keys that bring simulations nearest to published numbers", cmd_fit },
	{ "check", "read experiment and machine files and say what is wrong with them", cmd_check },
	{ "list", "machines, workloads, policies or experiments", cmd_list },
	{ "explain", "what a policy, workload, machine, section or metric is", cmd_explain },
	{ "machine", "draw a machine (show) or check its file (check)", cmd_machine },
	{ "trace", "record and read kernel traces: record, import, info, head, verify", cmd_trace },
};

#define NR_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *out)
{
	size_t i;

	fputs("Usage: contend COMMAND [ARGUMENT...]\n"
	      "Simulate how memory-management code of the Linux kernel contends on a machine described in YAML.\n\n",
	      out);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
	fputs("\n`contend COMMAND --help` says more. Exit status: 0 fine, 1 a run failed or a result could not be\n"
	      "written, 2 wrong usage or configuration, 130 interrupted (finished points are kept).\n\n"
	      "First steps: contend run demo\n"
	      "             contend compare results/demo --format cover-letter\n",
	      out);
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[NR_COMMANDS + 1] = { NULL };
	struct error err;
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++)
		names[i] = commands[i].name;
	bind_unknown((struct source_pos){ 0 }, name[0] == '-' ? "unknown option" : "unknown command", name, names,
		     &err);
	cli_print_error(&err);
	fputs("Try `contend --help'.\n", stderr);
	return STATUS_USAGE;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	char full_name[32];

	/* argp shows argv[0] in its messages */
	snprintf(full_name, sizeof(full_name), "contend %s", command->name);
	argv[0] = full_name;
	return command->run(argc, argv);
}

/* A result file must never become descriptor 1 because the caller had closed it: hold 0 to 2 by something unwritable. */
static void hold_standard_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	} while (fd >= 0 && fd <= 2);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	const struct command *command;

	hold_standard_descriptors();
	signal(SIGPIPE, SIG_IGN); /* a reader that is gone is an error of write, not of us */
	atexit(cli_close_stdout);
	argp_err_exit_status = STATUS_USAGE;
	if (argc < 2) {
		print_help(stderr);
		return STATUS_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		print_help(stdout);
		return STATUS_FINE;
	}
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("contend " CONTEND_VERSION);
		return STATUS_FINE;
	}
	command = find_command(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	return run_command(command, argc - 1, argv + 1);
}
