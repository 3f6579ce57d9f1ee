/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comma-separated values by RFC 4180, one row at a time in both directions.
 *
 * Lines end in LF when written; CRLF is accepted when read. Beyond the RFC:
 * lines that start with '#' before the first row are comments, blank lines are
 * skipped, text is UTF-8, and all rows have as many fields as the first.
 */
#ifndef CONTEND_UTIL_CSV_H
#define CONTEND_UTIL_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/util/arena.h"
#include "sim/util/error.h"

#define CSV_MAX_FILE_BYTES ((size_t)64 << 20)
#define CSV_MAX_ROW_BYTES ((size_t)1 << 20)

/* Writing: fields, then the end of the row. Failures stay in the stream (ferror, outfile_commit). */
struct csv_writer {
	FILE *out;
	bool in_row;
};

void csv_text(struct csv_writer *writer, const char *text);
void csv_int(struct csv_writer *writer, int number);
void csv_number(struct csv_writer *writer, double number); /* nine digits; an empty field for NAN */
void csv_end_row(struct csv_writer *writer);

/* Reading. A row is valid until the next call on its reader. */
struct csv_row {
	const char **fields;
	int nr_fields;
	const struct source_pos *pos; /* of each field */
};

struct csv_reader;

/* Open a file of at most max_bytes. The reader belongs to the arena, its stream to csv_close. NULL on failure. */
struct csv_reader *csv_open(struct arena *arena, const char *path, size_t max_bytes, struct error *err);

/* The next comment line of the head, without '#' and blanks around it: 1, 0 when none is left, -1 on failure. */
int csv_next_comment(struct csv_reader *reader, const char **text, struct source_pos *pos, struct error *err);

/* The next row: 1, 0 at the end of the file, -1 on failure. Comments of the head that were not read are skipped. */
int csv_next(struct csv_reader *reader, struct csv_row *row, struct error *err);

void csv_close(struct csv_reader *reader); /* NULL is fine */

#endif
