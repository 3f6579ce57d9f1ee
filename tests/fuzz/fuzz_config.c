/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes as an experiment file, with the machine files of tests/data/config
 * beside it: refused with a message, or resolved, written as text and read
 * back to the same text.
 *
 *	clang -std=c11 -D_GNU_SOURCE -g -O1 -I. -fsanitize=fuzzer,address,undefined \
 *		-DCONTEND_VERSION='"fuzz"' -DCONTEND_SOURCE_DIR='"."' -DCONTEND_DATADIR='"."' \
 *		tests/fuzz/fuzz_config.c $(find models sim/util sim/engine -name '*.c') sim/io/yaml*.c sim/io/bind.c \
 *		sim/stats/results.c -lyaml -lsimgrid -lm -o build/fuzz_config
 *	build/fuzz_config -max_total_time=180 -max_len=2048 build/corpus tests/data/config configs/experiments
 */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "models/config.h"

#define MUST(condition) \
	do { \
		if (!(condition)) \
			abort(); \
	} while (0)

/* What the experiment's relative paths start from. */
static const char path[] = "tests/data/config/fuzz.yaml";

/* The text of a point is an experiment of that point alone, and its text is the same but for the order of keys. */
static void check_text(const struct experiment *experiment, struct arena *arena, int point)
{
	struct error err;
	const char *text = experiment_text(experiment, arena, 0, 0, point, &err);
	struct yaml_node *tree;
	struct experiment *again;
	const char *text_again;

	MUST(text);
	tree = yaml_parse(arena, path, text, strlen(text), &err);
	MUST(tree);
	again = experiment_from_tree(arena, tree, NULL, 0, &err);
	MUST(again);
	text_again = experiment_text(again, arena, 0, 0, 0, &err);
	MUST(text_again);
	MUST(strlen(text) == strlen(text_again));
}

static void check_experiment(const struct experiment *experiment, struct arena *arena)
{
	struct error err;
	struct results *results = experiment_results(experiment, arena, &err);
	struct run_config config;
	int last = experiment_nr_points(experiment) - 1;

	MUST(results);
	MUST(results_nr_points(results) == last + 1);
	MUST(!experiment_resolve(experiment, arena, experiment->nr_machines - 1, experiment->nr_variants - 1, last,
				 NULL, &config, &err));
	MUST(config.nr_threads >= 1);
	check_text(experiment, arena, 0);
	check_text(experiment, arena, last);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	struct error err = { 0 };
	struct yaml_node *root = yaml_parse(arena, path, (const char *)data, size, &err);
	struct experiment *experiment = root ? experiment_from_tree(arena, root, NULL, 0, &err) : NULL;

	if (experiment)
		check_experiment(experiment, arena);
	else
		MUST(err.text[0]);
	arena_destroy(arena);
	return 0;
}
