/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The distance is Damerau-Levenshtein in its "optimal string alignment" form:
 * no piece of text is edited twice.
 */
#include "sim/util/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAME_BYTES 64 /* longer names are never suggested */
#define MAX_LISTED_NAMES 12
#define MAX_LISTED_BYTES 160

/* One position of text: ASCII controls, and the C1 controls U+0080..U+009F that UTF-8 writes as C2 80..C2 9F. */
static bool is_control(const char *at)
{
	unsigned char byte = (unsigned char)at[0];
	unsigned char next = byte ? (unsigned char)at[1] : 0;

	return byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0);
}

static bool is_continuation(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

char *text_shown(const char *text, char *out, size_t out_bytes)
{
	size_t used = 0;

	for (; *text && used < out_bytes - 1; text++) {
		bool control = is_control(text);

		out[used++] = *text;
		if (control)
			out[used - 1] = '?';
		if (control && is_continuation(text[1]))
			text++;
	}
	out[used] = '\0';
	if (!*text)
		return out;
	used = out_bytes - 4;
	while (used && is_continuation(out[used]))
		used--;
	memcpy(out + used, "...", 4);
	return out;
}

static bool same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Row i of the table of distances between prefixes, from the two rows above it. */
static void fill_row(const char *a, size_t i, const char *b, size_t (*rows)[MAX_NAME_BYTES + 1])
{
	size_t *row = rows[i % 3];
	const size_t *above = rows[(i + 2) % 3];
	const size_t *above_two = rows[(i + 1) % 3];

	row[0] = i;
	for (size_t j = 1; b[j - 1]; j++) {
		bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);

		row[j] = smaller(row[j - 1], above[j]) + 1;
		row[j] = smaller(row[j], above[j - 1] + !same_letter(a[i - 1], b[j - 1]));
		if (swapped)
			row[j] = smaller(row[j], above_two[j - 2] + 1);
	}
}

/* Both texts have at most MAX_NAME_BYTES. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t rows[3][MAX_NAME_BYTES + 1] = { 0 };
	size_t a_bytes = strlen(a);
	size_t b_bytes = strlen(b);

	for (size_t j = 0; j <= b_bytes; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a_bytes; i++)
		fill_row(a, i, b, rows);
	return rows[a_bytes % 3][b_bytes];
}

const char *text_nearest(const char *text, const char *const *names)
{
	size_t bytes = strlen(text);
	size_t best = bytes / 3 > 1 ? bytes / 3 : 1;
	const char *nearest = NULL;

	if (bytes < 2 || bytes > MAX_NAME_BYTES || !names)
		return NULL;
	best++;
	for (; *names; names++) {
		size_t distance;

		if (strlen(*names) > MAX_NAME_BYTES)
			continue;
		distance = edit_distance(text, *names);
		if (distance < best) {
			best = distance;
			nearest = *names;
		}
	}
	return nearest;
}

static bool is_short_list(const char *const *names)
{
	size_t bytes = 0;
	int nr = 0;

	for (; names && *names; names++) {
		bytes += strlen(*names) + 2;
		if (++nr > MAX_LISTED_NAMES || bytes > MAX_LISTED_BYTES)
			return false;
	}
	return nr > 0;
}

char *text_hint(const char *text, const char *const *names, char *out, size_t out_bytes)
{
	const char *nearest = text_nearest(text, names);
	size_t used = 0;

	out[0] = '\0';
	if (nearest) {
		snprintf(out, out_bytes, "; did you mean '%s'?", TEXT_SHOWN(nearest));
		return out;
	}
	if (!is_short_list(names))
		return out;
	for (const char *const *name = names; *name && used < out_bytes; name++)
		used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", name == names ? "; known: " : ", ",
					 TEXT_SHOWN(*name));
	return out;
}
