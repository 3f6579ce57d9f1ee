/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/util/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE_BYTES 64
#define BLOCK_BYTES ((size_t)64 << 10)

struct block {
	struct block *next;
	_Alignas(max_align_t) char bytes[];
};

struct arena {
	struct block *blocks;
	char *cursor;
	size_t left_bytes;
	size_t used_bytes;
};

static void out_of_memory(void)
{
	fputs("contend: out of memory\n", stderr);
	exit(1);
}

static struct block *block_create(struct arena *arena, size_t bytes)
{
	struct block *block;

	if (bytes > SIZE_MAX - sizeof(*block))
		out_of_memory();
	block = calloc(1, sizeof(*block) + bytes);
	if (!block)
		out_of_memory();
	block->next = arena->blocks;
	arena->blocks = block;
	return block;
}

struct arena *arena_create(void)
{
	struct arena *arena = calloc(1, sizeof(*arena));

	if (!arena)
		out_of_memory();
	return arena;
}

void arena_destroy(struct arena *arena)
{
	if (!arena)
		return;
	while (arena->blocks) {
		struct block *next = arena->blocks->next;

		free(arena->blocks);
		arena->blocks = next;
	}
	free(arena);
}

void *arena_alloc(struct arena *arena, size_t bytes)
{
	const size_t align = _Alignof(max_align_t);
	void *out;

	if (bytes > SIZE_MAX - align)
		out_of_memory();
	bytes = (bytes + align - 1) / align * align;
	arena->used_bytes += bytes;
	/* a large piece gets a block of its own and leaves the current one in use */
	if (bytes > BLOCK_BYTES / 4)
		return block_create(arena, bytes)->bytes;
	if (bytes > arena->left_bytes) {
		arena->cursor = block_create(arena, BLOCK_BYTES)->bytes;
		arena->left_bytes = BLOCK_BYTES;
	}
	out = arena->cursor;
	arena->cursor += bytes;
	arena->left_bytes -= bytes;
	return out;
}

void *arena_alloc_lines(struct arena *arena, size_t bytes)
{
	char *out;

	if (bytes > SIZE_MAX - CACHE_LINE_BYTES)
		out_of_memory();
	out = arena_alloc(arena, bytes + CACHE_LINE_BYTES);
	return out + (-(uintptr_t)out & (CACHE_LINE_BYTES - 1));
}

void *arena_calloc(struct arena *arena, size_t nr, size_t bytes)
{
	if (bytes && nr > SIZE_MAX / bytes)
		out_of_memory();
	return arena_alloc(arena, nr * bytes);
}

void *arena_grow(struct arena *arena, void *array, int nr, int *max, size_t element_bytes)
{
	void *larger;

	if (nr < *max)
		return array;
	*max = *max ? 2 * *max : 16;
	larger = arena_calloc(arena, (size_t)*max, element_bytes);
	if (nr > 0)
		memcpy(larger, array, (size_t)nr * element_bytes);
	return larger;
}

char *arena_strndup(struct arena *arena, const char *text, size_t bytes)
{
	char *out = arena_alloc(arena, bytes + 1);

	memcpy(out, text, bytes);
	return out;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	va_list again;
	char *out;
	int bytes;

	va_start(args, format);
	va_copy(again, args);
	bytes = vsnprintf(NULL, 0, format, args);
	va_end(args);
	out = arena_alloc(arena, (size_t)bytes + 1);
	vsnprintf(out, (size_t)bytes + 1, format, again);
	va_end(again);
	return out;
}

size_t arena_used_bytes(const struct arena *arena)
{
	return arena->used_bytes;
}
