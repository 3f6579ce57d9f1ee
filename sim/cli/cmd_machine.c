/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend machine show|check: a machine file as a drawing, and what is odd about it. */
#include "models/config.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_text.h"
#include "sim/cli/options.h"
#include "sim/cli/paths.h"

#include <argp.h>

enum action {
	ACTION_SHOW,
	ACTION_CHECK,
};

static const char *const action_names[] = { [ACTION_SHOW] = "show", [ACTION_CHECK] = "check", NULL };

struct arguments {
	enum action action;
	const char *file;
};

static void warn_of_oddity(void *context, const char *text)
{
	cli_warn("%s: %s", (const char *)context, text);
}

static int machine_load(struct arena *arena, const char *text, struct machine_config *config, struct error *err)
{
	const char *path = config_find(arena, CONFIG_MACHINE, text, (struct source_pos){ 0 }, err);
	struct yaml_node *tree = path ? machine_tree_load(arena, path, err) : NULL;

	if (!tree || machine_config_bind(arena, tree, path_base_name(arena, path), config, err))
		return -1;
	return machine_config_check(config, err);
}

static int show_or_check(const struct arguments *arguments)
{
	struct arena *arena = arena_create();
	struct machine_config config = { 0 };
	struct error err;
	int failed = machine_load(arena, arguments->file, &config, &err);

	if (failed) {
		cli_print_error(&err);
	} else if (arguments->action == ACTION_SHOW) {
		machine_text_draw(stdout, arena, &config);
	} else {
		int nr = machine_text_oddities(&config, warn_of_oddity, arena_strdup(arena, arguments->file));

		printf("%s: ok (machine, %d warning%s)\n", arguments->file, nr, nr == 1 ? "" : "s");
	}
	arena_destroy(arena);
	return failed ? STATUS_USAGE : STATUS_FINE;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num == 0)
			arguments->action = (enum action)options_choice(state, "action", arg, action_names);
		else if (state->arg_num == 1)
			arguments->file = arg;
		else
			argp_error(state, "one machine at a time; '%s' is one too many", arg);
		return 0;
	case ARGP_KEY_END:
		if (!arguments->file)
			argp_error(state, "say show or check, and then a machine's name or file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_machine(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "show|check MACHINE",
		.doc = "show: draw a machine's sockets, nodes, L3 clusters and CPU numbers with its latencies and "
		       "sizes. check: read its file and warn of values that are hardly meant. MACHINE is a file or one "
		       "of `contend list machines`.\v"
		       "Example: contend machine show epyc-9654-2s",
	};
	struct arguments arguments = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	return show_or_check(&arguments);
}
