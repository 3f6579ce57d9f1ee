/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/trace/trace_binary.h"

#include "sim/trace/trace_codec.h"
#include "sim/util/hash.h"
#include "sim/util/outfile.h"

#include <string.h>

#define HEADER_BYTES 16
#define FRAME_HEAD_BYTES 8
#define HASH_BYTES 8
#define MAX_PAYLOAD_BYTES ((size_t)64 << 10)
#define MAX_FRAME_BYTES (FRAME_HEAD_BYTES + MAX_PAYLOAD_BYTES + HASH_BYTES)
#define NR_END_NUMBERS (2 + NR_TRACE_SKIPS - 1)

/* As PNG's: a byte that is no text, a name, and line ends that a transfer as text would change. */
static const char magic[TRACE_BINARY_MAGIC_BYTES] = { '\x89', 'C', 'T', 'R', '\r', '\n', '\x1a', '\n' };

struct trace_writer {
	struct arena *arena;
	struct outfile *outfile;
	struct trace_codec *codec;
	uint64_t nr_events;
	uint32_t nr_in_frame;
	size_t payload_bytes;
	unsigned char *frame; /* MAX_FRAME_BYTES */
};

struct trace_binary {
	struct trace_file *file;
	struct trace_codec *codec;
	uint64_t nr_events;
	uint32_t left_in_frame;
	const unsigned char *at, *end; /* of the frame's payload, in the file's window */
	size_t frame_bytes; /* of the frame that is being read, still in the window; 0 for none */
	bool at_end;
	struct trace_skipped skipped;
};

static void put_le(unsigned char *out, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		out[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_le(const unsigned char *at, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static void frame_write(struct trace_writer *writer)
{
	const size_t bytes = FRAME_HEAD_BYTES + writer->payload_bytes;

	put_le(writer->frame, writer->nr_in_frame, 4);
	put_le(writer->frame + 4, writer->payload_bytes, 4);
	put_le(writer->frame + bytes, hash_bytes(writer->frame, bytes), HASH_BYTES);
	fwrite(writer->frame, 1, bytes + HASH_BYTES, outfile_stream(writer->outfile));
	writer->nr_in_frame = 0;
	writer->payload_bytes = 0;
}

struct trace_writer *trace_writer_open(const char *path, struct error *err)
{
	struct outfile *outfile = outfile_open(path, err);
	unsigned char header[HEADER_BYTES] = { 0 };
	struct trace_writer *writer;
	struct arena *arena;

	if (!outfile)
		return NULL;
	arena = arena_create();
	writer = arena_alloc(arena, sizeof(*writer));
	writer->arena = arena;
	writer->outfile = outfile;
	writer->codec = trace_codec_create(arena);
	writer->frame = arena_alloc(arena, MAX_FRAME_BYTES);
	memcpy(header, magic, sizeof(magic));
	put_le(header + sizeof(magic), TRACE_BINARY_VERSION, 4);
	fwrite(header, 1, sizeof(header), outfile_stream(outfile));
	return writer;
}

void trace_writer_put(struct trace_writer *writer, const struct trace_event *event)
{
	if (writer->payload_bytes + TRACE_CODEC_MAX_BYTES > MAX_PAYLOAD_BYTES)
		frame_write(writer);
	writer->payload_bytes +=
		trace_codec_put(writer->codec, event, writer->frame + FRAME_HEAD_BYTES + writer->payload_bytes);
	writer->nr_in_frame++;
	writer->nr_events++;
}

int trace_writer_commit(struct trace_writer *writer, const struct trace_skipped *skipped, struct error *err)
{
	unsigned char *payload = writer->frame + FRAME_HEAD_BYTES;
	int failed;

	if (writer->nr_in_frame)
		frame_write(writer);
	put_le(payload, writer->nr_events, 8);
	put_le(payload + 8, skipped->nr_lost_events, 8);
	for (int i = 1; i < NR_TRACE_SKIPS; i++)
		put_le(payload + 8 + 8 * i, skipped->nr[i], 8);
	writer->payload_bytes = 8 * NR_END_NUMBERS;
	frame_write(writer);
	failed = outfile_commit(writer->outfile, err);
	arena_destroy(writer->arena);
	return failed;
}

void trace_writer_abort(struct trace_writer *writer)
{
	if (!writer)
		return;
	outfile_abort(writer->outfile);
	arena_destroy(writer->arena);
}

bool trace_binary_recognize(const char *bytes, size_t nr)
{
	return nr >= sizeof(magic) && memcmp(bytes, magic, sizeof(magic)) == 0;
}

/* Exactly nr bytes from where reading is; a file that ends before them is cut. */
static int look(const struct trace_binary *binary, size_t nr, const unsigned char **bytes, struct error *err)
{
	const char *window;
	size_t there;

	if (trace_file_peek(binary->file, nr, &window, &there, err) != 0)
		return -1;
	if (there < nr)
		return error_plain(err, "'%s' is cut off: it ends after %llu events without the end of a trace",
				   trace_file_path(binary->file), (unsigned long long)binary->nr_events);
	*bytes = (const unsigned char *)window;
	return 0;
}

static int damaged(const struct trace_binary *binary, struct error *err)
{
	return error_plain(err, "'%s' is damaged after its event %llu: import the trace again",
			   trace_file_path(binary->file), (unsigned long long)binary->nr_events);
}

struct trace_binary *trace_binary_open(struct arena *arena, struct trace_file *file, struct error *err)
{
	struct trace_binary *binary = arena_alloc(arena, sizeof(*binary));
	const unsigned char *header;
	uint64_t version;

	binary->file = file;
	binary->codec = trace_codec_create(arena);
	if (look(binary, HEADER_BYTES, &header, err) != 0)
		return NULL;
	version = get_le(header + sizeof(magic), 4);
	if (version != TRACE_BINARY_VERSION) {
		error_plain(err, "'%s' is a trace of version %llu and not %d: import it again with this contend",
			    trace_file_path(file), (unsigned long long)version, TRACE_BINARY_VERSION);
		return NULL;
	}
	if (memcmp(header, magic, sizeof(magic)) != 0 || get_le(header + sizeof(magic) + 4, 4) != 0) {
		damaged(binary, err);
		return NULL;
	}
	trace_file_skip(file, HEADER_BYTES);
	return binary;
}

/* The end's payload; nothing may follow it. */
static int take_end(struct trace_binary *binary, size_t frame_bytes, struct error *err)
{
	const unsigned char *payload = binary->at;
	const char *window;
	size_t there;

	if (binary->end - payload != 8 * NR_END_NUMBERS || get_le(payload, 8) != binary->nr_events)
		return damaged(binary, err);
	binary->skipped.nr_lost_events = get_le(payload + 8, 8);
	for (int i = 1; i < NR_TRACE_SKIPS; i++)
		binary->skipped.nr[i] = get_le(payload + 8 + 8 * i, 8);
	binary->at_end = true;
	trace_file_skip(binary->file, frame_bytes);
	if (trace_file_peek(binary->file, 1, &window, &there, err) != 0)
		return -1;
	if (there)
		return error_plain(err, "'%s' has more bytes after the end of the trace",
				   trace_file_path(binary->file));
	return 0;
}

/* Check the next frame and stand at its payload. Returns 1, 0 when it was the end, -1 on failure. */
static int take_frame(struct trace_binary *binary, struct error *err)
{
	const unsigned char *frame;
	size_t payload_bytes, hashed_bytes;

	trace_file_skip(binary->file, binary->frame_bytes);
	binary->frame_bytes = 0;
	if (look(binary, FRAME_HEAD_BYTES, &frame, err) != 0)
		return -1;
	payload_bytes = get_le(frame + 4, 4);
	if (payload_bytes > MAX_PAYLOAD_BYTES)
		return damaged(binary, err);
	hashed_bytes = FRAME_HEAD_BYTES + payload_bytes;
	if (look(binary, hashed_bytes + HASH_BYTES, &frame, err) != 0)
		return -1;
	if (get_le(frame + hashed_bytes, HASH_BYTES) != hash_bytes(frame, hashed_bytes))
		return damaged(binary, err);
	binary->at = frame + FRAME_HEAD_BYTES;
	binary->end = frame + hashed_bytes;
	binary->left_in_frame = (uint32_t)get_le(frame, 4);
	if (!binary->left_in_frame)
		return take_end(binary, hashed_bytes + HASH_BYTES, err);
	binary->frame_bytes = hashed_bytes + HASH_BYTES;
	return 1;
}

int trace_binary_next(struct trace_binary *binary, struct trace_event *event, struct error *err)
{
	if (binary->at_end)
		return 0;
	if (!binary->left_in_frame) {
		const int found = take_frame(binary, err);

		if (found <= 0)
			return found;
	}
	if (!trace_codec_get(binary->codec, &binary->at, binary->end, event))
		return damaged(binary, err);
	binary->nr_events++;
	binary->left_in_frame--;
	if (!binary->left_in_frame && binary->at != binary->end)
		return damaged(binary, err);
	return 1;
}

const struct trace_skipped *trace_binary_skipped(const struct trace_binary *binary)
{
	return &binary->skipped;
}
