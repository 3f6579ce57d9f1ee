/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/trace/trace_reader.h"

#include "sim/trace/trace_binary.h"
#include "sim/trace/trace_dat.h"
#include "sim/trace/trace_file.h"
#include "sim/trace/trace_text.h"

#include <string.h>

#define MAX_LINE_BYTES ((size_t)16 << 10)
#define NR_MAGIC_BYTES 16

struct trace_reader {
	struct trace_file *file;
	struct trace_binary *binary; /* this or the next, or both NULL: text */
	struct trace_dat *dat;
	struct trace_skipped skipped; /* of text */
};

static int recognize(struct arena *arena, struct trace_reader *reader, struct error *err)
{
	static const char perf_magic[] = { 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2' };
	const char *path = trace_file_path(reader->file);
	const char *bytes;
	size_t nr;

	if (trace_file_peek(reader->file, NR_MAGIC_BYTES, &bytes, &nr, err) != 0)
		return -1;
	if (nr >= sizeof(perf_magic) && memcmp(bytes, perf_magic, sizeof(perf_magic)) == 0)
		return error_plain(err,
				   "'%s' is a file of perf record: give the output of `perf script -F "
				   "comm,tid,cpu,time,event,trace -i %s`",
				   path, path);
	if (trace_binary_recognize(bytes, nr)) {
		reader->binary = trace_binary_open(arena, reader->file, err);
		return reader->binary ? 0 : -1;
	}
	if (trace_dat_recognize(bytes, nr)) {
		reader->dat = trace_dat_open(arena, reader->file, err);
		return reader->dat ? 0 : -1;
	}
	return 0;
}

struct trace_reader *trace_reader_open(struct arena *arena, const char *path, struct error *err)
{
	struct trace_reader *reader = arena_alloc(arena, sizeof(*reader));

	reader->file = trace_file_open(arena, path, err);
	if (!reader->file)
		return NULL;
	if (recognize(arena, reader, err) != 0) {
		trace_reader_close(reader);
		return NULL;
	}
	return reader;
}

static size_t at_most(size_t nr, size_t max)
{
	return nr < max ? nr : max;
}

/* The next line, its first MAX_LINE_BYTES if it is longer: 1, 0 at the end of the file, -1 on failure. */
static int line_peek(struct trace_reader *reader, struct trace_line *line, struct error *err)
{
	const char *end;
	size_t nr;

	if (trace_file_peek(reader->file, 1, &line->text, &nr, err) != 0)
		return -1;
	end = memchr(line->text, '\n', at_most(nr, MAX_LINE_BYTES));
	if (!end && nr < MAX_LINE_BYTES) { /* it may go on behind the window */
		if (trace_file_peek(reader->file, MAX_LINE_BYTES, &line->text, &nr, err) != 0)
			return -1;
		end = memchr(line->text, '\n', at_most(nr, MAX_LINE_BYTES));
	}
	line->complete = end != NULL;
	line->bytes = end ? (size_t)(end - line->text) : at_most(nr, MAX_LINE_BYTES);
	return nr > 0;
}

/* Go on behind the line end that comes next, or to the end of the file. */
static int long_line_skip(struct trace_reader *reader, struct error *err)
{
	const char *bytes, *end;
	size_t nr;

	do {
		if (trace_file_peek(reader->file, 1, &bytes, &nr, err) != 0)
			return -1;
		end = memchr(bytes, '\n', nr);
		trace_file_skip(reader->file, end ? (size_t)(end - bytes) + 1 : nr);
	} while (!end && nr);
	return 0;
}

static int text_next(struct trace_reader *reader, struct trace_event *event, struct error *err)
{
	struct trace_line line;
	uint64_t nr_lost = 0;
	int found;

	while ((found = line_peek(reader, &line, err)) == 1) {
		enum trace_skip skip = TRACE_SKIP_TOO_LONG;

		if (line.complete || line.bytes < MAX_LINE_BYTES) {
			skip = trace_text_parse(&line, event, &nr_lost);
			trace_file_skip(reader->file, line.bytes + line.complete);
		} else if (long_line_skip(reader, err) != 0) {
			return -1;
		}
		if (skip == TRACE_SKIP_NONE)
			return 1;
		reader->skipped.nr[skip]++;
		if (skip == TRACE_SKIP_LOST)
			reader->skipped.nr_lost_events += nr_lost;
	}
	return found;
}

int trace_reader_next(struct trace_reader *reader, struct trace_event *event, struct error *err)
{
	if (reader->binary)
		return trace_binary_next(reader->binary, event, err);
	return reader->dat ? trace_dat_next(reader->dat, event, err) : text_next(reader, event, err);
}

const struct trace_skipped *trace_reader_skipped(const struct trace_reader *reader)
{
	if (reader->binary)
		return trace_binary_skipped(reader->binary);
	return reader->dat ? trace_dat_skipped(reader->dat) : &reader->skipped;
}

void trace_reader_close(struct trace_reader *reader)
{
	if (!reader)
		return;
	trace_dat_close(reader->dat);
	trace_file_close(reader->file);
}
