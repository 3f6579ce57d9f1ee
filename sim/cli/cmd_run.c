/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend run: simulate experiments, write their results, print their tables. */
#include "sim/cli/cli.h"
#include "sim/cli/run_experiments.h"

struct arguments {
	struct run_request request;
	const char **names;
	int nr_names;
};

static const struct argp_child children[] = { { &run_request_argp, 0, NULL, 0 }, { 0 } };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &arguments->request;
		return 0;
	case ARGP_KEY_ARG:
		options_append(arguments->request.arena, &arguments->names, &arguments->nr_names, arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "name an experiment or its file; `contend list experiments` shows what there is");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct experiment *load(const struct run_request *request, const char *name, struct error *err)
{
	const char *path = config_find(request->arena, CONFIG_EXPERIMENT, name, (struct source_pos){ 0 }, err);

	return path ? experiment_load(request->arena, path, request->run.sets, request->run.nr_sets, err) : NULL;
}

static int run(struct arguments *arguments)
{
	struct run_request *request = &arguments->request;
	const struct experiment **experiments =
		arena_calloc(request->arena, (size_t)arguments->nr_names, sizeof(struct experiment *));
	struct error err;

	for (int i = 0; i < arguments->nr_names; i++) {
		experiments[i] = load(request, arguments->names[i], &err);
		if (!experiments[i])
			return cli_fail(STATUS_USAGE, &err);
	}
	return run_experiments(request, experiments, arguments->nr_names);
}

int cmd_run(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "EXPERIMENT...",
		.doc = "Simulate every machine, variant, point and replication of experiments; print a table; write "
		       "samples.csv, summary.csv, result.json, table.txt and figures into results/NAME. EXPERIMENT is "
		       "a file or one of `contend list experiments`.\v"
		       "Example: contend run demo --set machine.transfer.remote_ns=100 -o half",
		.children = children,
	};
	struct arguments arguments = { .request.arena = arena_create() };
	int status;

	arguments.request.run.arena = arguments.request.arena;
	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	status = run(&arguments);
	arena_destroy(arguments.request.arena);
	return status;
}
