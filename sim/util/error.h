/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One error: what is wrong and where in the user's files.
 *
 * Fallible functions take a struct error as their last parameter and return
 * -1 (or NULL); they fill it once, at the place that knows the reason. Only
 * sim/cli prints errors or exits.
 */
#ifndef CONTEND_UTIL_ERROR_H
#define CONTEND_UTIL_ERROR_H

#include <stddef.h>

/* Line and column count from 1; line 0 means that no position is known, file NULL that no file is. */
struct source_pos {
	const char *file;
	int line;
	int column;
};

#define ERROR_TEXT_BYTES 768
#define ERROR_FILE_BYTES 256

struct error {
	struct source_pos pos; /* pos.file points at file_name below, or is NULL */
	char file_name[ERROR_FILE_BYTES];
	char text[ERROR_TEXT_BYTES];
};

/* Fill err (which may be NULL) and return -1, so that callers can `return error_set(...)`. Copies pos.file. */
int error_set(struct error *err, struct source_pos pos, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same without a position. */
int error_plain(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Give an error that has no position the one of what it is about; one that has a position keeps it. Returns -1. */
int error_at(struct error *err, struct source_pos pos);

/* Append to the text of an error that was set, e.g. a hint; cut at the buffer's end. */
void error_append(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "file:line:column: text" or what is known of it, into out. Returns out. */
char *error_format(const struct error *err, char *out, size_t out_bytes);

#endif
