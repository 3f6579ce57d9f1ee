/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files that runs of an experiment read beside its configuration. Results are of their contents, whatever they are
 * called.
 */
#include "models/config_parts.h"
#include "models/workloads/workload.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/util/hash.h"

#define BLOCK_BYTES 65536

/* In the order of their first use. Not by name: it depends on where the program is. */
struct inputs {
	struct arena *arena;
	const char *paths; /* a line each */
	const char *hashes; /* the same */
};

static int hash_file(const char *path, uint64_t *hash, struct error *err)
{
	unsigned char block[BLOCK_BYTES];
	FILE *file = fopen(path, "rb");
	size_t nr_bytes;
	bool failed;

	if (!file)
		return error_plain(err, "cannot read '%s': %s", path, strerror(errno));
	*hash = HASH_START;
	while ((nr_bytes = fread(block, 1, sizeof(block), file)) > 0)
		*hash = hash_more(*hash, block, nr_bytes);
	failed = ferror(file);
	fclose(file);
	return failed ? error_plain(err, "cannot read '%s': %s", path, strerror(errno)) : 0;
}

static int add_file(struct inputs *inputs, const char *path, struct error *err)
{
	const char *line = arena_printf(inputs->arena, "\n%s\n", path);
	uint64_t hash;

	if (!path[0] || strstr(inputs->paths, line))
		return 0;
	if (hash_file(path, &hash, err))
		return -1;
	inputs->paths = arena_printf(inputs->arena, "%s%s", inputs->paths, line);
	inputs->hashes = arena_printf(inputs->arena, "%s%016" PRIx64 "\n", inputs->hashes, hash);
	return 0;
}

static int add_files_of(struct inputs *inputs, const struct run_config *config, struct error *err)
{
	for (const struct param *entry = config->workload->params; entry->key; entry++) {
		const char *const *path = (const void *)((const char *)config->workload_params + entry->offset);

		if (entry->path && add_file(inputs, *path, err))
			return -1;
	}
	return 0;
}

const char *config_inputs(const struct experiment *experiment, struct arena *arena, struct error *err)
{
	struct inputs inputs = { .arena = arena, .paths = "", .hashes = "" };

	for (int variant = 0; variant < experiment->nr_variants; variant++) {
		for (int point = 0; point < experiment_nr_points(experiment); point++) {
			struct run_config config;

			if (experiment_resolve(experiment, arena, 0, variant, point, NULL, &config, err) ||
			    add_files_of(&inputs, &config, err))
				return NULL;
		}
	}
	return inputs.hashes;
}
