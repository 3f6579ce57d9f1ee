/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One (machine, variant, point) of an experiment: its tree, and the tree
 * bound to a run configuration.
 */
#include "models/config_parts.h"

#include "models/kernel/kernel.h"
#include "models/workloads/workload.h"
#include "sim/io/bind.h"

/* clang-format off */
static const struct param cpu_entry = {
	.key = "placement", .unit = "", .kind = PARAM_U32, .max = MACHINE_MAX_CPUS - 1, .help = "a CPU number",
};
/* clang-format on */

static const char *const name_keys[] = { "name", NULL };

int experiment_nr_points(const struct experiment *experiment)
{
	int nr = 1;

	for (int i = 0; i < experiment->nr_axes; i++)
		nr *= experiment->axes[i].nr_values;
	return nr;
}

struct yaml_node *config_point_tree(const struct experiment *experiment, struct arena *arena, struct config_at at,
				    const struct yaml_node *extra)
{
	struct yaml_node *tree = yaml_copy(arena, experiment->tree);

	config_append(tree, "machine", yaml_copy(arena, experiment->machine_trees[at.machine]));
	tree = config_named_points(experiment, arena, at.point, tree);
	tree = config_overlay(arena, tree, experiment->variant_trees[at.variant]);
	tree = config_overlay_fitting(arena, tree, config_sweep_tree(experiment, arena, at.point));
	if (experiment->sets)
		tree = config_overlay_fitting(arena, tree, experiment->sets);
	if (extra) {
		struct yaml_node *over = yaml_copy(arena, extra);

		config_normalise(arena, over);
		tree = config_overlay_fitting(arena, tree, over);
	}
	return tree;
}

/* The name in a plug-in's mapping; `what` is its key. */
static const struct yaml_node *bind_name(const struct yaml_node *plugin, const char *what, struct error *err)
{
	const struct yaml_node *name = yaml_get(plugin, "name");

	if (bind_expect(plugin, YAML_MAPPING, what, err))
		return NULL;
	if (!name) {
		error_set(err, plugin->pos, "missing key 'name' in %s", what);
		return NULL;
	}
	return bind_expect(name, YAML_SCALAR, "name", err) ? NULL : name;
}

/* What a policy itself says of its parameters, at the one that it blames. */
static int check_policy(const struct policy_choice *choice, const struct yaml_node *node, struct error *err)
{
	const char *key = "name";
	const struct yaml_node *blamed;

	if (!choice->policy->check || !choice->policy->check(choice->params, &key, err))
		return 0;
	blamed = yaml_get(node, key);
	return error_at(err, blamed ? blamed->pos : node->pos);
}

static int bind_policy(struct arena *arena, const struct yaml_node *node, enum policy_axis axis,
		       struct policy_choice *out, struct error *err)
{
	const char *key = policy_axis_keys[axis];
	const struct yaml_node *name = bind_name(node, key, err);
	void *params;

	if (!name)
		return -1;
	out->policy = registry_policy(axis, name->text);
	if (!out->policy)
		return bind_unknown(name->pos, arena_printf(arena, "unknown %s policy", key), name->text,
				    registry_policy_names(axis), err);
	params = arena_alloc(arena, out->policy->params_size);
	out->params = params;
	if (bind_params(arena, node, out->policy->params, name_keys, arena_printf(arena, "%s '%s'", key, name->text),
			params, err))
		return -1;
	return check_policy(out, node, err);
}

static int bind_policies(struct arena *arena, const struct yaml_node *tree, struct run_config *out, struct error *err)
{
	for (int axis = 0; axis < NR_POLICY_AXES; axis++) {
		const struct yaml_node *node = yaml_get(tree, policy_axis_keys[axis]);

		if (bind_policy(arena, node, (enum policy_axis)axis, &out->policies[axis], err))
			return -1;
	}
	return 0;
}

static int bind_workload(struct arena *arena, const struct yaml_node *tree, struct run_config *out, struct error *err)
{
	const struct yaml_node *node = yaml_get(tree, "workload");
	const struct yaml_node *name;
	void *params;

	if (!node)
		return error_set(err, tree->pos, "missing key 'workload'");
	name = bind_name(node, "workload", err);
	if (!name)
		return -1;
	out->workload = registry_workload(name->text);
	if (!out->workload)
		return bind_unknown(name->pos, "unknown workload", name->text, registry_workload_names(), err);
	params = arena_alloc(arena, out->workload->params_size);
	out->workload_params = params;
	if (bind_params(arena, node, out->workload->params, name_keys, arena_printf(arena, "workload '%s'", name->text),
			params, err))
		return -1;
	if (out->workload->check && out->workload->check(params, err))
		return error_at(err, node->pos);
	return 0;
}

static int place_by_list(struct arena *arena, const struct yaml_node *list, const struct machine *machine, int *cpus,
			 struct error *err)
{
	uint32_t nr_cpus = (uint32_t)machine_nr_cpus(machine);
	bool *taken = arena_calloc(arena, nr_cpus, sizeof(*taken));

	if (!list->nr_children)
		return error_set(err, list->pos, "placement is an empty list");
	for (const struct yaml_node *item = list->children; item; item = item->next) {
		uint32_t cpu;

		if (bind_expect(item, YAML_SCALAR, "a CPU number", err) ||
		    bind_scalar(arena, item, &cpu_entry, &cpu, err))
			return -1;
		if (cpu >= nr_cpus)
			return error_set(err, item->pos, "CPU %u is out of range: machine '%s' has CPUs 0 to %u", cpu,
					 machine_config_of(machine)->name, nr_cpus - 1);
		if (taken[cpu])
			return error_set(err, item->pos, "CPU %u is in the placement twice", cpu);
		taken[cpu] = true;
		*cpus++ = (int)cpu;
	}
	return 0;
}

/* cpus has room for every CPU of the machine. How many are placed, or -1. */
static int place_all(struct arena *arena, const struct yaml_node *placement, const struct machine *machine, int *cpus,
		     struct error *err)
{
	int choice = PLACEMENT_CORES_FIRST;

	if (placement && placement->kind == YAML_SEQUENCE)
		return place_by_list(arena, placement, machine, cpus, err) ? -1 : placement->nr_children;
	if (placement && (bind_expect(placement, YAML_SCALAR, "placement", err) ||
			  bind_scalar(arena, placement, &placement_entry, &choice, err)))
		return -1;
	machine_placement(machine, (enum placement)choice, cpus, machine_nr_cpus(machine));
	return machine_nr_cpus(machine);
}

/* Workers onto CPUs, and the checks that need both the machine and the point. */
static int bind_placement(struct arena *arena, const struct yaml_node *tree, const struct machine *machine,
			  struct run_config *out, struct error *err)
{
	const struct yaml_node *threads = yaml_get(tree, "threads");
	const struct yaml_node *placement = yaml_get(tree, "placement");
	const struct yaml_node *page_node = yaml_get(tree, "page_node");
	const char *name = out->machine.name;
	int nr_cpus = machine_nr_cpus(machine);
	int nr_placed;

	out->cpus = arena_calloc(arena, (size_t)nr_cpus, sizeof(*out->cpus));
	nr_placed = place_all(arena, placement, machine, out->cpus, err);
	if (nr_placed < 0)
		return -1;
	if (!out->nr_threads)
		out->nr_threads = nr_placed;
	if (out->workload->scheduled && placement)
		return error_set(err, placement->pos,
				 "placement has no meaning: the scheduler places the tasks of '%s'",
				 out->workload->name);
	if (!out->workload->scheduled && out->nr_threads > nr_cpus)
		return error_set(err, threads->pos, "%d threads, but machine '%s' has %d CPUs", out->nr_threads, name,
				 nr_cpus);
	if (!out->workload->scheduled && out->nr_threads > nr_placed)
		return error_set(err, threads->pos, "%d threads, but placement lists %d CPUs", out->nr_threads,
				 nr_placed);
	if ((int)out->page_node >= machine_nr_nodes(machine))
		return error_set(err, page_node->pos, "node %u is out of range: machine '%s' has nodes 0 to %d",
				 out->page_node, name, machine_nr_nodes(machine) - 1);
	return 0;
}

/* A workload that allocates needs memory: blames the size where there is one, else the machine. */
static int check_memory(const struct yaml_node *tree, const struct run_config *out, struct error *err)
{
	const struct yaml_node *machine = yaml_get(tree, "machine");
	const struct yaml_node *memory = yaml_get(machine, "memory");
	const struct yaml_node *per_node = memory ? yaml_get(memory, "per_node") : NULL;

	if (!out->workload->allocates || !page_alloc_check_machine(&out->machine, err))
		return 0;
	error_append(err, "; workload '%s' allocates", out->workload->name);
	return error_at(err, per_node ? per_node->pos : machine->pos);
}

static int bind_top(struct arena *arena, const struct yaml_node *tree, struct run_config *out, struct error *err)
{
	struct point_params params;

	if (bind_params(arena, tree, point_params_table, config_point_keys(arena), "experiment", &params, err))
		return -1;
	out->nr_threads = (int)params.threads;
	out->page_node = params.page_node;
	return 0;
}

/* `replications: {min: 5, max: 50, until: 1%}`. */
static int bind_adaptive(struct arena *arena, const struct yaml_node *node, struct run_length *out, struct error *err)
{
	if (bind_params(arena, node, run_replication_params, NULL, "replications", out, err))
		return -1;
	if (out->min_replications > out->replications)
		return error_set(err, node->pos, "replications: min %u is above max %u", out->min_replications,
				 out->replications);
	return 0;
}

static int bind_run(struct arena *arena, const struct yaml_node *tree, struct run_config *out, struct error *err)
{
	const struct yaml_node *run = yaml_get(tree, "run");
	const struct yaml_node *replications = yaml_get(run, "replications");
	struct yaml_node *scalars;

	if (run && bind_expect(run, YAML_MAPPING, "run", err))
		return -1;
	if (!replications || replications->kind != YAML_MAPPING)
		return bind_params(arena, run, run_length_params, NULL, "run", &out->length, err);
	scalars = yaml_copy(arena, run);
	yaml_take(scalars, "replications");
	if (bind_params(arena, scalars, run_length_params, NULL, "run", &out->length, err))
		return -1;
	return bind_adaptive(arena, replications, &out->length, err);
}

/* The keys of `kernel` are its sections. */
static int bind_kernel(struct arena *arena, const struct yaml_node *tree, struct run_config *out, struct error *err)
{
	static const struct param no_params[] = { PARAM_END };
	static const struct config_sections sections = { .sections = kernel_sections, .whole = "kernel" };
	const struct yaml_node *kernel = yaml_get(tree, "kernel");

	if (!kernel)
		kernel = config_mapping(arena, tree->pos);
	if (bind_expect(kernel, YAML_MAPPING, "kernel", err) ||
	    bind_params(arena, kernel, no_params, config_section_names(arena, kernel_sections), "kernel", NULL, err))
		return -1;
	return config_bind_sections(arena, kernel, &sections, &out->kernel, err);
}

int config_bind_point(struct arena *arena, const struct yaml_node *tree, const char *machine_name,
		      struct run_config *out, struct error *err)
{
	struct arena *scratch;
	int failed;

	*out = (struct run_config){ 0 };
	if (bind_top(arena, tree, out, err) || bind_workload(arena, tree, out, err) ||
	    bind_policies(arena, tree, out, err) || bind_run(arena, tree, out, err) ||
	    bind_kernel(arena, tree, out, err) ||
	    machine_config_bind(arena, yaml_get(tree, "machine"), machine_name, &out->machine, err) ||
	    check_memory(tree, out, err))
		return -1;
	scratch = arena_create(); /* the machine's tables are looked up here only */
	failed = bind_placement(arena, tree, machine_create(scratch, &out->machine), out, err);
	arena_destroy(scratch);
	return failed;
}

int experiment_resolve(const struct experiment *experiment, struct arena *arena, int machine, int variant, int point,
		       const struct yaml_node *extra, struct run_config *out, struct error *err)
{
	struct config_at at = { .machine = machine, .variant = variant, .point = point };

	return config_bind_point(arena, config_point_tree(experiment, arena, at, extra),
				 experiment->machine_names[machine], out, err);
}
