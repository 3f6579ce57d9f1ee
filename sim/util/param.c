/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/util/param.h"

#include "sim/util/quantity.h"
#include "sim/util/text.h"

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT_BYTES 32
#define TWO_TO_63 9223372036854775808.0
#define TWO_TO_64 18446744073709551616.0

/* What the member can hold; a table's limit at or beyond it is no limit worth a word in a message. */
struct span {
	double min, max;
};

static struct span kind_span(enum param_kind kind)
{
	switch (kind) {
	case PARAM_U32:
		return (struct span){ 0, UINT32_MAX };
	case PARAM_U64:
		return (struct span){ 0, TWO_TO_64 };
	case PARAM_PS:
		return (struct span){ -TWO_TO_63, TWO_TO_63 };
	default:
		return (struct span){ -DBL_MAX, DBL_MAX };
	}
}

/* Casting 2^64 or 2^63 itself would overflow: clamp first. */
static uint64_t to_u64(double value)
{
	assert(value >= 0);
	return value >= TWO_TO_64 ? UINT64_MAX : (uint64_t)value;
}

static int64_t to_i64(double value)
{
	assert(value >= -TWO_TO_63);
	return value >= TWO_TO_63 ? INT64_MAX : (int64_t)value;
}

static void set_default(const struct param *entry, void *field)
{
	double def = entry->required ? 0 : entry->def;

	switch (entry->kind) {
	case PARAM_BOOL:
		*(bool *)field = def != 0;
		break;
	case PARAM_U32:
		*(uint32_t *)field = (uint32_t)to_u64(def);
		break;
	case PARAM_U64:
		*(uint64_t *)field = to_u64(def);
		break;
	case PARAM_PS:
		*(int64_t *)field = to_i64(def);
		break;
	case PARAM_F64:
		*(double *)field = def;
		break;
	case PARAM_TEXT:
		*(const char **)field = entry->required ? NULL : entry->def_text;
		break;
	case PARAM_CHOICE:
		*(int *)field = (int)def;
		break;
	}
}

void param_defaults(const struct param *table, void *params)
{
	for (; table->key; table++)
		set_default(table, (char *)params + table->offset);
}

const struct param *param_find(const struct param *table, const char *key)
{
	for (; table->key; table++)
		if (!strcmp(table->key, key))
			return table;
	return NULL;
}

/* A limit as the user would write it. */
static char *limit_print(const struct param *entry, double limit, char *out)
{
	const struct dimension *dimension = dimension_find(entry->unit);

	if (dimension)
		return quantity_print(dimension,
				      (struct quantity){ .negative = limit < 0, .magnitude = to_u64(fabs(limit)) }, out,
				      LIMIT_BYTES);
	snprintf(out, LIMIT_BYTES, "%.15g", limit);
	return out;
}

static int check_range(const struct param *entry, double value, const struct why *why)
{
	struct span span = kind_span(entry->kind);
	bool has_min = entry->min > span.min || span.min == 0;
	bool has_max = entry->max < span.max;
	double max = has_max ? entry->max : span.max;
	char low[LIMIT_BYTES];
	char high[LIMIT_BYTES];

	if (value >= entry->min && value <= max)
		return 0;
	limit_print(entry, entry->min, low);
	limit_print(entry, max, high);
	if (has_min && has_max)
		return why_set(why, "must be between %s and %s", low, high);
	if (value < entry->min)
		return why_set(why, "must be at least %s", low);
	return why_set(why, "must be at most %s", high);
}

/* Say what is wrong with text, which starts as a number and goes on with rest (or is no number at all). */
static int refuse_number(const struct param *entry, const char *text, const char *rest, const struct why *why)
{
	int digits = (int)(rest - text);
	bool is_unit = digits && (quantity_is_unit(rest) || !strcmp(rest, entry->unit) || !strcmp(rest, "%"));

	if (is_unit && entry->unit[0])
		return why_set(why, "the key already names the unit (%s); write %.*s", entry->unit, digits, text);
	if (is_unit)
		return why_set(why, "takes a plain number without a unit; write %.*s", digits, text);
	return why_set(why, "'%s' is not a %snumber", TEXT_SHOWN(text), entry->kind == PARAM_F64 ? "" : "whole ");
}

static int parse_f64(const struct param *entry, const char *text, double *out, const struct why *why)
{
	size_t decimal_bytes = strspn(text, "0123456789.eE+-");
	char *end;
	double value = strtod(text, &end);

	/* strtod also knows white space, hexadecimal numbers, "inf" and "nan" */
	if (!decimal_bytes || end > text + decimal_bytes)
		return refuse_number(entry, text, text, why);
	if (*end)
		return refuse_number(entry, text, end, why);
	if (isinf(value))
		return why_set(why, "'%s' is too large", TEXT_SHOWN(text));
	if (check_range(entry, value, why))
		return -1;
	*out = value + 0.0; /* -0 becomes 0 */
	return 0;
}

static int parse_whole(const struct param *entry, const char *text, struct quantity *out, const struct why *why)
{
	const char *digits = text + (*text == '-');
	const char *end = digits + strspn(digits, "0123456789");

	if (end == digits)
		return refuse_number(entry, text, text, why);
	if (*end)
		return refuse_number(entry, text, end, why);
	errno = 0;
	out->magnitude = strtoull(digits, NULL, 10);
	out->negative = *text == '-' && out->magnitude;
	return errno ? why_set(why, "'%s' is too large", TEXT_SHOWN(text)) : 0;
}

static int parse_integer(const struct param *entry, const char *text, struct quantity *out, const struct why *why)
{
	const struct dimension *dimension = dimension_find(entry->unit);
	int failed = dimension ? quantity_parse(dimension, text, out, why) : parse_whole(entry, text, out, why);

	if (failed)
		return -1;
	if (entry->kind == PARAM_PS && out->magnitude > INT64_MAX)
		return why_set(why, "'%s' is too large", TEXT_SHOWN(text));
	return check_range(entry, out->negative ? -(double)out->magnitude : (double)out->magnitude, why);
}

static int parse_u32(const struct param *entry, const char *text, uint32_t *out, const struct why *why)
{
	struct quantity value;

	if (parse_integer(entry, text, &value, why))
		return -1;
	*out = (uint32_t)value.magnitude;
	return 0;
}

static int parse_u64(const struct param *entry, const char *text, uint64_t *out, const struct why *why)
{
	struct quantity value;

	if (parse_integer(entry, text, &value, why))
		return -1;
	*out = value.magnitude;
	return 0;
}

static int parse_ps(const struct param *entry, const char *text, int64_t *out, const struct why *why)
{
	struct quantity value;

	if (parse_integer(entry, text, &value, why))
		return -1;
	*out = value.negative ? -(int64_t)value.magnitude : (int64_t)value.magnitude;
	return 0;
}

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strcasecmp(*words, text))
			return true;
	return false;
}

static int parse_bool(const char *text, bool *out, const struct why *why)
{
	static const char *const yes[] = { "true", "yes", "on", "y", "1", NULL };
	static const char *const no[] = { "false", "no", "off", "n", "0", NULL };

	*out = !strcmp(text, "true");
	if (*out || !strcmp(text, "false"))
		return 0;
	if (is_one_of(text, yes))
		return why_set(why, "must be true or false, not '%s'; write true", text);
	if (is_one_of(text, no))
		return why_set(why, "must be true or false, not '%s'; write false", text);
	return why_set(why, "must be true or false, not '%s'", TEXT_SHOWN(text));
}

static int parse_choice(const struct param *entry, const char *text, int *out, const struct why *why)
{
	char hint[256];

	for (int i = 0; entry->choices[i]; i++) {
		if (!strcmp(entry->choices[i], text)) {
			*out = i;
			return 0;
		}
	}
	return why_set(why, "unknown value '%s'%s", TEXT_SHOWN(text),
		       text_hint(text, entry->choices, hint, sizeof(hint)));
}

static int parse_text(const char *text, const char **out)
{
	*out = text;
	return 0;
}

int param_parse(const struct param *entry, const char *text, void *params, char *why, size_t why_bytes)
{
	const struct why reason = { why, why_bytes };
	void *field = (char *)params + entry->offset;

	if (!*text && entry->kind != PARAM_TEXT)
		return why_set(&reason, "has no value");
	switch (entry->kind) {
	case PARAM_BOOL:
		return parse_bool(text, field, &reason);
	case PARAM_U32:
		return parse_u32(entry, text, field, &reason);
	case PARAM_U64:
		return parse_u64(entry, text, field, &reason);
	case PARAM_PS:
		return parse_ps(entry, text, field, &reason);
	case PARAM_F64:
		return parse_f64(entry, text, field, &reason);
	case PARAM_CHOICE:
		return parse_choice(entry, text, field, &reason);
	case PARAM_TEXT:
		return parse_text(text, field);
	}
	return why_set(&reason, "is of no known kind");
}

/* Digits that read back as the same double; every decimal of up to DBL_DIG digits comes out as it was written. */
static void print_f64(double value, char *out, size_t out_bytes)
{
	for (int digits = DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
		snprintf(out, out_bytes, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			return;
	}
}

static void print_integer(const struct param *entry, struct quantity value, char *out, size_t out_bytes)
{
	const struct dimension *dimension = dimension_find(entry->unit);

	if (dimension)
		quantity_print(dimension, value, out, out_bytes);
	else
		snprintf(out, out_bytes, "%s%" PRIu64, value.negative ? "-" : "", value.magnitude);
}

static struct quantity of_ps(int64_t ps)
{
	return (struct quantity){ .negative = ps < 0, .magnitude = ps < 0 ? -(uint64_t)ps : (uint64_t)ps };
}

char *param_print(const struct param *entry, const void *params, char *out, size_t out_bytes)
{
	const void *field = (const char *)params + entry->offset;
	const char *text = "";

	switch (entry->kind) {
	case PARAM_BOOL:
		text = *(const bool *)field ? "true" : "false";
		break;
	case PARAM_CHOICE:
		text = entry->choices[*(const int *)field];
		break;
	case PARAM_TEXT:
		text = *(const char *const *)field ? *(const char *const *)field : "";
		break;
	case PARAM_U32:
		print_integer(entry, (struct quantity){ .magnitude = *(const uint32_t *)field }, out, out_bytes);
		return out;
	case PARAM_U64:
		print_integer(entry, (struct quantity){ .magnitude = *(const uint64_t *)field }, out, out_bytes);
		return out;
	case PARAM_PS:
		print_integer(entry, of_ps(*(const int64_t *)field), out, out_bytes);
		return out;
	case PARAM_F64:
		print_f64(*(const double *)field, out, out_bytes);
		return out;
	}
	snprintf(out, out_bytes, "%s", text);
	return out;
}
