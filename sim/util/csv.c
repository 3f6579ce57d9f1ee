/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Comma-separated values. The reader is a state machine over bytes:
 *
 *	field start -'"'-> quoted -'"'-> quote seen -',' or line end-> field start
 *	            -else-> plain -',' or line end-> field start;  quote seen -'"'-> quoted
 *
 * Source: RFC 4180, section 2.
 */
#include "sim/util/csv.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

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

static bool needs_quotes(const char *text, bool first)
{
	if (first && (!*text || *text == '#'))
		return true;
	return strpbrk(text, ",\"\r\n") != NULL;
}

void csv_text(struct csv_writer *writer, const char *text)
{
	bool quotes = needs_quotes(text, !writer->in_row);

	if (writer->in_row)
		fputc(',', writer->out);
	writer->in_row = true;
	if (!quotes) {
		fputs(text, writer->out);
		return;
	}
	fputc('"', writer->out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', writer->out);
		fputc(*text, writer->out);
	}
	fputc('"', writer->out);
}

void csv_int(struct csv_writer *writer, int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	csv_text(writer, text);
}

void csv_number(struct csv_writer *writer, double number)
{
	char text[32] = "";

	if (!isnan(number))
		snprintf(text, sizeof(text), "%.9g", number);
	csv_text(writer, text);
}

void csv_end_row(struct csv_writer *writer)
{
	fputc('\n', writer->out);
	writer->in_row = false;
}

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

/* By the first byte of a UTF-8 sequence: its length, and the range of the second byte (RFC 3629, section 4). */
static const struct utf8_range {
	unsigned char first, last;
	int nr_bytes;
	unsigned char second_low, second_high;
} utf8_ranges[] = {
	{ 0x01, 0x7f, 1, 0x00, 0xff }, { 0xc2, 0xdf, 2, 0x80, 0xbf }, { 0xe0, 0xe0, 3, 0xa0, 0xbf },
	{ 0xe1, 0xec, 3, 0x80, 0xbf }, { 0xed, 0xed, 3, 0x80, 0x9f }, { 0xee, 0xef, 3, 0x80, 0xbf },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf }, { 0xf1, 0xf3, 4, 0x80, 0xbf }, { 0xf4, 0xf4, 4, 0x80, 0x8f },
};
#define NR_UTF8_RANGES (sizeof(utf8_ranges) / sizeof(utf8_ranges[0]))

/* The length of the sequence at text, 0 when it is none. The NUL at the end of text ends a sequence that is cut. */
static int utf8_sequence(const unsigned char *text)
{
	const struct utf8_range *range = utf8_ranges;

	while (range < utf8_ranges + NR_UTF8_RANGES && text[0] > range->last)
		range++;
	if (range == utf8_ranges + NR_UTF8_RANGES || text[0] < range->first || text[1] < range->second_low ||
	    text[1] > range->second_high)
		return 0;
	for (int i = 2; i < range->nr_bytes; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	return range->nr_bytes;
}

static int check_utf8(struct source_pos pos, const char *text, struct error *err)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		int nr = utf8_sequence(at);

		if (!nr)
			return error_set(err, pos, "the text is not UTF-8");
		at += nr;
	}
	return 0;
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
