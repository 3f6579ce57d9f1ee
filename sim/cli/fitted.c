/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/fitted.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/cli/cli.h"
#include "sim/cli/fit.h"
#include "sim/io/yaml_text.h"
#include "sim/util/hash.h"
#include "sim/util/outfile.h"

#define USED_ROWS "odd"
#define SEED 1

const char *const fitted_split_names[NR_SPLITS] = {
	[SPLIT_ALTERNATE_ROWS] = "alternate rows",
	[SPLIT_OTHER_MACHINE] = "other machine",
};

const char *const fitted_split_files[NR_SPLITS] = {
	[SPLIT_ALTERNATE_ROWS] = "alternate-rows",
	[SPLIT_OTHER_MACHINE] = "other-machine",
};

/* One split of one experiment while its values are looked for. */
struct work {
	const struct fitted_options *options;
	struct arena *arena;
	const char *path; /* of the experiment's file */
	enum fitted_split split;
	const char **sets; /* those of the user that a fit depends on */
	int nr_sets;
	const struct experiment *experiment; /* as it stands, with sets */
	struct fit *fit; /* the search: on the experiment itself or on the other machine's */
	struct fit *own; /* what the machine has of its own; NULL: nothing */
	char *inputs; /* all that the values depend on */
	char *head; /* of the file to be written, without the hash */
};

bool fitted_has_split(const struct experiment *experiment, enum fitted_split split)
{
	if (split == SPLIT_ALTERNATE_ROWS)
		return experiment->fit.vary.nr > 0;
	return experiment->fit.other && experiment->fit.carries.nr > 0;
}

/* How often a point is simulated for the report is nothing to a fit, which makes one run per cell. */
static void copy_sets(struct work *work)
{
	static const char replications[] = "run.replications";
	const struct run_options *run = work->options->run;
	int i;

	for (i = 0; i < run->nr_sets; i++) {
		if (strncmp(run->sets[i], replications, sizeof(replications) - 1) != 0)
			options_append(work->arena, &work->sets, &work->nr_sets, run->sets[i]);
	}
}

static struct fit *make_fit(const struct work *work, const struct experiment *experiment, struct error *err)
{
	struct fit *fit = fit_create(work->arena, work->options->run->engine);

	return experiment && !fit_add_experiment(fit, experiment, err) ? fit : NULL;
}

static int prepare_alternate_rows(struct work *work, struct error *err)
{
	work->fit = make_fit(work, work->experiment, err);
	return !work->fit || fit_add_ranges(work->fit, work->experiment, &work->experiment->fit.vary, err) ||
	       fit_choose(work->fit, USED_ROWS, NULL, err);
}

/* Here the other machine has values of its own too; they are forgotten afterwards. */
static int prepare_other_machine(struct work *work, struct error *err)
{
	const struct fit_section *section = &work->experiment->fit;

	work->fit = make_fit(work, experiment_load(work->arena, section->other, work->sets, work->nr_sets, err), err);
	if (!work->fit || fit_add_ranges(work->fit, work->experiment, &section->carries, err) ||
	    fit_add_ranges(work->fit, work->experiment, &section->own, err) || fit_choose(work->fit, NULL, NULL, err))
		return -1;
	if (section->own.nr == 0)
		return 0;
	work->own = make_fit(work, work->experiment, err);
	return !work->own || fit_add_ranges(work->own, work->experiment, &section->own, err) ||
	       fit_choose_used(work->own, err);
}

static int prepare(struct work *work, struct error *err)
{
	copy_sets(work);
	work->experiment = experiment_load(work->arena, work->path, work->sets, work->nr_sets, err);
	if (!work->experiment)
		return -1;
	return work->split == SPLIT_ALTERNATE_ROWS ? prepare_alternate_rows(work, err)
						   : prepare_other_machine(work, err);
}

static struct fit_options search_options(const struct work *work)
{
	return (struct fit_options){
		.max_evaluations = work->options->max_evaluations,
		.seed = SEED,
		.nr_workers = work->options->run->nr_workers,
		.quiet = work->options->run->quiet,
	};
}

static int add_inputs(struct work *work, const struct fit *fit, struct error *err)
{
	struct fit_options options;
	struct fit_scorer scorer;
	const char *text;

	if (!fit)
		return 0;
	options = search_options(work);
	if (fit_scorer_start(&scorer, fit, options.nr_workers, err))
		return -1;
	text = fit_inputs_text(&scorer, &options, work->arena, err);
	fit_scorer_stop(&scorer);
	if (text)
		work->inputs = arena_printf(work->arena, "%s%s", work->inputs, text);
	return text ? 0 : -1;
}

static const char *hash_of(const struct work *work, const struct yaml_node *values)
{
	const char *text = arena_printf(work->arena, "%s%s", work->inputs, yaml_text(work->arena, values));

	return arena_printf(work->arena, "%016" PRIx64, hash_bytes(text, strlen(text)));
}

static const char *file_of(const struct work *work)
{
	const char *directory = work->options->directory ? work->options->directory : config_fits_folder(work->arena);

	return arena_printf(work->arena, "%s/%s.%s.yaml", directory, work->experiment->name,
			    fitted_split_files[work->split]);
}

/* Does the file's head have the hash? It stands in a line "# hash: ...". */
static bool head_has_hash(const char *path, const char *hash)
{
	static const char mark[] = "# hash: ";
	FILE *file = fopen(path, "r");
	bool found = false;
	char line[512];

	while (file && !found && fgets(line, sizeof(line), file) && line[0] == '#')
		found = strncmp(line, mark, sizeof(mark) - 1) == 0 &&
			strncmp(line + sizeof(mark) - 1, hash, strlen(hash)) == 0;
	if (file)
		fclose(file);
	return found;
}

/*
 * The kept values into *values, or NULL with the reason on stderr when they are not to be had or not those that a fit would
 * give now. -1 when that is an error.
 */
static int read_kept(const struct work *work, const struct yaml_node **values, struct error *err)
{
	const char *path = file_of(work);
	const char *what = "no fitted values there";
	struct error unused;

	*values = NULL;
	if (work->options->refit)
		return 0;
	*values = yaml_load(work->arena, path, &unused);
	if (*values && head_has_hash(path, hash_of(work, *values)))
		return 0;
	if (*values)
		what = "these values are of another configuration, table or model";
	*values = NULL;
	if (work->options->kept)
		return error_plain(err, "%s: %s", path, what);
	fprintf(stderr, "contend: %s: %s; fitting again\n", path, what);
	return 0;
}

/* "contend fit" with the options that give these values, for the head of a file. */
static char *command_of(const struct work *work, const struct fit *fit)
{
	const struct experiment *experiment = fit->members[0].experiment;
	char *text = arena_printf(work->arena, "contend fit %s", experiment->name);
	int i;

	for (i = 0; i < work->nr_sets; i++)
		text = arena_printf(work->arena, "%s %s %s", text,
				    work->sets[i][0] == CONFIG_OVERLAY_MARK ? "--overlay" : "--set",
				    work->sets[i] + (work->sets[i][0] == CONFIG_OVERLAY_MARK));
	for (i = 0; i < fit->nr_keys; i++)
		text = arena_printf(work->arena, "%s%s%s=%s..%s", text, i ? "," : " --vary ", fit->keys[i].key,
				    tunable_text(&fit->keys[i], work->arena, fit->keys[i].low),
				    tunable_text(&fit->keys[i], work->arena, fit->keys[i].high));
	return arena_printf(work->arena, "%s%s --evaluations %d --no-profile", text,
			    work->split == SPLIT_ALTERNATE_ROWS ? " --rows " USED_ROWS : "",
			    search_options(work).max_evaluations);
}

/* Values of the keys in `ranges` (NULL: all) at a point of a fit, into an overlay. */
static void take_values(const struct work *work, const struct fit *fit, const double *point,
			const struct key_ranges *ranges, struct yaml_node *values)
{
	int i, k;

	for (i = 0; i < fit->nr_keys; i++) {
		bool wanted = !ranges;

		for (k = 0; ranges && k < ranges->nr; k++)
			wanted |= strcmp(ranges->ranges[k].key, fit->keys[i].key) == 0;
		if (wanted)
			tunable_set(&fit->keys[i], work->arena, values, fit_value_text(fit, work->arena, i, point[i]));
	}
}

/* "KEY=VALUE" of every scalar of an overlay, appended to a list. */
static void list_values(struct arena *arena, const struct yaml_node *node, const char *prefix, const char ***list,
			int *nr)
{
	const struct yaml_node *child;

	for (child = node->children; child; child = child->next) {
		const char *key = arena_printf(arena, "%s%s", prefix, child->key);

		if (child->kind == YAML_SCALAR)
			options_append(arena, list, nr, arena_printf(arena, "%s=%s", key, child->text));
		else
			list_values(arena, child, arena_printf(arena, "%s.", key), list, nr);
	}
}

/* What the machine has of its own, once the other values are there. */
static int search_own(struct work *work, struct yaml_node *values, struct error *err)
{
	const struct fit_options options = search_options(work);
	const char **sets = NULL;
	struct fit_found found;
	struct fit *fit;
	int nr = 0;
	int i;

	for (i = 0; i < work->nr_sets; i++)
		options_append(work->arena, &sets, &nr, work->sets[i]);
	list_values(work->arena, values, "", &sets, &nr);
	fit = make_fit(work, experiment_load(work->arena, work->path, sets, nr, err), err);
	if (!fit || fit_add_ranges(fit, work->experiment, &work->experiment->fit.own, err) ||
	    fit_choose_used(fit, err) || fit_run(fit, &options, &found, NULL, err))
		return -1;
	take_values(work, fit, found.point, NULL, values);
	return 0;
}

static struct yaml_node *search(struct work *work, struct error *err)
{
	const struct fit_options options = search_options(work);
	const bool alternate = work->split == SPLIT_ALTERNATE_ROWS;
	struct yaml_node *values = overlay_create(work->arena);
	struct fit_found found;
	const struct fit_report report = { .fit = work->fit, .found = &found, .command = command_of(work, work->fit) };

	if (fit_run(work->fit, &options, &found, NULL, err))
		return NULL;
	work->head = fit_head(&report, work->arena);
	take_values(work, work->fit, found.point, alternate ? NULL : &work->experiment->fit.carries, values);
	return work->own && search_own(work, values, err) ? NULL : values;
}

static int keep(const struct work *work, const struct yaml_node *values, struct error *err)
{
	const char *head = arena_printf(work->arena, "# %s, split: %s. `make fits` writes this file.\n# hash: %s\n%s",
					work->experiment->name, fitted_split_names[work->split], hash_of(work, values),
					work->head);

	if (!work->options->directory)
		return 0;
	if (work->own)
		head = arena_printf(work->arena,
				    "%s# and, with these values, what the machine has of its own from the cells "
				    "under published_used\n",
				    head);
	return outfile_mkdirs(work->options->directory, err) || fit_write_overlay(file_of(work), head, values, err);
}

static int find_values(struct work *work, const struct yaml_node **values, struct error *err)
{
	struct yaml_node *found;

	work->inputs = arena_strdup(work->arena, "");
	if (add_inputs(work, work->fit, err) || add_inputs(work, work->own, err))
		return -1;
	if (read_kept(work, values, err))
		return -1;
	if (*values)
		return 0;
	found = search(work, err);
	*values = found;
	return found ? keep(work, found, err) : -1;
}

/* The experiment as the user wants it (replications too) with the values over it. */
static const struct experiment *with_values(const struct work *work, const struct fitted *fitted, struct error *err)
{
	const struct run_options *run = work->options->run;
	const char **sets = NULL;
	int nr = 0;
	int i;

	for (i = 0; i < run->nr_sets; i++)
		options_append(work->arena, &sets, &nr, run->sets[i]);
	for (i = 0; i < fitted->nr_values; i++)
		options_append(work->arena, &sets, &nr, fitted->values[i]);
	return experiment_load(work->arena, work->path, sets, nr, err);
}

static const bool *cells_of(const struct work *work)
{
	const struct published *published = work->fit->members[0].published;
	int nr = published->nr_rows * published->nr_columns;
	bool *used = arena_calloc(work->arena, (size_t)nr, sizeof(*used));
	int i;

	for (i = 0; i < nr; i++)
		used[i] = fit_is_chosen(work->fit, 0, i / published->nr_columns, i % published->nr_columns);
	return used;
}

int fitted_make(const struct fitted_options *options, const char *path, enum fitted_split split, struct fitted *fitted,
		struct error *err)
{
	struct work work = { .options = options, .arena = options->run->arena, .path = path, .split = split };
	const struct yaml_node *values;
	const char **texts = NULL;

	*fitted = (struct fitted){ .split = split };
	if (prepare(&work, err))
		return STATUS_USAGE;
	if (find_values(&work, &values, err))
		return STATUS_FAILED;
	list_values(work.arena, values, "", &texts, &fitted->nr_values);
	fitted->values = texts;
	fitted->source = arena_printf(work.arena, "%s, %s", work.fit->members[0].experiment->name,
				      fit_used_text(work.fit, 0, work.arena));
	fitted->used = split == SPLIT_ALTERNATE_ROWS ? cells_of(&work) : NULL;
	fitted->experiment = with_values(&work, fitted, err);
	return fitted->experiment ? STATUS_FINE : STATUS_USAGE;
}

void fitted_mark_used(const struct fitted *fitted, struct published *published)
{
	int i;

	for (i = 0; fitted->used && i < published->nr_rows * published->nr_columns; i++)
		published->used[i] |= fitted->used[i];
}
