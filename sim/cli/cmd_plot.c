/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend plot: one figure of a stored result set, into a file or onto the terminal. */
#include "sim/cli/cli.h"
#include "sim/cli/options.h"
#include "sim/cli/output.h"
#include "sim/cli/paths.h"
#include "sim/io/plot.h"
#include "sim/io/results_file.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	KEY_KIND = 0x100,
	KEY_METRIC,
	KEY_MACHINE,
	KEY_VARIANT,
	KEY_LOG,
};

struct arguments {
	const char *results;
	const char *output;
	const char *metric;
	const char *machine;
	const char *variant;
	enum plot_kind kind;
	bool log;
};

static const char *const kind_names[] = {
	[PLOT_THROUGHPUT] = "throughput",
	[PLOT_CHANGE] = "change",
	[PLOT_HEATMAP] = "heatmap",
	NULL,
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write to FILE; its ending says how: .svg, .png, .pdf or .txt", 0 },
	{ "kind", KEY_KIND, "KIND", 0, "throughput, change (in percent) or heatmap (two swept keys)", 0 },
	{ "log", KEY_LOG, NULL, 0, "Values on a logarithmic scale (not of a change)", 0 },
	{ "metric", KEY_METRIC, "METRIC", 0, "Draw this metric (default: throughput)", 0 },
	{ "machine", KEY_MACHINE, "MACHINE", 0, "Draw this machine (default: the first)", 0 },
	{ "variant", KEY_VARIANT, "VARIANT", 0, "The heat map's variant (default: the first beside the baseline)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'o':
		arguments->output = arg;
		return 0;
	case KEY_KIND:
		arguments->kind = (enum plot_kind)options_choice(state, "kind", arg, kind_names);
		return 0;
	case KEY_LOG:
		arguments->log = true;
		return 0;
	case KEY_METRIC:
		arguments->metric = arg;
		return 0;
	case KEY_MACHINE:
		arguments->machine = arg;
		return 0;
	case KEY_VARIANT:
		arguments->variant = arg;
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

/* Fill what is named by the user. -1 when the result set has no such thing. */
static int choose(const struct arguments *arguments, const struct results *results, struct plot_options *plot,
		  struct error *err)
{
	plot->metric = output_find_metric(results, arguments->metric ? arguments->metric : "throughput", err);
	if (plot->metric < 0)
		return -1;
	plot->variant = -1;
	if (arguments->machine) {
		plot->machine = output_find_machine(results, arguments->machine, err);
		if (plot->machine < 0)
			return -1;
	}
	if (arguments->variant) {
		plot->variant = output_find_variant(results, arguments->variant, err);
		if (plot->variant < 0)
			return -1;
	}
	return 0;
}

/* As large as the terminal, with room for the prompt; in colour there unless NO_COLOR is set. */
static void fit_terminal(struct plot_options *plot)
{
	const char *no_color = getenv("NO_COLOR");
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return;
	plot->text_color = !no_color || !no_color[0];
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < 40 || size.ws_row < 12)
		return;
	plot->text_columns = size.ws_col - 1;
	plot->text_rows = size.ws_row < 42 ? size.ws_row - 2 : 40;
}

static int plot(struct arena *arena, const struct arguments *arguments)
{
	struct plot_options plot = { .kind = arguments->kind, .log = arguments->log, .plots_dir = path_of_plots() };
	struct error err;
	const char *directory = path_of_results(arena, arguments->results, &err);
	struct results *results = directory ? results_load(arena, directory, &err) : NULL;
	enum plot_format format;
	int failed;

	if (!results || choose(arguments, results, &plot, &err))
		return cli_fail(STATUS_USAGE, &err);
	if (arguments->output && plot_format_of(arguments->output, &format, &err))
		return cli_fail(STATUS_USAGE, &err);
	plot.published = output_published(arena, results);
	fit_terminal(&plot);
	failed = arguments->output ? plot_draw(results, &plot, arguments->output, &err)
				   : plot_draw_text(results, &plot, stdout, &err);
	return failed ? cli_fail(STATUS_FAILED, &err) : STATUS_FINE;
}

int cmd_plot(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "RESULTS",
		.doc = "Draw a figure of a result set that `contend run` wrote; without -o as text on standard "
		       "output.\v"
		       "Example: contend plot results/demo --kind change -o change.svg",
	};
	struct arguments arguments = { 0 };
	struct arena *arena;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	arena = arena_create();
	status = plot(arena, &arguments);
	arena_destroy(arena);
	return status;
}
