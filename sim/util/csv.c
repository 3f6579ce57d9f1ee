/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading comma-separated values: a state machine over bytes.
 *
 *	field start -'"'-> quoted -'"'-> quote seen -',' or line end-> field start
 *	            -else-> plain -',' or line end-> field start;  quote seen -'"'-> quoted
 *
 * Source: RFC 4180, section 2.
 */
#include "sim/util/csv.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "sim/util/utf8.h"

enum state {
	FIELD_START,
	PLAIN,
	QUOTED,
	QUOTE_SEEN,
};

struct csv_reader {
	struct arena *arena;
	FILE *in;
	const char *path;
	size_t left_bytes; /* of the file's allowance */
	int line, column; /* of the byte read last */
	int nr_expected; /* fields of the first row; 0 before it */
	bool head; /* comments are still allowed */
	enum state state;
	struct source_pos field_pos;
	char *bytes; /* of the row, fields ended by NUL */
	size_t nr_bytes, max_bytes;
	size_t *starts; /* of each field in bytes */
	struct source_pos *pos;
	const char **fields;
	int nr_fields, max_fields;
};

static struct source_pos here(const struct csv_reader *reader)
{
	return (struct source_pos){ .file = reader->path, .line = reader->line, .column = reader->column };
}

struct csv_reader *csv_open(struct arena *arena, const char *path, size_t max_bytes, struct error *err)
{
	struct csv_reader *reader = arena_alloc(arena, sizeof(*reader));
	int byte;

	reader->arena = arena;
	reader->path = arena_strdup(arena, path);
	reader->left_bytes = max_bytes;
	reader->line = 1;
	reader->head = true;
	reader->in = fopen(path, "re");
	if (!reader->in) {
		error_plain(err, "cannot read '%s': %s", path, strerror(errno));
		return NULL;
	}
	/* pass over a byte order mark, as spreadsheets write it */
	byte = fgetc(reader->in);
	if (byte != 0xef)
		ungetc(byte, reader->in);
	else if (fgetc(reader->in) != 0xbb || fgetc(reader->in) != 0xbf)
		rewind(reader->in);
	return reader;
}

void csv_close(struct csv_reader *reader)
{
	if (!reader)
		return;
	if (reader->in)
		fclose(reader->in);
	reader->in = NULL;
}

static void *grow(struct arena *arena, const void *old, size_t used_bytes, size_t new_bytes)
{
	void *out = arena_alloc(arena, new_bytes);

	if (used_bytes)
		memcpy(out, old, used_bytes);
	return out;
}

static int row_put(struct csv_reader *reader, int byte, struct error *err)
{
	if (reader->nr_bytes == CSV_MAX_ROW_BYTES)
		return error_set(err, here(reader), "a row of more than %zu bytes", CSV_MAX_ROW_BYTES);
	if (reader->nr_bytes == reader->max_bytes) {
		size_t more_bytes = reader->max_bytes ? 2 * reader->max_bytes : 256;

		reader->bytes = grow(reader->arena, reader->bytes, reader->nr_bytes, more_bytes);
		reader->max_bytes = more_bytes;
	}
	reader->bytes[reader->nr_bytes++] = (char)byte;
	return 0;
}

static void field_begin(struct csv_reader *reader)
{
	if (reader->nr_fields == reader->max_fields) {
		size_t nr = (size_t)reader->nr_fields;
		size_t more = nr ? 2 * nr : 16;

		reader->starts = grow(reader->arena, reader->starts, nr * sizeof(size_t), more * sizeof(size_t));
		reader->pos = grow(reader->arena, reader->pos, nr * sizeof(struct source_pos),
				   more * sizeof(struct source_pos));
		reader->max_fields = (int)more;
	}
	reader->starts[reader->nr_fields] = reader->nr_bytes;
	reader->pos[reader->nr_fields] = reader->field_pos;
	reader->nr_fields++;
}

static int check_utf8(struct source_pos pos, const char *text, struct error *err)
{
	return utf8_is_valid(text) ? 0 : error_set(err, pos, "the text is not UTF-8");
}

/* The next byte with CRLF made LF, EOF at the end, -2 on failure. Keeps the position. */
static int byte_next(struct csv_reader *reader, struct error *err)
{
	int byte = fgetc(reader->in);

	if (byte == EOF) {
		if (!ferror(reader->in))
			return EOF;
		error_plain(err, "cannot read '%s': %s", reader->path, strerror(errno));
		return -2;
	}
	if ((byte & 0xc0) != 0x80) /* columns count characters */
		reader->column++;
	if (!byte) {
		error_set(err, here(reader), "a NUL byte: this is no text file");
		return -2;
	}
	if (!reader->left_bytes--) {
		error_set(err, (struct source_pos){ .file = reader->path }, "the file is too large");
		return -2;
	}
	if (byte != '\r')
		return byte;
	byte = fgetc(reader->in);
	if (byte == '\n')
		return byte;
	error_set(err, here(reader), "a carriage return without a line feed");
	return -2;
}

static void line_end(struct csv_reader *reader)
{
	if (reader->line < INT_MAX)
		reader->line++;
	reader->column = 0;
}

/* End the field that is open, and with it the row's text so far. */
static int field_end(struct csv_reader *reader, struct error *err)
{
	if (reader->state == FIELD_START) {
		reader->field_pos = here(reader);
		field_begin(reader);
	}
	reader->state = FIELD_START;
	return row_put(reader, '\0', err);
}

/* The first byte of a field that is not empty. */
static int field_start(struct csv_reader *reader, int byte, struct error *err)
{
	reader->field_pos = here(reader);
	field_begin(reader);
	reader->state = byte == '"' ? QUOTED : PLAIN;
	return byte == '"' ? 0 : row_put(reader, byte, err);
}

static int quoted_byte(struct csv_reader *reader, int byte, struct error *err)
{
	if (byte == '"') {
		reader->state = QUOTE_SEEN;
		return 0;
	}
	if (byte == '\n')
		line_end(reader);
	return row_put(reader, byte, err);
}

/* One byte that ends neither the row nor the file. */
static int row_byte(struct csv_reader *reader, int byte, struct error *err)
{
	if (reader->state == QUOTED)
		return quoted_byte(reader, byte, err);
	if (byte == ',')
		return field_end(reader, err);
	if (reader->state == FIELD_START)
		return field_start(reader, byte, err);
	if (reader->state == QUOTE_SEEN && byte == '"') {
		reader->state = QUOTED;
		return row_put(reader, byte, err);
	}
	if (reader->state == QUOTE_SEEN)
		return error_set(err, here(reader), "text after the closing quote of a field");
	if (byte == '"')
		return error_set(err, here(reader), "a quote inside a field that is not quoted");
	return row_put(reader, byte, err);
}

/* Bytes up to the end of the row into the buffer. 1: a row, 0: the end of the file, -1: failure. */
static int row_scan(struct csv_reader *reader, int byte, struct error *err)
{
	while (byte >= 0 && (byte != '\n' || reader->state == QUOTED)) {
		if (row_byte(reader, byte, err) != 0)
			return -1;
		byte = byte_next(reader, err);
	}
	if (byte < EOF)
		return -1;
	if (reader->state == QUOTED)
		return error_set(err, reader->field_pos, "a quoted field that does not end");
	if (byte == EOF) /* the end stands one past the last byte, as a line end would */
		reader->column++;
	if (field_end(reader, err) != 0)
		return -1;
	if (byte == '\n')
		line_end(reader);
	return 1;
}

/* Whether the rest of the head starts with a comment; takes its '#'. */
static bool comment_begins(struct csv_reader *reader)
{
	int byte = reader->head ? fgetc(reader->in) : EOF;

	if (byte == '#') {
		reader->column++;
		return true;
	}
	if (byte != EOF)
		ungetc(byte, reader->in);
	return false;
}

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && strchr(" \t", text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

int csv_next_comment(struct csv_reader *reader, const char **text, struct source_pos *pos, struct error *err)
{
	int byte;

	if (!comment_begins(reader))
		return 0;
	*pos = here(reader);
	reader->nr_bytes = 0;
	while ((byte = byte_next(reader, err)) >= 0 && byte != '\n') {
		if (row_put(reader, byte, err) != 0)
			return -1;
	}
	if (byte < EOF || row_put(reader, '\0', err) != 0)
		return -1;
	line_end(reader);
	*text = trim(reader->bytes);
	return check_utf8(*pos, *text, err) == 0 ? 1 : -1;
}

static int head_skip(struct csv_reader *reader, struct error *err)
{
	const char *text;
	struct source_pos pos;
	int found;

	while ((found = csv_next_comment(reader, &text, &pos, err)) == 1)
		;
	return found;
}

/* The row in the buffer as fields, checked. */
static int row_finish(struct csv_reader *reader, struct csv_row *row, struct error *err)
{
	if (reader->nr_expected && reader->nr_fields != reader->nr_expected)
		return error_set(err, reader->pos[0], "%d fields where the first row has %d", reader->nr_fields,
				 reader->nr_expected);
	if (!reader->fields)
		reader->fields = arena_calloc(reader->arena, (size_t)reader->nr_fields, sizeof(*reader->fields));
	reader->nr_expected = reader->nr_fields;
	for (int i = 0; i < reader->nr_fields; i++) {
		reader->fields[i] = reader->bytes + reader->starts[i];
		if (check_utf8(reader->pos[i], reader->fields[i], err) != 0)
			return -1;
	}
	*row = (struct csv_row){ .fields = reader->fields, .nr_fields = reader->nr_fields, .pos = reader->pos };
	return 1;
}

int csv_next(struct csv_reader *reader, struct csv_row *row, struct error *err)
{
	int byte;

	if (head_skip(reader, err) != 0)
		return -1;
	while ((byte = byte_next(reader, err)) == '\n')
		line_end(reader);
	if (byte < 0)
		return byte == EOF ? 0 : -1;
	reader->head = false;
	reader->nr_bytes = 0;
	reader->nr_fields = 0;
	reader->state = FIELD_START;
	if (row_scan(reader, byte, err) < 0)
		return -1;
	return row_finish(reader, row, err);
}
