/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as a binary trace. Refused with a message, or a trace whose
 * events are valid and come back the same when they are written and read
 * once more.
 *
 * The magic and the hashes of frames are put right first, or the fuzzer would
 * never get past them; input that starts with '!' is read as it comes.
 */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/trace/trace_binary.h"
#include "sim/util/hash.h"

#define HEADER_BYTES 16
#define FRAME_HEAD_BYTES 8
#define HASH_BYTES 8
#define MAX_EVENTS 4096

#define MUST(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

struct events {
	struct trace_event *events;
	int nr;
	struct trace_skipped skipped;
};

static void set_hashes(unsigned char *bytes, size_t size)
{
	static const unsigned char header[HEADER_BYTES] = { 0x89, 'C', 'T', 'R', '\r', '\n', 0x1a, '\n', 1 };
	size_t at = HEADER_BYTES;

	if (size < HEADER_BYTES)
		return;
	memcpy(bytes, header, sizeof(header));
	while (size - at >= FRAME_HEAD_BYTES + HASH_BYTES) {
		const size_t payload = bytes[at + 4] | (size_t)bytes[at + 5] << 8;
		const size_t hashed = FRAME_HEAD_BYTES + payload;
		uint64_t hash;

		if (size - at < hashed + HASH_BYTES)
			return;
		hash = hash_bytes(bytes + at, hashed);
		for (int i = 0; i < HASH_BYTES; i++)
			bytes[at + hashed + (size_t)i] = (unsigned char)(hash >> 8 * i);
		at += hashed + HASH_BYTES;
	}
}

/* Whether the file was read to its end. */
static bool read_events(struct arena *arena, const char *path, struct events *out)
{
	struct error err = { 0 };
	struct trace_file *file = trace_file_open(arena, path, &err);
	struct trace_binary *binary = file ? trace_binary_open(arena, file, &err) : NULL;
	struct trace_event event;
	int found = -1;

	out->nr = 0;
	out->events = arena_calloc(arena, MAX_EVENTS, sizeof(*out->events));
	while (binary && (found = trace_binary_next(binary, &event, &err)) == 1) {
		MUST(trace_event_is_valid(&event) && out->nr < MAX_EVENTS);
		out->events[out->nr++] = event;
	}
	MUST(found == 0 || err.text[0]);
	if (found == 0)
		out->skipped = *trace_binary_skipped(binary);
	trace_file_close(file);
	return found == 0;
}

static void write_again(struct arena *arena, const struct events *events, const char *path)
{
	struct trace_writer *writer = trace_writer_open(path, NULL);
	struct events again;

	MUST(writer);
	for (int i = 0; i < events->nr; i++)
		trace_writer_put(writer, &events->events[i]);
	MUST(trace_writer_commit(writer, &events->skipped, NULL) == 0);
	MUST(read_events(arena, path, &again) && again.nr == events->nr);
	for (int i = 0; i < events->nr; i++)
		MUST(trace_event_same(&again.events[i], &events->events[i]));
	MUST(memcmp(&again.skipped, &events->skipped, sizeof(again.skipped)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/contend-fuzz-XXXXXX";
	struct arena *arena = arena_create();
	struct events events = { 0 };
	unsigned char *bytes;
	int fd;

	if (size > 2 * MAX_EVENTS) /* an event takes at least 3 bytes */
		size = 2 * MAX_EVENTS;
	bytes = arena_alloc(arena, size + 1);
	memcpy(bytes, data, size);
	if (size > 0 && data[0] != '!')
		set_hashes(bytes, size);
	fd = mkstemp(path);
	MUST(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
	if (read_events(arena, path, &events))
		write_again(arena, &events, path);
	unlink(path);
	arena_destroy(arena);
	return 0;
}
