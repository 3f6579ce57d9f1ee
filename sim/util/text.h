/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The user's words in our messages: safe to print, and what was meant.
 */
#ifndef CONTEND_UTIL_TEXT_H
#define CONTEND_UTIL_TEXT_H

#include <stddef.h>

#define TEXT_SHOWN_BYTES 64

/*
 * Text as a message may show it, into out: control characters (a terminal would obey them) become '?', what does not
 * fit is cut between characters and ends in "...". Returns out; out_bytes is at least 4.
 */
char *text_shown(const char *text, char *out, size_t out_bytes);

/* The same as an expression, for arguments of printf: the result lives as long as the enclosing block. */
#define TEXT_SHOWN(text) text_shown(text, (char[TEXT_SHOWN_BYTES]){ 0 }, TEXT_SHOWN_BYTES)

/*
 * The name of `names` (NULL-ended, may be NULL) nearest to text, or NULL when none is near enough to be meant. A
 * letter more, less or other counts 1, as do two neighbours swapped; a letter of the other case counts 0. Near enough
 * is a third of text's length, but at least 1 and less than all of it.
 */
const char *text_nearest(const char *text, const char *const *names);

/* "; did you mean 'NAME'?", else "; known: A, B, C" when that is short, else "", into out. Returns out. */
char *text_hint(const char *text, const char *const *names, char *out, size_t out_bytes);

#endif
