/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/plot_text.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SLUG_MAX_BYTES 60

struct utf8_lead {
	uint8_t mask, value; /* of the first byte */
	int bytes;
	uint32_t least; /* smaller characters have a shorter form, which alone is right */
};

static const struct utf8_lead leads[] = {
	{ 0x80, 0x00, 1, 0 },
	{ 0xe0, 0xc0, 2, 0x80 },
	{ 0xf0, 0xe0, 3, 0x800 },
	{ 0xf8, 0xf0, 4, 0x10000 },
};

/* Length of the character at text, 0 when its bytes are not UTF-8. */
static int utf8_decode(const char *text, uint32_t *character)
{
	for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++) {
		const struct utf8_lead *lead = &leads[i];
		uint32_t c = (uint8_t)text[0] & (uint8_t)~lead->mask;

		if (((uint8_t)text[0] & lead->mask) != lead->value)
			continue;
		for (int byte = 1; byte < lead->bytes; byte++) {
			if (((uint8_t)text[byte] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | ((uint8_t)text[byte] & 0x3f);
		}
		*character = c;
		return c >= lead->least && c <= 0x10ffff ? lead->bytes : 0;
	}
	return 0;
}

/* Characters that have no picture, turn the text's direction or may not stand in XML. */
static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || (c >= 0xd800 && c <= 0xdfff) || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

/* The blocks of East Asian Width W that are in use (Unicode Standard Annex 11), coarsely. */
static bool is_wide(uint32_t c)
{
	return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
	       (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
	       (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
}

/* One step over text: appends what stands for its first character to out. Returns the bytes consumed. */
static int clean_character(const char *text, char **out)
{
	uint32_t c;
	int bytes = utf8_decode(text, &c);

	if (!bytes) {
		*(*out)++ = '?';
		return 1;
	}
	if (c == '\n' || c == '\t' || c == '\r') {
		*(*out)++ = ' ';
	} else if (!is_control(c)) {
		memcpy(*out, text, (size_t)bytes);
		*out += bytes;
	}
	return bytes;
}

static int columns_of(const char *text, int *bytes)
{
	uint32_t c;

	*bytes = utf8_decode(text, &c);
	if (!*bytes)
		*bytes = 1;
	else if (is_wide(c))
		return 2;
	return 1;
}

int plot_text_columns(const char *text)
{
	int columns = 0;
	int bytes;

	for (; *text; text += bytes)
		columns += columns_of(text, &bytes);
	return columns;
}

static void cut(char *text, int max_columns)
{
	int columns = 0;
	int bytes;

	if (plot_text_columns(text) <= max_columns)
		return;
	for (;; text += bytes) {
		columns += columns_of(text, &bytes);
		if (columns > max_columns - 3)
			break;
	}
	strcpy(text, "...");
}

const char *plot_clean(struct arena *arena, const char *text, int max_columns)
{
	char *clean;
	char *end;

	if (!text)
		return "";
	clean = arena_alloc(arena, strlen(text) + 4);
	end = clean;
	while (*text)
		text += clean_character(text, &end);
	cut(clean, max_columns);
	return clean;
}

/* Bytes of the line that text begins with: up to its last blank that leaves it at most max_columns wide; 0 without one. */
static size_t line_bytes(const char *text, int max_columns)
{
	size_t last_blank = 0, at = 0;
	int columns = 0;
	int bytes;

	for (; text[at] && columns <= max_columns; at += (size_t)bytes) {
		if (text[at] == ' ')
			last_blank = at;
		columns += columns_of(text + at, &bytes);
	}
	return last_blank;
}

int plot_wrap(struct arena *arena, const char *text, int max_columns, int max_lines, const char **lines)
{
	const char *rest = plot_clean(arena, text, INT_MAX);
	int nr = 0;

	while (nr < max_lines - 1 && plot_text_columns(rest) > max_columns && line_bytes(rest, max_columns)) {
		const size_t bytes = line_bytes(rest, max_columns);

		lines[nr++] = arena_strndup(arena, rest, bytes);
		rest += bytes + 1;
	}
	lines[nr++] = plot_clean(arena, rest, max_columns);
	return nr;
}

const char *plot_quote(struct arena *arena, const char *text)
{
	/* gnuplot 5.4 takes the first two of three quotes for an empty string: no string may begin with one */
	bool guard = text[0] == '\'';
	char *quoted = arena_alloc(arena, 2 * strlen(text) + 9);
	char *end = quoted;

	*end++ = '\'';
	if (guard)
		*end++ = ' ';
	for (; *text; text++) {
		if (*text == '\'')
			*end++ = '\'';
		*end++ = *text;
	}
	*end++ = '\'';
	if (guard)
		strcpy(end, "[2:*]");
	return quoted;
}

const char *plot_slug(struct arena *arena, const char *text)
{
	char *slug = arena_alloc(arena, SLUG_MAX_BYTES + 1);
	size_t used = 0;

	for (; *text && used < SLUG_MAX_BYTES; text++) {
		bool plain = isalnum((unsigned char)*text) || *text == '_' || (*text == '.' && used);

		if (plain)
			slug[used++] = *text;
		else if (used && slug[used - 1] != '-')
			slug[used++] = '-';
	}
	while (used && slug[used - 1] == '-')
		slug[--used] = '\0';
	return used ? slug : "x";
}
