/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small steps over text between two pointers, which need not end in a NUL. */
#ifndef CONTEND_TRACE_TRACE_SCAN_H
#define CONTEND_TRACE_TRACE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool scan_is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline bool scan_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline const char *scan_blanks(const char *at, const char *end)
{
	while (at < end && scan_is_blank(*at))
		at++;
	return at;
}

static inline const char *scan_word(const char *at, const char *end)
{
	while (at < end && !scan_is_blank(*at))
		at++;
	return at;
}

static inline bool scan_begins(const char *at, const char *end, const char *with, size_t bytes)
{
	return (size_t)(end - at) >= bytes && *at == *with && memcmp(at, with, bytes) == 0;
}

#define SCAN_BEGINS(at, end, literal) scan_begins(at, end, literal, sizeof(literal) - 1)

/* Decimal digits at `at`, at most max_digits of them. Returns the byte behind them; `at` when there are none or more. */
static inline const char *scan_decimal(const char *at, const char *end, int max_digits, uint64_t *out)
{
	const char *digit = at;
	uint64_t value = 0;

	for (; digit < end && scan_is_digit(*digit); digit++) {
		if (digit - at == max_digits)
			return at;
		value = 10 * value + (uint64_t)(*digit - '0');
	}
	*out = value;
	return digit;
}

/* Backwards over the digits that end at `at`. */
static inline const char *scan_before_digits(const char *start, const char *at)
{
	while (at > start && scan_is_digit(at[-1]))
		at--;
	return at;
}

#endif
