/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quantities that carry their unit in the value: "1.5ms", "384GiB", "2.6GHz", "1%".
 *
 * Exact: a decimal that is no whole number of the base unit (ps, B, Hz, ppm) is an
 * error and never rounded.
 */
#ifndef CONTEND_UTIL_QUANTITY_H
#define CONTEND_UTIL_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unit {
	const char *name;
	uint64_t scale; /* base units in one of this */
};

struct dimension {
	const char *name; /* as in a parameter table: "time", "bytes", "Hz", "share" */
	const char *noun; /* as in "'GHz' is no unit of ..." */
	const char *base; /* plural of the smallest unit */
	const char *example; /* the unit that a hint appends */
	const struct unit *units; /* largest first; the last has scale 1 */
	int nr_units;
};

struct quantity {
	bool negative;
	uint64_t magnitude; /* base units */
};

/* Where a reason for failure goes. */
struct why {
	char *text;
	size_t bytes;
};

/* Fill why and return -1. */
int why_set(const struct why *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The dimension of that name in a parameter table, or NULL when the unit stands in the key. */
const struct dimension *dimension_find(const char *name);

/* Is this the name of a unit of any dimension ("ms", "KiB")? */
bool quantity_is_unit(const char *name);

/* Parse all of text. Returns 0, or -1 with the reason in why. */
int quantity_parse(const struct dimension *dimension, const char *text, struct quantity *out, const struct why *why);

/* The value as quantity_parse reads it back, in the largest unit that needs at most 3 decimals. Returns out. */
char *quantity_print(const struct dimension *dimension, struct quantity value, char *out, size_t out_bytes);

#endif
