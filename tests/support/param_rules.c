/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/param_rules.h"

#include <stdio.h>
#include <string.h>

static bool ends_in(const char *key, const char *unit)
{
	size_t key_bytes = strlen(key);
	size_t unit_bytes = strlen(unit);

	return key_bytes > unit_bytes + 1 && key[key_bytes - unit_bytes - 1] == '_' &&
	       !strcmp(key + key_bytes - unit_bytes, unit);
}

static bool unit_in_key(const struct param *entry)
{
	bool belongs = !strcmp(entry->unit, "ns") || !strcmp(entry->unit, "pct");

	return !belongs || ends_in(entry->key, entry->unit);
}

/* The other way round: the key promises a unit that the table does not know of. */
static bool key_in_unit(const struct param *entry)
{
	if (ends_in(entry->key, "per_ns"))
		return strlen(entry->unit) > 3 && !strcmp(entry->unit + strlen(entry->unit) - 3, "/ns");
	return (!ends_in(entry->key, "ns") || !strcmp(entry->unit, "ns")) &&
	       (!ends_in(entry->key, "pct") || !strcmp(entry->unit, "pct"));
}

static bool unit_fits_kind(const struct param *entry)
{
	if (!strcmp(entry->unit, "time"))
		return entry->kind == PARAM_PS;
	if (!strcmp(entry->unit, "bytes") || !strcmp(entry->unit, "Hz"))
		return entry->kind == PARAM_U64 || entry->kind == PARAM_U32;
	return entry->kind != PARAM_PS;
}

static bool is_number(const struct param *entry)
{
	return entry->kind == PARAM_U32 || entry->kind == PARAM_U64 || entry->kind == PARAM_PS ||
	       entry->kind == PARAM_F64;
}

static bool default_fits(const struct param *entry)
{
	int nr_choices = 0;

	if (entry->required || entry->kind == PARAM_TEXT)
		return true;
	if (entry->kind == PARAM_BOOL)
		return entry->def == 0 || entry->def == 1;
	if (is_number(entry))
		return entry->def >= entry->min && entry->def <= entry->max;
	while (entry->choices[nr_choices])
		nr_choices++;
	return entry->def >= 0 && entry->def < nr_choices;
}

static const char *broken_by(const struct param *table, const struct param *entry)
{
	if (!entry->key[0] || entry->key[strspn(entry->key, "abcdefghijklmnopqrstuvwxyz0123456789_")])
		return "is not written in lower case letters, digits and underscores";
	if (param_find(table, entry->key) != entry)
		return "is there twice";
	if (!entry->unit || !entry->help || !entry->help[0])
		return "has no unit or no help text";
	if (!unit_in_key(entry))
		return "does not end in its unit";
	if (!key_in_unit(entry))
		return "ends in a unit that its entry does not have";
	if (!unit_fits_kind(entry))
		return "has a unit that does not fit its type";
	if (is_number(entry) && !(entry->min <= entry->max))
		return "has an empty range";
	if (entry->kind == PARAM_CHOICE && (!entry->choices || !entry->choices[0]))
		return "has no choices";
	return default_fits(entry) ? NULL : "has a default outside its range";
}

const char *param_rules_broken(const struct param *table, char *out, size_t out_bytes)
{
	for (const struct param *entry = table; entry->key; entry++) {
		const char *broken = broken_by(table, entry);

		if (!broken)
			continue;
		snprintf(out, out_bytes, "'%s' %s", entry->key, broken);
		return out;
	}
	return NULL;
}
