/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events as bytes: what a trace_binary file holds between its frames. Little-endian on every machine.
 *
 *	head byte  bits 0-2: type; the others say which of the fields below follow because they changed; 6 and 7 are 0
 *	bit 3      CPU: varint, when it is not that of the event before
 *	bit 4      task: varint pid + 1, a byte of length and the bytes of comm, when not those of the CPU's event before
 *	bit 5      kind: order, migratetype + 1, percpu_refill + 1, a byte each, when not those of the type's event before
 *	always     time less that of the event before, pfn less that of the CPU's event before: zigzag varints
 *
 * A varint is LEB128: seven bits a byte, the least first, the top bit says that more follow; zigzag maps 0, -1, 1, -2, ... to
 * 0, 1, 2, 3, ... (as in protocol buffers).
 */
#ifndef CONTEND_TRACE_TRACE_CODEC_H
#define CONTEND_TRACE_TRACE_CODEC_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/trace/trace_event.h"
#include "sim/util/arena.h"

/* No event takes more bytes. */
#define TRACE_CODEC_MAX_BYTES 64

/* What earlier events were, on one side or the other. */
struct trace_codec;

struct trace_codec *trace_codec_create(struct arena *arena);

/* Append an event, which must be valid, at out with TRACE_CODEC_MAX_BYTES of room. Returns how many bytes it took. */
size_t trace_codec_put(struct trace_codec *codec, const struct trace_event *event, unsigned char *out);

/* Take the next event from *at, which moves on, before end. False when the bytes are no valid event. */
bool trace_codec_get(struct trace_codec *codec, const unsigned char **at, const unsigned char *end,
		     struct trace_event *event);

#endif
