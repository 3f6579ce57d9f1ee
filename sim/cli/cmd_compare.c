/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend compare: the table of a stored result set, against any of its variants, in any format. */
#include "sim/cli/cli.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/paths.h"
#include "sim/io/results_file.h"

enum {
	KEY_BASELINE = 0x100,
	KEY_METRIC,
	KEY_WHY,
};

struct arguments {
	struct arena *arena;
	const char *results;
	const char *baseline;
	const char **metrics;
	int nr_metrics;
	enum table_format format;
	bool why;
	const char *output;
};

static const struct argp_option options[] = {
	{ "baseline", KEY_BASELINE, "VARIANT", 0, "Compare with this variant (default: the experiment's baseline)", 0 },
	{ "format", 'f', "FORMAT", 0,
	  "text, cover-letter, mmtests, delta, fastpath, markdown, csv or json (default: text)", 0 },
	{ "metric", KEY_METRIC, "METRIC", 0, "Show this metric; may be repeated (default: throughput)", 0 },
	{ "why", KEY_WHY, NULL, 0, "Add what explains it: failures, transactions by distance, waiting, fairness", 0 },
	{ "output", 'o', "FILE", 0, "Write to FILE instead of standard output", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct error err;

	switch (key) {
	case KEY_BASELINE:
		arguments->baseline = arg;
		return 0;
	case 'f':
		if (table_format_parse(arg, &arguments->format, &err))
			argp_error(state, "%s", err.text);
		return 0;
	case KEY_METRIC:
		options_append(arguments->arena, &arguments->metrics, &arguments->nr_metrics, arg);
		return 0;
	case KEY_WHY:
		arguments->why = true;
		return 0;
	case 'o':
		arguments->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (arguments->results)
			argp_error(state, "one result set at a time; '%s' is one too many", arg);
		arguments->results = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name the directory of the results, e.g. results/demo");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int compare(const struct arguments *arguments)
{
	struct table_options table = { .format = arguments->format, .baseline = -1, .why = arguments->why };
	struct table_metric *metrics =
		arena_calloc(arguments->arena, (size_t)arguments->nr_metrics + 1, sizeof(*metrics));
	struct error err;
	const char *directory = path_of_results(arguments->arena, arguments->results, &err);
	struct results *results = directory ? results_load(arguments->arena, directory, &err) : NULL;
	int i;

	if (!results)
		return cli_fail(STATUS_USAGE, &err);
	if (arguments->baseline) {
		table.baseline = output_find_variant(results, arguments->baseline, &err);
		if (table.baseline < 0)
			return cli_fail(STATUS_USAGE, &err);
	}
	for (i = 0; i < arguments->nr_metrics; i++) {
		int index = output_find_metric(results, arguments->metrics[i], &err);

		if (index < 0)
			return cli_fail(STATUS_USAGE, &err);
		metrics[i] = output_table_metric(results, index);
	}
	table.metrics = metrics;
	table.nr_metrics = arguments->nr_metrics;
	if (output_table(results, &table, arguments->output, &err))
		return cli_fail(STATUS_FAILED, &err);
	return STATUS_FINE;
}

int cmd_compare(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "RESULTS",
		.doc = "Print the table of a result set that `contend run` wrote: each variant against the baseline, "
		       "with 95 % intervals, and the rows where it loses.\v"
		       "Example: contend compare results/refcount-epyc --format cover-letter",
	};
	struct arguments arguments = { .arena = arena_create() };
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	status = compare(&arguments);
	arena_destroy(arguments.arena);
	return status;
}
