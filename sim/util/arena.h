/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that lives and dies together: everything of one run, one YAML
 * document or one result set comes out of one arena and is freed with it.
 * Running out of memory ends the process with a message and status 1: no
 * caller could do better, and no caller has to check.
 */
#ifndef CONTEND_UTIL_ARENA_H
#define CONTEND_UTIL_ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_create(void);
void arena_destroy(struct arena *arena); /* NULL is fine */

/* Zeroed and aligned for any type; valid until arena_destroy. The second form checks nr * bytes for overflow. */
void *arena_alloc(struct arena *arena, size_t bytes);
void *arena_calloc(struct arena *arena, size_t nr, size_t bytes);

/* One object that begins a cache line, of 64 bytes: for what is touched all the time, beside many others of its kind. */
void *arena_alloc_lines(struct arena *arena, size_t bytes);

/*
 * Room for one more element of an array of nr, which doubles in the arena when *max are there. Returns the array, which may
 * have moved; NULL and *max 0 are an empty one.
 */
void *arena_grow(struct arena *arena, void *array, int nr, int *max, size_t element_bytes);

char *arena_strdup(struct arena *arena, const char *text);
char *arena_strndup(struct arena *arena, const char *text, size_t bytes);
char *arena_printf(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes handed out so far. */
size_t arena_used_bytes(const struct arena *arena);

#endif
