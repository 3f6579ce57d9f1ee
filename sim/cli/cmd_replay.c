/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend replay: what a recorded trace would have met on another machine, under other policies. */
#include "sim/cli/cli.h"
#include "sim/cli/replay_experiment.h"
#include "sim/cli/run_experiments.h"

#include "models/hardware/machine.h"

#include <string.h>

enum {
	KEY_MACHINE = 0x300,
	KEY_VARIANT,
	KEY_COPIES,
	KEY_ZONEINFO,
	KEY_PACE,
};

struct arguments {
	struct run_request run;
	struct replay_request replay;
};

static const struct argp_option options[] = {
	{ "machine", KEY_MACHINE, "M", 0, "The machine, by name or path", 0 },
	{ "variant", KEY_VARIANT, "FILE|NAME={...}", 0,
	  "Policies and values: a YAML file, or a name and what such a file would say, e.g. 'v6.7={pcp_high: v6.7}' "
	  "(repeatable; the first is what the others are held against)",
	  0 },
	{ "copies", KEY_COPIES, "N", 0, "So many such loads side by side (default: 1)", 0 },
	{ "zoneinfo", KEY_ZONEINFO, "FILE", 0, "/proc/zoneinfo from just before the recording", 0 },
	{ "pace", KEY_PACE, "PACE", 0,
	  "gaps (default: the recorded time between two events is work), recorded (no event before its time) or none",
	  0 },
	{ 0 },
};

static const struct argp_child children[] = { { &run_request_argp, 0, NULL, 0 }, { 0 } };

static void check_arguments(const struct arguments *arguments, struct argp_state *state)
{
	if (!arguments->replay.trace)
		argp_error(state, "name a trace: `contend trace record` makes one");
	else if (!strcmp(arguments->replay.trace, "-"))
		argp_error(state, "a trace is read once for every run: import it first");
	else if (!arguments->replay.machine)
		argp_error(state, "say with --machine where; `contend list machines` shows what there is");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;
	struct replay_request *replay = &arguments->replay;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->run;
		return 0;
	case KEY_MACHINE:
		replay->machine = arg;
		return 0;
	case KEY_VARIANT:
		options_append(replay->arena, &replay->variants, &replay->nr_variants, arg);
		return 0;
	case KEY_COPIES:
		replay->copies = options_number(state, "--copies", arg, 1, MACHINE_MAX_CPUS);
		return 0;
	case KEY_ZONEINFO:
		replay->zoneinfo = arg;
		return 0;
	case KEY_PACE:
		replay->pace = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (replay->trace)
			argp_error(state, "one trace at a time; '%s' is one too many", arg);
		replay->trace = arg;
		return 0;
	case ARGP_KEY_END:
		check_arguments(arguments, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int replay(struct arguments *arguments)
{
	const struct experiment *experiment;
	struct error err;

	arguments->replay.sets = arguments->run.run.sets;
	arguments->replay.nr_sets = arguments->run.run.nr_sets;
	experiment = replay_experiment(&arguments->replay, &err);
	if (!experiment)
		return cli_fail(STATUS_USAGE, &err);
	return run_experiments(&arguments->run, &experiment, 1);
}

int cmd_replay(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "TRACE",
		.doc = "Replay a recorded trace on a machine, under one variant or several: the experiment that this "
		       "would be, "
		       "run, shown and written as `contend run` does it, into results/NAME-replay.\v"
		       "Example: contend replay build.ctr --machine epyc-9965-2s --copies 158 "
		       "--variant 'bulk={pcp_free: bulk}' --variant 'batched={pcp_free: batched}'",
		.children = children,
	};
	struct arguments arguments = { .replay = { .pace = "gaps", .copies = 1 } };
	struct arena *arena = arena_create();
	int status;

	arguments.run.arena = arguments.run.run.arena = arguments.replay.arena = arena;
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	status = replay(&arguments);
	arena_destroy(arena);
	return status;
}
