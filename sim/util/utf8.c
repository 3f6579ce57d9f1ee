/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/util/utf8.h"

/* By the first byte of a UTF-8 sequence: its length, and the range of the second byte. */
static const struct utf8_range {
	unsigned char first, last;
	int nr_bytes;
	unsigned char second_low, second_high;
} utf8_ranges[] = {
	{ 0x01, 0x7f, 1, 0x00, 0xff }, { 0xc2, 0xdf, 2, 0x80, 0xbf }, { 0xe0, 0xe0, 3, 0xa0, 0xbf },
	{ 0xe1, 0xec, 3, 0x80, 0xbf }, { 0xed, 0xed, 3, 0x80, 0x9f }, { 0xee, 0xef, 3, 0x80, 0xbf },
	{ 0xf0, 0xf0, 4, 0x90, 0xbf }, { 0xf1, 0xf3, 4, 0x80, 0xbf }, { 0xf4, 0xf4, 4, 0x80, 0x8f },
};
#define NR_UTF8_RANGES (sizeof(utf8_ranges) / sizeof(utf8_ranges[0]))

/* The length of the sequence at text, 0 when it is none. The NUL at the end of text ends a sequence that is cut. */
static int utf8_sequence(const unsigned char *text)
{
	const struct utf8_range *range = utf8_ranges;

	while (range < utf8_ranges + NR_UTF8_RANGES && text[0] > range->last)
		range++;
	if (range == utf8_ranges + NR_UTF8_RANGES || text[0] < range->first || text[1] < range->second_low ||
	    text[1] > range->second_high)
		return 0;
	for (int i = 2; i < range->nr_bytes; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	return range->nr_bytes;
}

bool utf8_is_valid(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		int nr = utf8_sequence(at);

		if (!nr)
			return false;
		at += nr;
	}
	return true;
}
