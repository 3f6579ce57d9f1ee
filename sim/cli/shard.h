/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One of N processes that share a sweep without talking to each other: shard I of N, I = 1 .. N.
 *
 * Every process deals out all runs, longest looking first, to and fro like cards: 1 2 .. N, N .. 2 1, 1 2 .. The deal
 * depends on the configuration alone, so the shares fit together and take about the same time.
 */
#ifndef CONTEND_CLI_SHARD_H
#define CONTEND_CLI_SHARD_H

#include "sim/util/error.h"

#define SHARD_MAX 100000
#define SHARD_DIRECTORY "shard-%d-of-%d" /* beside which the whole is put */

struct shard {
	int index, of; /* 0 of 0: the whole */
	const char *from; /* the environment variables that said so, or NULL */
};

/* "I/N". 1/1 is the whole. */
int shard_parse(const char *text, struct shard *out, struct error *err);

/*
 * What the environment says: SLURM_ARRAY_TASK_ID with _COUNT, _MIN and _STEP (a job array), PMI_RANK with PMI_SIZE
 * (MPICH, srun), OMPI_COMM_WORLD_RANK with _SIZE (Open MPI). Nothing set, or a size of 1, is the whole. Fails when a value
 * is no number, out of range or alone, or when two of them say different things.
 */
int shard_from_environment(struct shard *out, struct error *err);

/* Which shard, 1 .. of, makes the run (or the point) that is number `rank`, from 0, of the deal. */
int shard_of_rank(int rank, int of);

#endif
