/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From YAML trees to run configurations. The one file in models/ that knows
 * YAML nodes.
 *
 * Everything that changes a value is an overlay on one tree: `extends` of a
 * machine file, a variant, a swept value and --set. A point's tree is
 *
 *	experiment (machine file read in under `machine`) < variant < sweep values < --set
 *
 * with --set strongest. A machine file may be overlaid in the experiment too:
 * `machine: {extends: ../machines/a.yaml, transfer: {socket_ns: 50}}`.
 */
#ifndef CONTEND_MODELS_CONFIG_H
#define CONTEND_MODELS_CONFIG_H

#include "models/run.h"
#include "sim/io/yaml.h"
#include "sim/stats/results.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"

/* A parameter nobody measured: its plausible range; `reproduce` shows the answer as the band over it. */
struct prior {
	const char *key; /* dotted path, as for --set */
	const char *low, *high; /* as written */
};

/* A loaded experiment. Members are read-only to callers. */
struct experiment {
	struct arena *arena;
	const char *path;
	const char *name; /* file name without .yaml */
	const char *title;
	struct yaml_node *tree; /* machine(s), workload, policies, threads, placement, page_node, run: no variants, no sweep */
	const char **machine_names;
	struct yaml_node **machine_trees; /* extends resolved */
	int nr_machines;
	const char **variant_names;
	struct yaml_node **variant_trees; /* overlays */
	int nr_variants;
	int baseline;
	struct axis axes[RESULTS_MAX_AXES];
	struct source_pos axis_pos[RESULTS_MAX_AXES];
	int nr_axes;
	const char *published; /* path as the program opens it, or NULL */
	const char **published_used; /* "ROW/COLUMN" cells that set a parameter */
	int nr_published_used;
	struct prior *priors;
	int nr_priors;
	struct yaml_node *sets; /* --set overlay, or NULL */
};

/*
 * Read and check an experiment with its machine files: every (machine, variant, point) resolves. `sets` are nr "KEY=VALUE" texts of
 * --set; their errors are shown as "--set:1:COLUMN". A --set on a swept key replaces the sweep by that one value.
 */
struct experiment *experiment_load(struct arena *arena, const char *path, const char *const *sets, int nr_sets,
				   struct error *err);

/* Product of the axes. */
int experiment_nr_points(const struct experiment *experiment);

/* The configuration of one (machine, variant, point), made in arena. `extra` is one more overlay (NULL for none), stronger than all others. */
int experiment_resolve(const struct experiment *experiment, struct arena *arena, int machine, int variant, int point,
		       const struct yaml_node *extra, struct run_config *out, struct error *err);

/* The resolved tree of one (machine, variant, point) as YAML text, for result.json and its hash. */
char *experiment_text(const struct experiment *experiment, struct arena *arena, int machine, int variant, int point,
		      struct error *err);

/* An empty result set (values allocated, all NAN) with axes, names, boundaries and metrics filled in. */
struct results *experiment_results(const struct experiment *experiment, struct arena *arena, struct error *err);

/* Read a machine file alone, `extends` resolved (a cycle is an error that shows the chain), and bind it. */
struct yaml_node *machine_tree_load(struct arena *arena, const char *path, struct error *err);
int machine_config_bind(struct arena *arena, const struct yaml_node *tree, const char *name, struct machine_config *out,
			struct error *err);

/* Is the tree an experiment (has `workload`) or a machine (has `topology` or `extends`)? For `contend check`. */
bool config_is_experiment(const struct yaml_node *tree);

/* The boundaries that a sweep over threads crosses on a machine, placed cores-first or as given. nr into *out (arena). */
int config_boundaries(struct arena *arena, const struct machine_config *machine, const int *cpus, int nr_cpus,
		      struct boundary **out);

#endif
