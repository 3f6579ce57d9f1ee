/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void error_vset(struct error *err, struct source_pos pos, const char *format, va_list args)
{
	if (!err)
		return;
	memset(err, 0, sizeof(*err));
	err->pos = pos;
	err->pos.file = NULL;
	if (pos.file) {
		snprintf(err->file_name, sizeof(err->file_name), "%s", pos.file);
		err->pos.file = err->file_name;
	}
	vsnprintf(err->text, sizeof(err->text), format, args);
}

int error_set(struct error *err, struct source_pos pos, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_vset(err, pos, format, args);
	va_end(args);
	return -1;
}

int error_plain(struct error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_vset(err, (struct source_pos){ 0 }, format, args);
	va_end(args);
	return -1;
}

int error_at(struct error *err, struct source_pos pos)
{
	char text[ERROR_TEXT_BYTES];

	if (!err || err->file_name[0])
		return -1;
	memcpy(text, err->text, sizeof(text));
	return error_set(err, pos, "%s", text);
}

void error_append(struct error *err, const char *format, ...)
{
	va_list args;
	size_t used;

	if (!err)
		return;
	used = strlen(err->text);
	va_start(args, format);
	vsnprintf(err->text + used, sizeof(err->text) - used, format, args);
	va_end(args);
}

char *error_format(const struct error *err, char *out, size_t out_bytes)
{
	/* file_name, not pos.file: a struct error may have been copied or sent through a pipe */
	if (!err->file_name[0])
		snprintf(out, out_bytes, "%s", err->text);
	else if (!err->pos.line)
		snprintf(out, out_bytes, "%s: %s", err->file_name, err->text);
	else
		snprintf(out, out_bytes, "%s:%d:%d: %s", err->file_name, err->pos.line, err->pos.column, err->text);
	return out;
}
