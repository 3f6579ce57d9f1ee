/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What all commands share: exit statuses, how errors are shown, and the
 * command functions themselves. Only this folder prints or exits.
 *
 * Data goes to stdout or to the file named by -o; everything else to stderr.
 */
#ifndef CONTEND_CLI_CLI_H
#define CONTEND_CLI_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/util/error.h"

enum exit_status {
	STATUS_FINE = 0,
	STATUS_FAILED = 1, /* a run failed, or results could not be written */
	STATUS_USAGE = 2, /* wrong arguments or configuration; nothing was written */
	STATUS_INTERRUPTED = 130, /* SIGINT or SIGTERM during a sweep; finished points were kept */
};

/* A line of `contend --help`. run() gets its own argv: argv[0] is "contend NAME". Returns an exit status. */
struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

int cmd_run(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_reproduce(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_machine(int argc, char **argv);
int cmd_trace(int argc, char **argv);

/* "contend: message" on stderr, with the offending line of the user's file below it when there is one. */
void cli_print_error(const struct error *err);

/* The same as an expression: print and return the status. */
int cli_fail(enum exit_status status, const struct error *err);

/* "contend: warning: ..." on stderr. */
void cli_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Fail when what was printed to stdout did not arrive (disk full, reader gone). Registered by main with atexit. */
void cli_close_stdout(void);

#endif
