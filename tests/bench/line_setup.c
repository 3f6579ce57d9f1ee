/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/bench/line_setup.h"

#include <string.h>

#include "models/config.h"

static int find_variant(const struct experiment *experiment, const char *name, struct error *err)
{
	for (int i = 0; i < experiment->nr_variants; i++) {
		if (!strcmp(experiment->variant_names[i], name))
			return i;
	}
	return error_plain(err, "%s has no variant '%s'", experiment->path, name);
}

int line_setup(struct arena *arena, char **words, int nr_words, struct run_config *config, struct error *err)
{
	const char *path = config_find(arena, CONFIG_EXPERIMENT, words[0], (struct source_pos){ 0 }, err);
	const struct experiment *experiment =
		path ? experiment_load(arena, path, (const char *const *)words + 2, nr_words - 2, err) : NULL;
	int variant = experiment ? find_variant(experiment, words[1], err) : -1;

	if (variant < 0 || experiment_resolve(experiment, arena, 0, variant, 0, NULL, config, err))
		return -1;
	config->length.warmup_ps = 0;
	config->length.min_operations = 0;
	return 0;
}
