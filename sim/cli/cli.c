/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How errors look: the message, then the offending line with a mark under the column. */
#include "sim/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A line longer than this is not shown: nobody would find the mark in it. */
#define SHOWN_LINE_BYTES 160

/* Line number `wanted` of an open file into line, without its end. False when there is none or it is too long. */
static bool read_line(FILE *file, int wanted, char *line, size_t line_bytes)
{
	size_t used = 0;
	int current = 1;
	int c;

	while (current < wanted && (c = getc(file)) != EOF)
		current += c == '\n';
	while ((c = getc(file)) != EOF && c != '\n' && c != '\r') {
		if (used + 1 == line_bytes)
			return false;
		line[used++] = c >= ' ' && c != 127 ? (char)c : c == '\t' ? ' ' : '?';
	}
	line[used] = '\0';
	return current == wanted && used > 0;
}

static void print_source_line(const struct error *err)
{
	char line[SHOWN_LINE_BYTES];
	struct stat status;
	FILE *file;

	/* a device or a pipe must not be read a second time */
	if (stat(err->file_name, &status) || !S_ISREG(status.st_mode))
		return;
	file = fopen(err->file_name, "r");
	if (!file)
		return;
	if (read_line(file, err->pos.line, line, sizeof(line))) {
		fprintf(stderr, "%6d | %s\n", err->pos.line, line);
		fprintf(stderr, "       | %*s\n", err->pos.column > 0 ? err->pos.column : 1, "^");
	}
	fclose(file);
}

void cli_print_error(const struct error *err)
{
	char text[ERROR_TEXT_BYTES + ERROR_FILE_BYTES + 32];

	fprintf(stderr, "contend: %s\n", error_format(err, text, sizeof(text)));
	if (err->file_name[0] && err->pos.line > 0)
		print_source_line(err);
}

int cli_fail(enum exit_status status, const struct error *err)
{
	cli_print_error(err);
	return (int)status;
}

void cli_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("contend: warning: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

void cli_close_stdout(void)
{
	bool failed = ferror(stdout) != 0;

	errno = 0;
	if (fclose(stdout) == 0 && !failed)
		return;
	if (errno)
		fprintf(stderr, "contend: cannot write to standard output: %s\n", strerror(errno));
	else
		fputs("contend: cannot write to standard output\n", stderr);
	_exit(STATUS_FAILED);
}
