/* SPDX-License-Identifier: GPL-3.0-or-later */
/* contend check: read files, resolve every point, run nothing. */
#include "models/config.h"
#include "sim/cli/cli.h"
#include "sim/cli/paths.h"
#include "sim/stats/replications.h"

#include <argp.h>

struct arguments {
	int status;
	int nr_files;
};

static void print_experiment(const char *path, const struct experiment *experiment, const struct results *results)
{
	int nr_points = experiment_nr_points(experiment);
	int nr_cells = experiment->nr_machines * experiment->nr_variants * nr_points;
	int least = replications_least(results);

	printf("%s: ok (experiment, ", path);
	if (experiment->nr_machines > 1)
		printf("%d machines x ", experiment->nr_machines);
	printf("%d variant%s x %d point%s x ", experiment->nr_variants, experiment->nr_variants == 1 ? "" : "s",
	       nr_points, nr_points == 1 ? "" : "s");
	if (results->until_ppm)
		printf("%d to %d replications = %d to %d runs)\n", least, results->nr_replications, nr_cells * least,
		       nr_cells * results->nr_replications);
	else
		printf("%d replication%s = %d runs)\n", least, least == 1 ? "" : "s", nr_cells * least);
}

static int check_experiment(struct arena *arena, const char *path, struct error *err)
{
	struct experiment *experiment = experiment_load(arena, path, NULL, 0, err);
	struct results *results = experiment ? experiment_results(experiment, arena, err) : NULL;

	if (!results)
		return -1;
	print_experiment(path, experiment, results);
	return 0;
}

static int check_machine(struct arena *arena, const char *path, struct error *err)
{
	struct yaml_node *tree = machine_tree_load(arena, path, err);
	struct machine_config config;
	struct machine *machine;

	if (!tree || machine_config_bind(arena, tree, path_base_name(arena, path), &config, err) ||
	    machine_config_check(&config, err))
		return -1;
	machine = machine_create(arena, &config);
	printf("%s: ok (machine, %d CPUs, %d cores, %d clusters, %d nodes)\n", path, machine_nr_cpus(machine),
	       machine_nr_cores(machine), machine_nr_clusters(machine), machine_nr_nodes(machine));
	return 0;
}

/* An experiment's name, a machine's name, or a file. */
static const char *path_of_either(struct arena *arena, const char *text, struct error *err)
{
	struct error of_machine;
	const char *path = config_find(arena, CONFIG_EXPERIMENT, text, (struct source_pos){ 0 }, err);

	return path ? path : config_find(arena, CONFIG_MACHINE, text, (struct source_pos){ 0 }, &of_machine);
}

/* A file with a misspelt `workload` shall hear about that, not that it is no machine. */
static bool is_machine(const struct yaml_node *tree)
{
	return !config_is_experiment(tree) && (yaml_get(tree, "topology") || yaml_get(tree, "extends"));
}

static int check_file(const char *text)
{
	struct arena *arena = arena_create();
	struct error err;
	const char *path = path_of_either(arena, text, &err);
	struct yaml_node *tree = path ? yaml_load(arena, path, &err) : NULL;
	int failed = -1;

	if (tree)
		failed = is_machine(tree) ? check_machine(arena, path, &err) : check_experiment(arena, path, &err);
	if (failed)
		cli_print_error(&err);
	arena_destroy(arena);
	return failed ? STATUS_USAGE : STATUS_FINE;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		arguments->nr_files++;
		if (check_file(arg))
			arguments->status = STATUS_USAGE;
		return 0;
	case ARGP_KEY_END:
		if (arguments->nr_files == 0)
			argp_error(state, "name at least one file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_check(int argc, char **argv)
{
	static const struct argp argp = {
		.parser = parse,
		.args_doc = "FILE...",
		.doc = "Read experiment and machine files, resolve every machine, variant and point, and say what is "
		       "wrong. Runs and writes nothing.\v"
		       "Example: contend check configs/experiments/refcount-epyc.yaml",
	};
	struct arguments arguments = { 0 };

	argp_parse(&argp, argc, argv, 0, NULL, &arguments);
	return arguments.status;
}
