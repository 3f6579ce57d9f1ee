/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace.dat as recorded, with any of its bytes changed and then cut
 * anywhere. It is read, or refused in words; no event is invalid and no
 * process is left, whatever trace-cmd's library does with it in its own.
 *
 * Input: a byte that chooses the file, three of where it is cut (0: nowhere),
 * then four for each change: three of where, one of what. Input that starts
 * with 0x17 is a file of its own.
 *
 * What the library does wrong there, AddressSanitizer sees as well, and leaves
 * a file crash-* of: that is no finding as long as the fuzzer goes on.
 */
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/trace/trace_file.h"
#include "sim/trace/trace_reader.h"

#define MAX_BYTES ((size_t)1 << 20)

#define MUST(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

static const char *const recorded[] = {
	CONTEND_SOURCE_DIR "/tests/data/traces/fork-6.18.trace-cmd-7.dat",
	CONTEND_SOURCE_DIR "/tests/data/traces/lost-6.18.trace-cmd-6.dat.xz",
};

static size_t load(struct arena *arena, const char *path, uint8_t *bytes)
{
	struct trace_file *file = trace_file_open(arena, path, NULL);
	const char *window;
	size_t there, nr = 0;

	MUST(file);
	while (trace_file_peek(file, 1, &window, &there, NULL) == 0 && there) {
		MUST(nr + there <= MAX_BYTES);
		memcpy(bytes + nr, window, there);
		nr += there;
		trace_file_skip(file, there);
	}
	trace_file_close(file);
	return nr;
}

static size_t place(const uint8_t *at, size_t nr)
{
	return (at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16) % nr;
}

/* The file that an input stands for. */
static size_t build(struct arena *arena, const uint8_t *data, size_t size, uint8_t *bytes)
{
	size_t nr, cut;

	if (size < 4 || data[0] == 0x17) {
		memcpy(bytes, data, size < MAX_BYTES ? size : MAX_BYTES);
		return size < MAX_BYTES ? size : MAX_BYTES;
	}
	nr = load(arena, recorded[data[0] & 1], bytes);
	cut = place(data + 1, nr);
	for (size_t i = 4; size - i >= 4; i += 4)
		bytes[place(data + i, nr)] = data[i + 3];
	return cut ? cut : nr;
}

static void read_all(struct arena *arena, const char *path)
{
	struct error err = { 0 };
	struct trace_reader *reader = trace_reader_open(arena, path, &err);
	struct trace_event event;
	int found = -1;

	while (reader && (found = trace_reader_next(reader, &event, &err)) == 1)
		MUST(trace_event_is_valid(&event));
	MUST(found == 0 || err.text[0]);
	trace_reader_close(reader);
	MUST(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/contend-fuzz-XXXXXX";
	struct arena *arena = arena_create();
	uint8_t *bytes = arena_alloc(arena, MAX_BYTES);
	const size_t nr = build(arena, data, size, bytes);
	const int fd = mkstemp(path);

	MUST(fd >= 0 && write(fd, bytes, nr) == (ssize_t)nr);
	close(fd);
	read_all(arena, path);
	unlink(path);
	arena_destroy(arena);
	return 0;
}
