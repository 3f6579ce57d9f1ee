/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/shard.h"

#include "sim/util/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A source in the environment: names of variables. */
struct source {
	const char *rank, *size;
	const char *min, *step; /* of rank; NULL: 0 and 1 */
	const char *text; /* for messages */
};

static const struct source sources[] = {
	{ "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP",
	  "SLURM_ARRAY_TASK_ID and SLURM_ARRAY_TASK_COUNT" },
	{ "PMI_RANK", "PMI_SIZE", NULL, NULL, "PMI_RANK and PMI_SIZE" },
	{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL, "OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE" },
};

/* Digits alone, a number of at most nine of them; -1 for anything else. */
static int number_of(const char *text, size_t length)
{
	if (length == 0 || length > 9 || strspn(text, "0123456789") < length)
		return -1;
	return atoi(text);
}

static struct shard shard_make(int index, int of)
{
	return of > 1 ? (struct shard){ .index = index, .of = of } : (struct shard){ 0 };
}

int shard_parse(const char *text, struct shard *out, struct error *err)
{
	const char *slash = strchr(text, '/');
	int index = slash ? number_of(text, (size_t)(slash - text)) : -1;
	int of = slash ? number_of(slash + 1, strlen(slash + 1)) : -1;

	if (index < 0 || of < 0)
		return error_plain(err, "a shard is I/N, e.g. 2/4, not '%s'", TEXT_SHOWN(text));
	if (of < 1 || of > SHARD_MAX)
		return error_plain(err, "shard %s: there are 1 to %d shards", TEXT_SHOWN(text), SHARD_MAX);
	if (index < 1 || index > of)
		return error_plain(err, "shard %s: the first is 1/%d, the last %d/%d", TEXT_SHOWN(text), of, of, of);
	*out = shard_make(index, of);
	return 0;
}

/* The value of a variable, or `absent` when it is not set. */
static int read_variable(const char *name, int absent, int *out, struct error *err)
{
	const char *text = name ? getenv(name) : NULL;

	*out = text ? number_of(text, strlen(text)) : absent;
	if (text && *out < 0)
		return error_plain(err, "%s is '%s', no whole number", name, TEXT_SHOWN(text));
	return 0;
}

/* One source; *out is 0 of 0 when it says nothing. */
static int read_source(const struct source *source, struct shard *out, struct error *err)
{
	int rank, size, min, step;

	*out = (struct shard){ 0 };
	if (read_variable(source->rank, -1, &rank, err) || read_variable(source->size, -1, &size, err) ||
	    read_variable(source->min, 0, &min, err) || read_variable(source->step, 1, &step, err))
		return -1;
	if (rank < 0 && size < 0)
		return 0;
	if (rank < 0 || size < 0)
		return error_plain(err, "%s is set, but %s is not", rank < 0 ? source->size : source->rank,
				   rank < 0 ? source->rank : source->size);
	if (size < 1 || size > SHARD_MAX)
		return error_plain(err, "%s is %d: there are 1 to %d shards", source->size, size, SHARD_MAX);
	if (step < 1 || rank < min || (rank - min) % step != 0 || (rank - min) / step >= size)
		return error_plain(err, "%s is %d, which is no share of %d", source->rank, rank, size);
	*out = shard_make((rank - min) / step + 1, size);
	out->from = out->of ? source->text : NULL;
	return 0;
}

int shard_from_environment(struct shard *out, struct error *err)
{
	size_t i;

	*out = (struct shard){ 0 };
	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		struct shard found;

		if (read_source(&sources[i], &found, err))
			return -1;
		if (!found.of)
			continue;
		if (out->of && (out->of != found.of || out->index != found.index))
			return error_plain(err, "%s say shard %d/%d, %s say %d/%d: choose with --shard I/N", out->from,
					   out->index, out->of, found.from, found.index, found.of);
		*out = found;
	}
	return 0;
}

int shard_of_rank(int rank, int of)
{
	int place = rank % of;
	bool fro = rank / of % 2 == 1;

	return fro ? of - place : place + 1;
}
