/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/options.h"

#include "models/config.h"
#include "sim/cli/workers.h"
#include "sim/io/bind.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_SET = 0x100,
	KEY_ENGINE,
	KEY_OVERLAY,
	KEY_NO_PLOTS,
	KEY_WHY,
};

const char *const engine_names[] = { [ENGINE_FAST] = "fast", [ENGINE_SIMGRID] = "simgrid", NULL };

static const struct argp_option simulation_options[] = {
	{ "jobs", 'j', "N", 0, "Runs at a time, each in a process of its own (default: the CPUs online)", 0 },
	{ "set", KEY_SET, "KEY=VALUE", 0,
	  "Override any value, e.g. machine.transfer.socket_ns=140; a swept key keeps this one value", 0 },
	{ "overlay", KEY_OVERLAY, "FILE", 0,
	  "Override the values that a YAML file gives, as `contend fit -o` writes it", 0 },
	{ "engine", KEY_ENGINE, "NAME", 0, "fast (the default), or simgrid: the same bytes, some ten times slower", 0 },
	{ "quiet", 'q', NULL, 0, "No progress line", 0 },
	{ 0 },
};

static const struct argp_option output_options[] = {
	{ "output", 'o', "DIR", 0, "Write results to DIR/NAME (`run` of one experiment: to DIR itself)", 0 },
	{ 0 },
};

static const struct argp_option show_options[] = {
	{ "format", 'f', "FORMAT", 0,
	  "The printed table: text, cover-letter, mmtests, delta, fastpath, markdown, csv or json", 0 },
	{ "why", KEY_WHY, NULL, 0, "Add what explains it: failures, transactions by distance, waiting, fairness", 0 },
	{ "no-plots", KEY_NO_PLOTS, NULL, 0, "Draw no figures", 0 },
	{ 0 },
};

void options_append(struct arena *arena, const char ***list, int *nr, const char *text)
{
	const char **longer = arena_calloc(arena, (size_t)*nr + 1, sizeof(*longer));

	if (*nr > 0)
		memcpy(longer, *list, (size_t)*nr * sizeof(*longer));
	longer[*nr] = text;
	*list = longer;
	(*nr)++;
}

int options_number(struct argp_state *state, const char *option, const char *text, int low, int high)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || end == text || *end || value < low || value > high)
		argp_error(state, "%s needs a whole number from %d to %d, not '%s'", option, low, high, text);
	return (int)value;
}

int options_choice(struct argp_state *state, const char *what, const char *text, const char *const *names)
{
	char unknown[32];
	struct error err;
	int i;

	for (i = 0; names[i]; i++) {
		if (strcmp(names[i], text) == 0)
			return i;
	}
	snprintf(unknown, sizeof(unknown), "unknown %s", what);
	bind_unknown((struct source_pos){ 0 }, unknown, text, names, &err);
	argp_error(state, "%s", err.text);
	return -1;
}

static error_t parse_simulation(int key, char *arg, struct argp_state *state)
{
	struct run_options *run = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		run->nr_workers = workers_default_nr();
		return 0;
	case 'j':
		run->nr_workers = options_number(state, "-j", arg, 1, WORKERS_MAX);
		return 0;
	case 'q':
		run->quiet = true;
		return 0;
	case KEY_SET:
		options_append(run->arena, &run->sets, &run->nr_sets, arg);
		return 0;
	case KEY_OVERLAY:
		options_append(run->arena, &run->sets, &run->nr_sets,
			       arena_printf(run->arena, "%c%s", CONFIG_OVERLAY_MARK, arg));
		return 0;
	case KEY_ENGINE:
		run->engine = (enum engine_kind)options_choice(state, "engine", arg, engine_names);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	struct run_options *run = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = run;
		return 0;
	case 'o':
		run->directory = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_show(int key, char *arg, struct argp_state *state)
{
	struct show_options *show = state->input;
	struct error err;

	switch (key) {
	case 'f':
		if (table_format_parse(arg, &show->format, &err))
			argp_error(state, "%s", err.text);
		return 0;
	case KEY_WHY:
		show->why = true;
		return 0;
	case KEY_NO_PLOTS:
		show->no_plots = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp simulation_options_argp = { .options = simulation_options, .parser = parse_simulation };

static const struct argp_child output_children[] = { { &simulation_options_argp, 0, NULL, 0 }, { 0 } };

const struct argp run_options_argp = {
	.options = output_options,
	.parser = parse_output,
	.children = output_children,
};

const struct argp show_options_argp = { .options = show_options, .parser = parse_show };
