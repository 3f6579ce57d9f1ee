/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ranges of keys that nobody measured: `priors`, and what `fit` varies.
 */
#include "models/config_parts.h"

#include <string.h>

#include "sim/io/bind.h"

int config_number(struct arena *arena, const struct yaml_node *node, const struct param *key_entry, double *out,
		  struct error *err)
{
	union param_value value = { 0 };
	struct param entry = *key_entry;

	entry.offset = 0;
	if (bind_scalar(arena, node, &entry, &value, err))
		return -1;
	switch (entry.kind) {
	case PARAM_BOOL:
		*out = value.flag;
		return 0;
	case PARAM_U32:
		*out = value.u32;
		return 0;
	case PARAM_U64:
		*out = (double)value.u64;
		return 0;
	case PARAM_PS:
		*out = (double)value.ps;
		return 0;
	case PARAM_CHOICE: /* in the order in which the names are listed */
		*out = value.choice;
		return 0;
	default:
		*out = value.f64;
		return 0;
	}
}

bool config_has_range(const struct param *entry)
{
	return entry->kind == PARAM_CHOICE || entry->kind == PARAM_U32 || entry->kind == PARAM_U64 ||
	       entry->kind == PARAM_PS || entry->kind == PARAM_F64;
}

static int check_range(struct arena *arena, const struct yaml_node *range, struct error *err)
{
	const struct param *entry = config_key_entry(range->key, range->key_pos, err);
	double low, high;

	if (!entry)
		return -1;
	if (!config_has_range(entry))
		return error_set(err, range->key_pos, "'%s' is no number: it has no range", range->key);
	if (bind_expect(range, YAML_SEQUENCE, "a range", err))
		return -1;
	if (range->nr_children != 2)
		return error_set(err, range->pos, "a range is [low, high], not %d values", range->nr_children);
	if (bind_expect(range->children, YAML_SCALAR, "the low end of a range", err) ||
	    bind_expect(range->children->next, YAML_SCALAR, "the high end of a range", err) ||
	    config_number(arena, range->children, entry, &low, err) ||
	    config_number(arena, range->children->next, entry, &high, err))
		return -1;
	if (low > high)
		return error_set(err, range->pos, "the low end %s of the range is above the high end %s",
				 range->children->text, range->children->next->text);
	return 0;
}

/* Points that differ by swept values alone take the same keys, but a named point may bring another plug-in: all points. */
int config_check_value(const struct experiment *experiment, const char *key, const struct yaml_node *end, bool *taken,
		       struct error *err)
{
	struct arena *arena = arena_create();
	struct yaml_node *extra = config_mapping(arena, end->pos);
	const int nr_points = config_has_named_points(experiment, NULL) ? experiment_nr_points(experiment) : 1;
	int nr = experiment->nr_machines * experiment->nr_variants * nr_points;
	int failed = yaml_set(arena, extra, key, end->text, end->pos, err);

	for (int i = 0; i < nr && !failed; i++) {
		struct config_at at = {
			.machine = i / nr_points / experiment->nr_variants,
			.variant = i / nr_points % experiment->nr_variants,
			.point = i % nr_points,
		};
		struct yaml_node *tree = config_point_tree(experiment, arena, at, extra);
		struct run_config config;

		failed = config_bind_point(arena, tree, experiment->machine_names[at.machine], &config, err);
		*taken |= yaml_at(tree, key) != NULL;
	}
	arena_destroy(arena);
	return failed;
}

bool config_is_swept(const struct experiment *experiment, const char *key)
{
	for (int i = 0; i < experiment->nr_axes; i++) {
		if (!strcmp(experiment->axes[i].key, key))
			return true;
	}
	return false;
}

static int read_range(struct experiment *experiment, const struct yaml_node *range, struct key_ranges *out,
		      struct error *err)
{
	bool taken = false;

	if (check_range(experiment->arena, range, err))
		return -1;
	if (config_is_swept(experiment, range->key))
		return error_set(err, range->key_pos, "'%s' is swept: it has no range", range->key);
	if (experiment->sets && yaml_at(experiment->sets, range->key))
		return 0;
	for (const struct yaml_node *end = range->children; end; end = end->next) {
		if (config_check_value(experiment, range->key, end, &taken, err))
			return -1;
	}
	if (!taken) /* --set may have chosen plug-ins that do without the parameter */
		return experiment->sets ? 0 : config_unused_key(range->key, range->key_pos, err);
	out->ranges[out->nr++] = (struct key_range){
		.key = range->key,
		.low = range->children->text,
		.high = range->children->next->text,
	};
	return 0;
}

int config_ranges_read(struct experiment *experiment, const struct yaml_node *node, const char *what,
		       struct key_ranges *out, struct error *err)
{
	if (!node)
		return 0;
	if (config_expect_some(node, YAML_MAPPING, what, CONFIG_MAX_RANGES, err))
		return -1;
	out->ranges = arena_calloc(experiment->arena, (size_t)node->nr_children, sizeof(*out->ranges));
	for (const struct yaml_node *range = node->children; range; range = range->next) {
		if (read_range(experiment, range, out, err))
			return -1;
	}
	return 0;
}
