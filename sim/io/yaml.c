/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files and bytes into libyaml, its events into a builder, its errors into
 * ours.
 */
#include "sim/io/yaml.h"

#include "sim/io/yaml_builder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

struct reader {
	const char *bytes; /* without byte order mark */
	size_t nr_bytes;
	yaml_parser_t parser;
	struct yaml_builder builder;
};

/* libyaml gives a byte offset for what is no text at all; lines and columns are counted as it counts them elsewhere. */
static struct source_pos pos_of_offset(const struct reader *reader, size_t offset)
{
	struct source_pos pos = { reader->builder.name, 1, 1 };

	for (size_t i = 0; i < offset && i < reader->nr_bytes; i++) {
		if (reader->bytes[i] == '\n') {
			pos.line++;
			pos.column = 1;
		} else if (((unsigned char)reader->bytes[i] & 0xc0) != 0x80) {
			pos.column++;
		}
	}
	return pos;
}

/* Is there a tab at the mark? A mark's index counts characters, not bytes. */
static bool is_tab(const struct reader *reader, yaml_mark_t mark)
{
	size_t i = 0;

	for (size_t chars = 0; i < reader->nr_bytes; i++)
		if (((unsigned char)reader->bytes[i] & 0xc0) != 0x80 && chars++ == mark.index)
			break;
	return i < reader->nr_bytes && reader->bytes[i] == '\t';
}

/* Pass on libyaml's own error. */
static int refuse_syntax(const struct reader *reader)
{
	const yaml_parser_t *parser = &reader->parser;

	if (parser->error == YAML_MEMORY_ERROR)
		return error_plain(reader->builder.err, "out of memory");
	if (parser->error == YAML_READER_ERROR)
		return error_set(reader->builder.err, pos_of_offset(reader, parser->problem_offset),
				 "not a YAML text: %s", parser->problem);
	error_set(reader->builder.err, yaml_pos(reader->builder.name, parser->problem_mark), "%s", parser->problem);
	if (parser->context)
		error_append(reader->builder.err, " (%s at line %zu)", parser->context, parser->context_mark.line + 1);
	if (is_tab(reader, parser->problem_mark))
		error_append(reader->builder.err, "; indent with spaces, not with tabs");
	return -1;
}

/* Events until the end of the stream. */
static int read_events(struct reader *reader)
{
	yaml_event_type_t type = YAML_NO_EVENT;

	while (type != YAML_STREAM_END_EVENT) {
		yaml_event_t event;
		int failed;

		if (!yaml_parser_parse(&reader->parser, &event))
			return refuse_syntax(reader);
		type = event.type;
		failed = yaml_builder_event(&reader->builder, &event);
		yaml_event_delete(&event);
		if (failed)
			return -1;
	}
	return 0;
}

static bool is_nothing(const struct yaml_node *root)
{
	return !root || (root->kind == YAML_SCALAR && !root->quoted && !root->text[0]);
}

static struct yaml_node *read_document(struct reader *reader)
{
	int failed;

	if (!yaml_parser_initialize(&reader->parser)) {
		error_plain(reader->builder.err, "out of memory");
		return NULL;
	}
	yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader->parser, (const unsigned char *)reader->bytes, reader->nr_bytes);
	failed = read_events(reader);
	yaml_parser_delete(&reader->parser);
	if (failed)
		return NULL;
	if (is_nothing(reader->builder.root)) {
		error_set(reader->builder.err, (struct source_pos){ reader->builder.name, 1, 1 }, "is empty");
		return NULL;
	}
	return reader->builder.root;
}

struct yaml_node *yaml_parse(struct arena *arena, const char *name, const char *bytes, size_t nr_bytes,
			     struct error *err)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";
	struct reader *reader;
	struct arena *scratch;
	struct yaml_node *root;

	if (nr_bytes > YAML_MAX_FILE_BYTES) {
		error_set(err, (struct source_pos){ .file = name }, "is larger than %zu MiB",
			  YAML_MAX_FILE_BYTES >> 20);
		return NULL;
	}
	if (nr_bytes >= 3 && !memcmp(bytes, byte_order_mark, 3)) {
		bytes += 3;
		nr_bytes -= 3;
	}
	scratch = arena_create();
	reader = arena_alloc(scratch, sizeof(*reader));
	reader->bytes = bytes;
	reader->nr_bytes = nr_bytes;
	reader->builder.arena = arena;
	reader->builder.scratch = scratch;
	reader->builder.err = err;
	reader->builder.name = arena_strdup(arena, name);
	root = read_document(reader);
	arena_destroy(scratch);
	return root;
}

/* Read until the end or `room` bytes, whichever comes first. The number of bytes, or -1 with errno. */
static ssize_t read_all(int fd, char *bytes, size_t room)
{
	size_t used = 0;

	while (used < room) {
		ssize_t got = read(fd, bytes + used, room - used);

		if (got == 0)
			break;
		if (got < 0 && errno != EINTR)
			return -1;
		used += got > 0 ? (size_t)got : 0;
	}
	return (ssize_t)used;
}

/* Not for what is plainly no YAML file. Pipes and devices say nothing about their size: they are cut while reading. */
static int check_file(int fd, struct source_pos pos, struct error *err)
{
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		return error_set(err, pos, "cannot be read: %s", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return error_set(err, pos, "is a directory, not a YAML file");
	if (S_ISREG(status.st_mode) && status.st_size > (off_t)YAML_MAX_FILE_BYTES)
		return error_set(err, pos, "is larger than %zu MiB", YAML_MAX_FILE_BYTES >> 20);
	return 0;
}

static struct yaml_node *load_fd(struct arena *arena, int fd, const char *path, struct error *err)
{
	const size_t room = YAML_MAX_FILE_BYTES + 1;
	struct arena *scratch = arena_create();
	char *bytes = arena_alloc(scratch, room);
	ssize_t nr_bytes = read_all(fd, bytes, room);
	struct yaml_node *root = NULL;

	if (nr_bytes < 0)
		error_set(err, (struct source_pos){ .file = path }, "cannot be read: %s", strerror(errno));
	else
		root = yaml_parse(arena, path, bytes, (size_t)nr_bytes, err);
	arena_destroy(scratch);
	return root;
}

struct yaml_node *yaml_load(struct arena *arena, const char *path, struct error *err)
{
	struct yaml_node *root = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (!check_file(fd, (struct source_pos){ .file = path }, err))
		root = load_fd(arena, fd, path, err);
	if (fd >= 0)
		close(fd);
	return root;
}
