/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/util/quantity.h"

#include "sim/util/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define MAX_DECIMALS 18
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

static const struct unit time_units[] = {
	{ "s", UINT64_C(1000000000000) }, { "ms", 1000000000 }, { "us", 1000000 }, { "ns", 1000 }, { "ps", 1 },
};

static const struct unit byte_units[] = {
	{ "TiB", UINT64_C(1) << 40 },
	{ "TB", UINT64_C(1000000000000) },
	{ "GiB", 1 << 30 },
	{ "GB", 1000000000 },
	{ "MiB", 1 << 20 },
	{ "MB", 1000000 },
	{ "KiB", 1 << 10 },
	{ "kB", 1000 },
	{ "B", 1 },
};

static const struct unit clock_units[] = {
	{ "GHz", 1000000000 },
	{ "MHz", 1000000 },
	{ "kHz", 1000 },
	{ "Hz", 1 },
};

static const struct unit share_units[] = {
	{ "%", 10000 },
	{ "ppm", 1 },
};

static const struct dimension dimensions[] = {
	{ "time", "time", "picoseconds", "ms", time_units, ARRAY_SIZE(time_units) },
	{ "bytes", "memory size", "bytes", "GiB", byte_units, ARRAY_SIZE(byte_units) },
	{ "Hz", "frequency", "hertz", "GHz", clock_units, ARRAY_SIZE(clock_units) },
	{ "share", "share", "parts per million", "%", share_units, ARRAY_SIZE(share_units) },
};

/* "-1.50ms" taken apart; decimals without the trailing zeros. */
struct decimal {
	bool negative;
	const char *whole;
	size_t whole_digits;
	const char *decimals;
	size_t nr_decimals;
	const char *unit;
};

int why_set(const struct why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why->text, why->bytes, format, args);
	va_end(args);
	return -1;
}

const struct dimension *dimension_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(dimensions); i++)
		if (!strcmp(dimensions[i].name, name))
			return &dimensions[i];
	return NULL;
}

static const struct unit *unit_find(const struct dimension *dimension, const char *name)
{
	for (int i = 0; i < dimension->nr_units; i++)
		if (!strcmp(dimension->units[i].name, name))
			return &dimension->units[i];
	return NULL;
}

bool quantity_is_unit(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(dimensions); i++)
		if (unit_find(&dimensions[i], name))
			return true;
	return false;
}

/* False when text does not start with a number. */
static bool split(const char *text, struct decimal *out)
{
	*out = (struct decimal){ .negative = *text == '-', .whole = text + (*text == '-') };
	out->whole_digits = strspn(out->whole, DIGITS);
	out->unit = out->whole + out->whole_digits;
	if (*out->unit == '.') {
		out->decimals = out->unit + 1;
		out->nr_decimals = strspn(out->decimals, DIGITS);
		out->unit = out->decimals + out->nr_decimals;
		if (!out->nr_decimals)
			return false;
	}
	while (out->nr_decimals && out->decimals[out->nr_decimals - 1] == '0')
		out->nr_decimals--;
	return out->whole_digits > 0;
}

/* "; use ps, ns, us, ms or s": from small to large. */
static int refuse_unit(const struct dimension *dimension, const char *name, const struct why *why)
{
	char list[128] = "";
	size_t used = 0;

	for (int i = dimension->nr_units - 1; i >= 0; i--) {
		const char *joint = i == dimension->nr_units - 1 ? "" : i ? ", " : " or ";

		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s", joint, dimension->units[i].name);
	}
	return why_set(why, "'%s' is no unit of %s; use %s", TEXT_SHOWN(name), dimension->noun, list);
}

static const struct unit *parse_unit(const struct dimension *dimension, const char *text, const char *name,
				     const struct why *why)
{
	const struct unit *unit = unit_find(dimension, name);

	if (unit)
		return unit;
	if (!*name)
		why_set(why, "'%s' needs a unit, e.g. %s%s", TEXT_SHOWN(text), TEXT_SHOWN(text), dimension->example);
	else if (*name == ' ')
		why_set(why, "'%s' has a space between number and unit; leave it out", TEXT_SHOWN(text));
	else
		refuse_unit(dimension, name, why);
	return NULL;
}

/* The decimals in base units, or -1 when they are no whole number of them. 18 decimals of a TiB need 100 bits. */
static int64_t decimals_value(const struct decimal *parts, uint64_t scale)
{
	__extension__ unsigned __int128 value = 0;
	__extension__ unsigned __int128 denominator = 1;

	if (parts->nr_decimals > MAX_DECIMALS)
		return -1;
	for (size_t i = 0; i < parts->nr_decimals; i++) {
		value = value * 10 + (unsigned)(parts->decimals[i] - '0');
		denominator *= 10;
	}
	value *= scale;
	return value % denominator ? -1 : (int64_t)(value / denominator);
}

int quantity_parse(const struct dimension *dimension, const char *text, struct quantity *out, const struct why *why)
{
	const struct unit *unit;
	struct decimal parts;
	uint64_t whole;
	int64_t rest;

	if (!split(text, &parts))
		return why_set(why, "'%s' is not a number with a unit of %s", TEXT_SHOWN(text), dimension->noun);
	unit = parse_unit(dimension, text, parts.unit, why);
	if (!unit)
		return -1;
	rest = decimals_value(&parts, unit->scale);
	if (rest < 0)
		return why_set(why, "'%s' is not a whole number of %s", TEXT_SHOWN(text), dimension->base);
	errno = 0;
	whole = strtoull(parts.whole, NULL, 10);
	if (errno || __builtin_mul_overflow(whole, unit->scale, &whole) ||
	    __builtin_add_overflow(whole, (uint64_t)rest, &whole))
		return why_set(why, "'%s' is too large", TEXT_SHOWN(text));
	*out = (struct quantity){ .negative = parts.negative && whole, .magnitude = whole };
	return 0;
}

/* The largest unit that shows the value with at most 3 decimals. */
static const struct unit *unit_for(const struct dimension *dimension, uint64_t magnitude)
{
	const struct unit *unit = dimension->units;

	while (unit->scale > 1 && (magnitude < unit->scale || magnitude % unit->scale * 1000 % unit->scale))
		unit++;
	return unit;
}

char *quantity_print(const struct dimension *dimension, struct quantity value, char *out, size_t out_bytes)
{
	const struct unit *unit = unit_for(dimension, value.magnitude);
	uint64_t thousandths = value.magnitude % unit->scale * 1000 / unit->scale;
	char decimals[8] = "";
	size_t used;

	if (thousandths) {
		used = (size_t)snprintf(decimals, sizeof(decimals), ".%03u", (unsigned)(thousandths % 1000));
		while (decimals[used - 1] == '0')
			decimals[--used] = '\0';
	}
	snprintf(out, out_bytes, "%s%" PRIu64 "%s%s", value.negative ? "-" : "", value.magnitude / unit->scale,
		 decimals, unit->name);
	return out;
}
