/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files config_*.c share among themselves; nobody else includes this.
 */
#ifndef CONTEND_MODELS_CONFIG_PARTS_H
#define CONTEND_MODELS_CONFIG_PARTS_H

#include "models/config.h"

/* Runs of one replication that an experiment may ask for: machines x variants x points. */
#define CONFIG_MAX_POINTS 100000
#define CONFIG_MAX_RUNS 1000000 /* points times replications: the values of a result set fit in some 100 MB */
#define CONFIG_MAX_MACHINES 64
#define CONFIG_MAX_VARIANTS 256
#define CONFIG_MAX_RANGES 64
#define CONFIG_MAX_VALUES MACHINE_MAX_CPUS /* of one swept key */

/* --- config_schema.c: which keys there are --- */

/* The plug-ins of a point: every policy axis, then the workload. */
#define NR_PLUGINS (NR_POLICY_AXES + 1)
const char *config_plugin_key(int plugin);

/* The parameters of the plug-in that has the name, or NULL when none has. */
const struct param *config_plugin_params(int plugin, const char *name);

/* One value, or a mapping of what run_replication_params lists. */
#define REPLICATIONS_KEY "run.replications"

/* Scalars at the top of a point's tree. */
struct point_params {
	const char *title;
	uint32_t threads; /* 0: one on each CPU */
	uint32_t page_node;
};

extern const struct param point_params_table[];
extern const struct param placement_entry; /* of an int, enum placement: what a scalar `placement` says */
extern const struct param machine_params_table[]; /* of struct machine_config: scalars outside the sections */

/* Keys beside point_params_table in a point's tree, NULL-ended: the plug-ins, machine, placement, run, kernel. */
const char *const *config_point_keys(struct arena *arena);

/* Keys that only an experiment file has, NULL-ended: variants, sweep, ... */
extern const char *const experiment_only_keys[];

/*
 * The entry of a dotted key that takes one value ("threads", "machine.transfer.socket_ns", "refcount"); parameters of
 * all registered plug-ins are known. NULL with an error at pos when the key is unknown or no single value.
 */
const struct param *config_key_entry(const char *key, struct source_pos pos, struct error *err);

/* The key of the scalar itself: "refcount" -> "refcount.name", others as they are. */
const char *config_scalar_key(struct arena *arena, const char *key);

/* Fail unless node is a list or mapping (kind) of 1 to max things; `what` names it. */
int config_expect_some(const struct yaml_node *node, enum yaml_kind kind, const char *what, int max, struct error *err);

/* --- config_overlay.c: one tree over another --- */

struct yaml_node *config_mapping(struct arena *arena, struct source_pos pos); /* an empty one */
struct yaml_node *config_scalar(struct arena *arena, const char *text, struct source_pos pos);
void config_append(struct yaml_node *parent, const char *key, struct yaml_node *node); /* key NULL: an item */
void config_prepend(struct yaml_node *mapping, const char *key, struct yaml_node *node);

/* Rewrite, in place, each plug-in that is a mere name as {name: ...}. Trees given to the overlays below were. */
void config_normalise(struct arena *arena, struct yaml_node *tree);

/* Name the default policy, in place, on every axis of a normalised tree that does not name one. */
void config_name_defaults(struct arena *arena, struct yaml_node *tree);

/* yaml_overlay, but a plug-in that over gives another name is over's alone. */
struct yaml_node *config_overlay(struct arena *arena, const struct yaml_node *base, const struct yaml_node *over);

/* The same, leaving out parameters that the plug-in which results does not have. */
struct yaml_node *config_overlay_fitting(struct arena *arena, const struct yaml_node *base,
					 const struct yaml_node *over);

/* --- config_find.c --- */

/* `relative` as seen from the folder of `file`; an absolute path stays. */
char *config_path_beside(struct arena *arena, const char *file, const char *relative);

/* The file's name without folders and without .yaml. */
char *config_base_name(struct arena *arena, const char *path);

/* --- config_machine.c --- */

/* The machine that an experiment's node refers to: a path or name, or a mapping with `extends` or inline. */
struct yaml_node *config_machine_refer(struct arena *arena, const struct yaml_node *node, const char **name,
				       struct error *err);

/* One value of whatever kind a parameter is: for an entry whose offset is 0. */
union param_value {
	bool flag;
	uint32_t u32;
	uint64_t u64;
	int64_t ps;
	double f64;
	int choice;
};

/* --- config_sections.c: a mapping of mappings, each by its table --- */

struct config_sections {
	const struct param_section *sections;
	const char *whole; /* what the mapping is, for messages: "machine" */
	const char *other_section; /* the one section that has keys beside its table, or NULL */
	const char *const *other_keys; /* these, NULL-ended */
};

/* The names of the sections, NULL-ended. */
const char *const *config_section_names(struct arena *arena, const struct param_section *sections);

/* Bind each section of the tree into out. One that is missing though it has required keys is the whole's fault. */
int config_bind_sections(struct arena *arena, const struct yaml_node *tree, const struct config_sections *sections,
			 void *out, struct error *err);

/* --- config_sets.c --- */

/* A key from outside the variants: --set, an overlay file or a prior; it must fit some variant. */
struct loose_key {
	const char *key;
	const char *value; /* as written; only of --set and overlays */
	struct source_pos pos;
};

/*
 * The texts of --set and overlay files (CONFIG_OVERLAY_MARK in front) as single values of known keys or axes of named
 * points, in order.
 */
int config_sets_collect(const struct experiment *experiment, const char *const *sets, int nr, struct loose_key **keys,
			int *nr_keys, struct error *err);

/* --- config_sweep.c --- */

/* Fill axes from the `sweep` node (NULL: none). */
int config_sweep_read(struct experiment *experiment, const struct yaml_node *sweep, struct error *err);

/* Fill sets; a value of a swept key becomes that axis's only one. */
int config_sets_apply(struct experiment *experiment, const struct loose_key *sets, int nr, struct error *err);

/* The values of a point as an overlay; those of named points are not in it. */
struct yaml_node *config_sweep_tree(const struct experiment *experiment, struct arena *arena, int point);

/* Does the sweep have named points: under this key, or (NULL) under any? */
bool config_has_named_points(const struct experiment *experiment, const char *key);

/* What a point's named points lay over `tree`; tree itself when there are none. */
struct yaml_node *config_named_points(const struct experiment *experiment, struct arena *arena, int point,
				      struct yaml_node *tree);

/* --- config_resolve.c --- */

/* One run's place in the experiment. */
struct config_at {
	int machine, variant, point;
};

struct yaml_node *config_point_tree(const struct experiment *experiment, struct arena *arena, struct config_at at,
				    const struct yaml_node *extra);
int config_bind_point(struct arena *arena, const struct yaml_node *tree, const char *machine_name,
		      struct run_config *out, struct error *err);

/* --- config_inputs.c --- */

/*
 * What the files contain that a workload's parameters name: text with a line for each, the hash of its bytes; empty without
 * any. NULL with err when one cannot be read.
 */
const char *config_inputs(const struct experiment *experiment, struct arena *arena, struct error *err);

/* --- config_text.c --- */

/* The whole experiment in one tree: machine files read in, variants, sweep and (as `set`) the --set overlay. */
struct yaml_node *config_whole_tree(const struct experiment *experiment, struct arena *arena);

/* hash_bytes of a text. */
uint64_t config_hash(const char *text);

/* --- config_check.c --- */

/* Every (machine, variant, point) resolves and every swept or set key (nr_keys from --set) reaches one of them. */
int config_check_points(const struct experiment *experiment, const struct loose_key *keys, int nr_keys,
			struct error *err);

/* Fill err: the key is set, swept or given a range, but no variant has it. Returns -1. */
int config_unused_key(const char *key, struct source_pos pos, struct error *err);

/* --- config_range.c --- */

/* Has the entry's value an order, so that there are ranges of it? Names of a list are in the order of the list. */
bool config_has_range(const struct param *entry);

/* A scalar by its key's entry as a number in the entry's unit (time in ps, a name as its index, a flag as 0 or 1). */
int config_number(struct arena *arena, const struct yaml_node *node, const struct param *key_entry, double *out,
		  struct error *err);

bool config_is_swept(const struct experiment *experiment, const char *key);

/* A value of a key that is not swept resolves for every machine and variant; *taken is set when one of them has the key. */
int config_check_value(const struct experiment *experiment, const char *key, const struct yaml_node *end, bool *taken,
		       struct error *err);

/*
 * Fill ranges from the node (NULL: none), called `what` in messages, leaving out those that --set decided: the key, or
 * plug-ins that lack it.
 */
int config_ranges_read(struct experiment *experiment, const struct yaml_node *node, const char *what,
		       struct key_ranges *out, struct error *err);

/* --- config_fit.c --- */

/* Fill fit from the `fit` node (NULL: none). */
int config_fit_read(struct experiment *experiment, const struct yaml_node *node, struct error *err);

#endif
