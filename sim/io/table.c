/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables: checks what is asked for and hands each block to its format. */
#include "sim/io/table.h"

#include "sim/io/table_parts.h"

#include <errno.h>
#include <string.h>

/* clang-format off */
static const char *const format_names[] = {
	[TABLE_TEXT] = "text",
	[TABLE_COVER_LETTER] = "cover-letter",
	[TABLE_MMTESTS] = "mmtests",
	[TABLE_DELTA] = "delta",
	[TABLE_FASTPATH] = "fastpath",
	[TABLE_MARKDOWN] = "markdown",
	[TABLE_CSV] = "csv",
	[TABLE_JSON] = "json",
};
/* clang-format on */
#define NR_FORMATS (sizeof(format_names) / sizeof(format_names[0]))

int table_format_parse(const char *name, enum table_format *out, struct error *err)
{
	for (size_t i = 0; i < NR_FORMATS; i++) {
		if (strcmp(name, format_names[i]) == 0) {
			*out = (enum table_format)i;
			return 0;
		}
	}
	error_plain(err, "unknown format '%s'; known are", name);
	for (size_t i = 0; i < NR_FORMATS; i++)
		error_append(err, "%s %s", i ? "," : "", format_names[i]);
	return -1;
}

static void write_block(const struct table_view *view, enum table_format format, FILE *out)
{
	switch (format) {
	case TABLE_COVER_LETTER:
		table_cover_letter(view, out);
		break;
	case TABLE_MMTESTS:
		table_mmtests(view, out);
		break;
	case TABLE_MARKDOWN:
		table_text(view, GRID_MARKDOWN, out);
		break;
	default:
		table_text(view, GRID_SPACED, out);
	}
}

/* For people: a block per metric and machine, a blank line between them. The reasons follow the first metric. */
static void write_blocks(const struct results *results, const struct table_options *options, FILE *out)
{
	struct arena *arena = arena_create();

	for (int i = 0; i < options->nr_metrics; i++) {
		for (int machine = 0; machine < results->nr_machines; machine++) {
			const struct table_view view = {
				.arena = arena,
				.results = results,
				.machine = machine,
				.metric = options->metrics[i],
				.why = options->why && i == 0,
			};

			if (i || machine)
				fputc('\n', out);
			write_block(&view, options->format, out);
		}
	}
	arena_destroy(arena);
}

static int check(const struct results *results, const struct table_options *options, struct error *err)
{
	if (options->baseline < -1 || options->baseline >= results->nr_variants)
		return error_plain(err, "no variant of number %d to compare with; there are %d", options->baseline,
				   results->nr_variants);
	for (int i = 0; i < options->nr_metrics; i++) {
		if (options->metrics[i].index < 0 || options->metrics[i].index >= results->nr_metrics)
			return error_plain(err, "no metric 'throughput' in these results");
	}
	return 0;
}

static int default_metrics(const struct results *results, enum table_format format,
			   struct table_metric metrics[TABLE_MAX_TIMES])
{
	int nr = format == TABLE_DELTA || format == TABLE_FASTPATH ? table_times(results, metrics) : 0;

	if (nr)
		return nr;
	metrics[0] = (struct table_metric){ .index = results_find_metric(results, "throughput") };
	return 1;
}

int table_write(FILE *out, const struct results *results, const struct table_options *options, struct error *err)
{
	struct table_metric defaults[TABLE_MAX_TIMES];
	struct table_options chosen = *options;
	struct results view = *results;

	if (!options->nr_metrics) {
		chosen.metrics = defaults;
		chosen.nr_metrics = default_metrics(results, options->format, defaults);
	}
	if (check(results, &chosen, err) != 0)
		return -1;
	if (options->baseline >= 0)
		view.baseline = options->baseline;
	if (options->format == TABLE_DELTA)
		table_delta(&view, &chosen, out);
	else if (options->format == TABLE_FASTPATH)
		table_fastpath(&view, options, out);
	else if (options->format == TABLE_CSV)
		table_csv(&view, &chosen, out);
	else if (options->format == TABLE_JSON)
		table_json(&view, &chosen, out);
	else
		write_blocks(&view, &chosen, out);
	errno = 0;
	if (fflush(out) != 0 || ferror(out))
		return error_plain(err, "cannot write the table: %s", errno ? strerror(errno) : "a write failed");
	return 0;
}
