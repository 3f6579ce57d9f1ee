/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/describe.h"

#include "sim/util/arena.h"

#include <string.h>

#define TEXT_BYTES 128
#define LINE_COLUMNS 100

/* Big enough and aligned for one value of any kind. */
union value {
	bool as_bool;
	uint32_t as_u32;
	uint64_t as_u64;
	int64_t as_ps;
	double as_f64;
	const char *as_text;
	int as_choice;
};

/* A bound of the range, spelt as YAML would spell a value of this parameter. */
static char *print_bound(const struct param *entry, double bound, char *out, size_t out_bytes)
{
	struct param alone = *entry;
	union value value = { 0 };

	alone.offset = 0;
	switch (entry->kind) {
	case PARAM_U32:
		value.as_u32 = (uint32_t)bound;
		break;
	case PARAM_U64:
		/* 2^64 as a double is one too many */
		value.as_u64 = bound < 18446744073709551615.0 ? (uint64_t)bound : UINT64_MAX;
		break;
	case PARAM_PS:
		value.as_ps = bound < 9223372036854775807.0 ? (int64_t)bound : INT64_MAX;
		break;
	default:
		value.as_f64 = bound;
		break;
	}
	return param_print(&alone, &value, out, out_bytes);
}

static void print_choices(const struct param *entry, char *out, size_t out_bytes)
{
	size_t used = 0;
	int i;

	out[0] = '\0';
	for (i = 0; entry->choices[i] && used < out_bytes; i++)
		used += (size_t)snprintf(out + used, out_bytes - used, "%s%s", i > 0 ? " | " : "", entry->choices[i]);
}

static void print_range(const struct param *entry, char *out, size_t out_bytes)
{
	char low[TEXT_BYTES];
	char high[TEXT_BYTES];

	switch (entry->kind) {
	case PARAM_BOOL:
		snprintf(out, out_bytes, "true | false");
		break;
	case PARAM_CHOICE:
		print_choices(entry, out, out_bytes);
		break;
	case PARAM_TEXT:
		snprintf(out, out_bytes, entry->path ? "a path" : "a name");
		break;
	default:
		snprintf(out, out_bytes, "%s .. %s", print_bound(entry, entry->min, low, sizeof(low)),
			 print_bound(entry, entry->max, high, sizeof(high)));
		break;
	}
}

void describe_name(FILE *out, enum describe_format format, const char *name, const char *kind, const char *summary)
{
	const bool markdown = format == DESCRIBE_MARKDOWN;

	fprintf(out, markdown ? "### `%s`\n\n%s\n" : "%s (%s)\n", name, kind);
	if (summary)
		fprintf(out, markdown ? "\n%s\n" : "  %s\n", summary);
}

/* In a Markdown table a bar ends the cell. */
static void print_cell(FILE *out, const char *text)
{
	fputs("| ", out);
	for (; *text; text++)
		fprintf(out, *text == '|' ? "\\%c" : "%c", *text);
	fputc(' ', out);
}

static void describe_param(FILE *out, enum describe_format format, const struct param *entry, const void *defaults)
{
	const bool markdown = format == DESCRIBE_MARKDOWN;
	char range[4 * TEXT_BYTES];
	char value[TEXT_BYTES];
	char def[TEXT_BYTES + 8] = "required";

	if (!entry->required)
		snprintf(def, sizeof(def), "%s%s", markdown ? "" : "default ",
			 param_print(entry, defaults, value, sizeof(value)));
	print_range(entry, range, sizeof(range));
	if (!markdown) {
		fprintf(out, "  %-22s %-6s %-18s %s\n  %22s %s\n", entry->key, entry->unit, def, range, "",
			entry->help);
		return;
	}
	fprintf(out, "| `%s` ", entry->key);
	print_cell(out, entry->unit);
	print_cell(out, def);
	print_cell(out, range);
	print_cell(out, entry->help);
	fputs("|\n", out);
}

void describe_params(FILE *out, enum describe_format format, const struct param *table, size_t params_bytes)
{
	struct arena *arena = arena_create();
	void *defaults = arena_alloc(arena, params_bytes > 0 ? params_bytes : 1);
	const struct param *entry;

	param_defaults(table, defaults);
	if (!table->key)
		fputs(format == DESCRIBE_MARKDOWN ? "\nNo parameters.\n" : "  (no parameters)\n", out);
	else if (format == DESCRIBE_MARKDOWN)
		fputs("\n| key | unit | default | range | meaning |\n|---|---|---|---|---|\n", out);
	for (entry = table; entry->key; entry++)
		describe_param(out, format, entry, defaults);
	if (format == DESCRIBE_MARKDOWN)
		fputc('\n', out);
	arena_destroy(arena);
}

void describe_values(FILE *out, const struct param *table, const void *params, int indent)
{
	const struct param *entry;
	int column = 0;

	for (entry = table; entry->key; entry++) {
		char value[TEXT_BYTES];
		int width;

		param_print(entry, params, value, sizeof(value));
		width = (int)(strlen(entry->key) + 1 + strlen(value));
		if (column > 0 && column + 3 + width > LINE_COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		column += fprintf(out, "%*s%s %s", column > 0 ? 3 : indent, "", entry->key, value);
	}
	fputc('\n', out);
}

/* How many of cpus[0..nr) go on with the step between the first two. */
static int progression_length(const int *cpus, int nr)
{
	int length = nr < 2 ? nr : 2;

	while (length < nr && cpus[length] - cpus[length - 1] == cpus[1] - cpus[0])
		length++;
	return length;
}

char *describe_cpus(const int *cpus, int nr, char *out, size_t out_bytes)
{
	size_t used = 0;
	int i = 0;

	out[0] = '\0';
	while (i < nr && used < out_bytes) {
		int length = progression_length(cpus + i, nr - i);
		int step = length > 1 ? cpus[i + 1] - cpus[i] : 0;
		const char *comma = i > 0 ? "," : "";

		if (length < 3 && step != 1)
			length = 1;
		if (length == 1)
			used += (size_t)snprintf(out + used, out_bytes - used, "%s%d", comma, cpus[i]);
		else if (step == 1)
			used += (size_t)snprintf(out + used, out_bytes - used, "%s%d-%d", comma, cpus[i],
						 cpus[i + length - 1]);
		else
			used += (size_t)snprintf(out + used, out_bytes - used, "%s%d-%d:%d", comma, cpus[i],
						 cpus[i + length - 1], step);
		i += length;
	}
	return out;
}
