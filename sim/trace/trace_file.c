/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libarchive knows the compressors; its "raw" format is the one file inside.
 *
 *	window: [ passed | at ... end | room ]   peek moves what is left to the front and fills the room
 */
#include "sim/trace/trace_file.h"

#include <archive.h>
#include <archive_entry.h>
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define READ_BYTES ((size_t)128 << 10)

struct trace_file {
	struct archive *archive;
	const char *path;
	char *window; /* TRACE_FILE_WINDOW_BYTES */
	size_t at, end;
	bool at_end; /* nothing is left to be read into the window */
};

static int fail(const struct trace_file *file, struct error *err)
{
	const char *text = archive_error_string(file->archive);
	const int reason = archive_errno(file->archive);

	/* libarchive's "Failed to open '...'" hides the system's reason; EILSEQ and EINVAL stand for damage */
	if (reason > 0 && reason != EILSEQ && reason != EINVAL)
		text = strerror(reason);
	return error_plain(err, "cannot read '%s': %s", file->path, text ? text : "the data is damaged");
}

static int archive_begin(struct trace_file *file, struct error *err)
{
	struct archive_entry *entry;
	int status;

	archive_read_support_filter_gzip(file->archive);
	archive_read_support_filter_xz(file->archive);
	archive_read_support_filter_zstd(file->archive);
	archive_read_support_format_raw(file->archive);
	archive_read_support_format_empty(file->archive);
	status = strcmp(file->path, "-") == 0 ? archive_read_open_fd(file->archive, STDIN_FILENO, READ_BYTES)
					      : archive_read_open_filename(file->archive, file->path, READ_BYTES);
	if (status != ARCHIVE_OK)
		return fail(file, err);
	status = archive_read_next_header(file->archive, &entry);
	file->at_end = status == ARCHIVE_EOF;
	return status == ARCHIVE_OK || status == ARCHIVE_EOF ? 0 : fail(file, err);
}

struct trace_file *trace_file_open(struct arena *arena, const char *path, struct error *err)
{
	struct trace_file *file = arena_alloc(arena, sizeof(*file));

	file->path = arena_strdup(arena, path);
	file->window = arena_alloc(arena, TRACE_FILE_WINDOW_BYTES);
	file->archive = archive_read_new();
	if (!file->archive) {
		error_plain(err, "cannot read '%s': %s", path, strerror(ENOMEM));
		return NULL;
	}
	if (archive_begin(file, err) != 0) {
		trace_file_close(file);
		return NULL;
	}
	return file;
}

void trace_file_close(struct trace_file *file)
{
	if (!file)
		return;
	archive_read_free(file->archive);
	file->archive = NULL;
}

static int window_fill(struct trace_file *file, struct error *err)
{
	la_ssize_t nr;

	memmove(file->window, file->window + file->at, file->end - file->at);
	file->end -= file->at;
	file->at = 0;
	nr = archive_read_data(file->archive, file->window + file->end, TRACE_FILE_WINDOW_BYTES - file->end);
	if (nr < 0)
		return fail(file, err);
	file->at_end = nr == 0;
	file->end += (size_t)nr;
	return 0;
}

int trace_file_peek(struct trace_file *file, size_t wanted, const char **bytes, size_t *nr, struct error *err)
{
	assert(wanted <= TRACE_FILE_WINDOW_BYTES);
	while (file->end - file->at < wanted && !file->at_end) {
		if (window_fill(file, err) != 0)
			return -1;
	}
	*bytes = file->window + file->at;
	*nr = file->end - file->at;
	return 0;
}

void trace_file_skip(struct trace_file *file, size_t nr)
{
	assert(nr <= file->end - file->at);
	file->at += nr;
}

const char *trace_file_path(const struct trace_file *file)
{
	return file->path;
}
