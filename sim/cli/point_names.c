/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/point_names.h"

#include "models/config.h"
#include "models/workloads/workload.h"

#include <string.h>

#define VALUE_BYTES 128

/* A workload's parameter that some point has not at its default. */
struct telling {
	const struct param *entry;
	struct telling *next;
};

/* Points of a result set while their names are put together. */
struct naming {
	struct arena *arena;
	const struct results *results;
	struct run_config *configs; /* of each point, by the baseline on the first machine */
	struct table_point *points;
	int nr_points;
	struct telling *telling;
};

/* The configuration as it was written down: *sets is the overlay of --set, or NULL. */
static const struct experiment *read_experiment(struct naming *naming, const struct yaml_node **sets, struct error *err)
{
	const char *text = naming->results->config_text;
	struct yaml_node *tree = yaml_parse(naming->arena, "result.json", text, strlen(text), err);
	const struct yaml_node *sweep = yaml_get(tree, "sweep");

	if (!tree)
		return NULL;
	*sets = yaml_take(tree, "set");
	if (sweep && !sweep->nr_children) /* no experiment may say so */
		yaml_take(tree, "sweep");
	return experiment_from_tree(naming->arena, tree, NULL, 0, err);
}

static int resolve(struct naming *naming, struct error *err)
{
	const struct yaml_node *sets;
	const struct experiment *experiment = read_experiment(naming, &sets, err);

	if (!experiment)
		return -1;
	if (experiment_nr_points(experiment) != naming->nr_points)
		return error_plain(err, "the configuration has other points than the results");
	for (int point = 0; point < naming->nr_points; point++) {
		if (experiment_resolve(experiment, naming->arena, 0, experiment->baseline, point, sets,
				       &naming->configs[point], err))
			return -1;
	}
	return 0;
}

/* A flag as a number, as the kernel's module parameters have it. */
static const char *value_text(const struct naming *naming, const struct run_config *config, const struct param *entry)
{
	char value[VALUE_BYTES];

	param_print(entry, config->workload_params, value, sizeof(value));
	if (entry->kind == PARAM_BOOL)
		return strcmp(value, "true") == 0 ? "1" : "0";
	return arena_printf(naming->arena, "%s", value);
}

/* The pattern with each "{key}" replaced by the parameter's value. */
static const char *by_pattern(const struct naming *naming, const struct run_config *config)
{
	const char *rest = config->workload->result_class;
	const char *name = "";

	for (;;) {
		const int before = (int)strcspn(rest, "{");
		const char *key = rest + before + 1;
		const struct param *entry;

		name = arena_printf(naming->arena, "%s%.*s", name, before, rest);
		if (!rest[before])
			return name;
		entry = param_find(config->workload->params, arena_strndup(naming->arena, key, strcspn(key, "}")));
		name = arena_printf(naming->arena, "%s%s", name, value_text(naming, config, entry));
		rest = key + strcspn(key, "}") + 1;
	}
}

static bool is_telling(const struct naming *naming, const struct param *entry)
{
	for (const struct telling *telling = naming->telling; telling; telling = telling->next) {
		if (telling->entry == entry)
			return true;
	}
	return false;
}

/* The parameters of a point that are not at their defaults. */
static void add_telling(struct naming *naming, const struct run_config *config)
{
	const struct workload *workload = config->workload;
	struct run_config plain = *config;
	void *defaults = arena_calloc(naming->arena, 1, workload->params_size + 1);

	param_defaults(workload->params, defaults);
	plain.workload_params = defaults;
	for (const struct param *entry = workload->params; entry->key; entry++) {
		struct telling *telling;

		if (is_telling(naming, entry) ||
		    !strcmp(value_text(naming, config, entry), value_text(naming, &plain, entry)))
			continue;
		telling = arena_alloc(naming->arena, sizeof(*telling));
		*telling = (struct telling){ .entry = entry, .next = naming->telling };
		naming->telling = telling;
	}
}

static const char *by_parameters(const struct naming *naming, const struct run_config *config)
{
	const char *name = "";

	for (const struct param *entry = config->workload->params; entry->key; entry++) {
		if (is_telling(naming, entry))
			name = arena_printf(naming->arena, "%s%s%s:%s", name, *name ? ", " : "", entry->key,
					    value_text(naming, config, entry));
	}
	return name;
}

static bool is_same_name(const struct table_point *a, const struct table_point *b)
{
	return strcmp(a->benchmark, b->benchmark) == 0 && strcmp(a->name, b->name) == 0;
}

/* Points from one value of an axis to the next. */
static int stride_of(const struct results *results, int axis)
{
	int stride = 1;

	for (int i = axis + 1; i < results->nr_axes; i++)
		stride *= results->axes[i].nr_values;
	return stride;
}

/* Whether two points that differ in this axis alone have one name. */
static bool is_needed(const struct naming *naming, int axis)
{
	const struct results *results = naming->results;
	const int stride = stride_of(results, axis);

	for (int point = 0; point < naming->nr_points; point++) {
		const int first = point - results_axis_index(results, point, axis) * stride;

		for (int other = first; other < point; other += stride) {
			if (is_same_name(&naming->points[point], &naming->points[other]))
				return true;
		}
	}
	return false;
}

static const char *last_part(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

static void add_axes(const struct naming *naming)
{
	const struct results *results = naming->results;
	bool needed[RESULTS_MAX_AXES] = { false };

	for (int axis = 0; axis < results->nr_axes; axis++)
		needed[axis] = is_needed(naming, axis);
	for (int i = 0; i < naming->nr_points * results->nr_axes; i++) {
		const int axis = i % results->nr_axes;
		struct table_point *point = &naming->points[i / results->nr_axes];
		const struct axis *swept = &results->axes[axis];

		if (needed[axis])
			point->name =
				arena_printf(naming->arena, "%s%s%s:%s", point->name, *point->name ? ", " : "",
					     last_part(swept->key),
					     swept->values[results_axis_index(results, i / results->nr_axes, axis)]);
	}
}

const struct table_point *point_names(struct arena *arena, const struct results *results)
{
	struct naming naming = { .arena = arena, .results = results, .nr_points = results_nr_points(results) };
	struct error err;

	naming.configs = arena_calloc(arena, (size_t)naming.nr_points, sizeof(*naming.configs));
	naming.points = arena_calloc(arena, (size_t)naming.nr_points, sizeof(*naming.points));
	if (resolve(&naming, &err))
		return NULL;
	for (int point = 0; point < naming.nr_points; point++)
		add_telling(&naming, &naming.configs[point]);
	for (int point = 0; point < naming.nr_points; point++) {
		const struct run_config *config = &naming.configs[point];

		naming.points[point] = (struct table_point){
			.benchmark = arena_printf(arena, "contend/%s", config->workload->name),
			.name = config->workload->result_class ? by_pattern(&naming, config)
							       : by_parameters(&naming, config),
		};
	}
	add_axes(&naming);
	return naming.points;
}
