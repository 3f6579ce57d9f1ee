/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From YAML trees to run configurations. The one file in models/ that knows
 * YAML nodes.
 *
 * Everything that changes a value is an overlay on one tree: `extends` of a
 * machine file, a variant, a swept value and --set. A point's tree is
 *
 *	experiment (machine file read in under `machine`) < named point < variant < sweep values < --set
 *
 * with --set strongest. A machine file may be overlaid in the experiment too:
 * `machine: {extends: ../machines/a.yaml, transfer: {socket_ns: 50}}`; `name: ...` in it tells two of one file apart.
 *
 * A swept key is one of the configuration with a list of values (`threads: [1, 2]`), or a name of the user's own with
 * named points, each an overlay like a variant (`benchmark: {iperf3: {workload: iperf3, threads: 64}, ...}`).
 *
 * The workload and each policy axis is a plug-in: a name (`refcount: cas`), or a mapping of its name and parameters
 * (`refcount: {name: cas, backoff_ns: 20}`). An overlay that gives another name replaces the whole mapping: parameters
 * of the former plug-in never reach the new one. An overlay without a name, or with the same, changes parameters.
 *
 * Swept values, --set and priors hold for every variant: where a plug-in parameter among them is unknown to the
 * variant's plug-in, that variant goes without it. One that no variant takes is an error.
 */
#ifndef CONTEND_MODELS_CONFIG_H
#define CONTEND_MODELS_CONFIG_H

#include "models/run.h"
#include "sim/io/yaml.h"
#include "sim/stats/results.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"
#include "sim/util/param.h"

/* A parameter nobody measured, and where it may be. */
struct key_range {
	const char *key; /* dotted path, as for --set */
	const char *low, *high; /* as written */
};

struct key_ranges {
	struct key_range *ranges;
	int nr;
};

/*
 * What `reproduce --fitted` fits:
 *
 *	fit:
 *	  vary: {KEY: [LOW, HIGH], ...}
 *	  other_machine:                 values for this machine from another one's table
 *	    experiment: NAME             the other one
 *	    carries: [KEY, ...]          of those under `vary`: values that hold on both machines
 *	    own: [KEY, ...]              of those under `vary`: each machine has its own; here from `published_used` cells
 */
struct fit_section {
	struct key_ranges vary; /* on this machine's own rows */
	const char *other; /* the other machine's experiment as a path, or NULL */
	struct key_ranges carries, own;
};

/* A loaded experiment. Members are read-only to callers. */
struct experiment {
	struct arena *arena;
	const char *path;
	const char *name; /* file name without .yaml */
	const char *title;
	struct yaml_node
		*tree; /* machine(s), workload, policies, threads, placement, page_node, run: no variants, no sweep */
	const char **machine_names;
	struct yaml_node **machine_trees; /* extends resolved */
	int nr_machines;
	const char **variant_names;
	struct yaml_node **variant_trees; /* overlays */
	int nr_variants;
	int baseline;
	struct axis axes[RESULTS_MAX_AXES];
	struct source_pos *value_pos[RESULTS_MAX_AXES]; /* where each value was written */
	struct yaml_node *
		*point_trees[RESULTS_MAX_AXES]; /* of an axis of named points: the overlay of each value; else NULL */
	int nr_axes;
	const char *published; /* path as the program opens it, or NULL */
	const char **published_used; /* "ROW/COLUMN" cells that set a parameter */
	int nr_published_used;
	struct key_ranges priors; /* `reproduce` shows the answer as the band over them */
	struct fit_section fit;
	struct yaml_node *sets; /* --set overlay, or NULL */
};

/* In front of a path among `sets` below: the values of an overlay file, a tree with the keys of --set. */
#define CONFIG_OVERLAY_MARK '@'

/*
 * Read and check an experiment with its machine files: every (machine, variant, point) resolves. `sets` are nr texts,
 * the last the strongest: "KEY=VALUE" of --set, whose errors are shown as "--set KEY=VALUE: ...", or "@FILE". A value
 * for a swept key replaces the sweep by that one value.
 */
struct experiment *experiment_load(struct arena *arena, const char *path, const char *const *sets, int nr_sets,
				   struct error *err);

/*
 * The same from a tree that was read already, which is taken apart.
 * Relative paths start from the folder of the file of its positions.
 */
struct experiment *experiment_from_tree(struct arena *arena, struct yaml_node *root, const char *const *sets,
					int nr_sets, struct error *err);

/* Product of the axes. */
int experiment_nr_points(const struct experiment *experiment);

/*
 * The configuration of one (machine, variant, point), made in arena.
 * `extra` is one more overlay (NULL for none), stronger than all others.
 */
int experiment_resolve(const struct experiment *experiment, struct arena *arena, int machine, int variant, int point,
		       const struct yaml_node *extra, struct run_config *out, struct error *err);

/* The resolved tree of one (machine, variant, point) as YAML text, for result.json and its hash. */
char *experiment_text(const struct experiment *experiment, struct arena *arena, int machine, int variant, int point,
		      struct error *err);

/*
 * An empty result set (values allocated, all NAN) with everything but `engine` filled in. Its config_text is the whole
 * experiment with machine files read in; its config_hash is FNV-1a, 64 bits in hex, of that text without the title, and
 * of the contents of files that workloads read.
 * Names and axes are shared with the experiment, which must live as long.
 */
struct results *experiment_results(const struct experiment *experiment, struct arena *arena, struct error *err);

/*
 * A key that a fit moves: its value as a number (time in ps, a name as its index in the list of names,
 * a flag as 0 or 1).
 */
struct tunable {
	const char *key;
	const struct param *entry;
	double low, high; /* where it may be */
	double start; /* as the experiment has it */
	int nr_choices; /* names and flags: how many values from low to high; 0: a number */
	bool taken; /* some variant has the key */
};

/*
 * Read a key with its range: low and high as in a file, or both NULL for the range of the experiment's prior or, without
 * one, all that is legal. Fails (at pos) when the key is unknown, swept, no single value or has no order, or when the
 * range is empty, out of order, or a part of it does not resolve. A key that no variant takes is no error: see `taken`.
 */
int tunable_read(struct tunable *tunable, const struct experiment *experiment, const char *key, const char *low,
		 const char *high, struct source_pos pos, struct error *err);

/* A value as a file has it, in arena; numbers are rounded to 5 digits, which never takes them out of the range. */
char *tunable_text(const struct tunable *tunable, struct arena *arena, double value);

/* Lay a value into an overlay for experiment_resolve. */
void tunable_set(const struct tunable *tunable, struct arena *arena, struct yaml_node *overlay, const char *text);

/* An overlay without values. */
struct yaml_node *overlay_create(struct arena *arena);

/* What is looked up by name. */
enum config_kind {
	CONFIG_MACHINE,
	CONFIG_EXPERIMENT,
};

/*
 * The file that a user means: a text with a slash or ending in .yaml is a path and returned as it is; any other is a
 * name, looked for in machines/ or experiments/ (or, an experiment, beside them) of $CONTEND_CONFIGS, or without that
 * of the configs/ of the source tree (the installed program: of its data). NULL with the nearest known name in err (at
 * pos) when there is none.
 */
char *config_find(struct arena *arena, enum config_kind kind, const char *name, struct source_pos pos,
		  struct error *err);

/* The folder of fitted values beside machines/ and experiments/; it may not be there. */
char *config_fits_folder(struct arena *arena);

/*
 * How results name a file, so that they are the same wherever the program is: one of its own data from their folder on
 * ("results/published/refcount-epyc.csv"), any other as it is. And that file again, from the working directory or the data.
 */
char *config_stored_path(struct arena *arena, const char *path);
char *config_stored_file(struct arena *arena, const char *stored);

/* All names that config_find knows, sorted, NULL-ended. */
const char **config_names(struct arena *arena, enum config_kind kind);

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
