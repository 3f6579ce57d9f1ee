/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random machines for property tests. */
#ifndef CONTEND_TESTS_RANDOM_MACHINE_H
#define CONTEND_TESTS_RANDOM_MACHINE_H

#include "models/hardware/machine.h"
#include "sim/util/arena.h"
#include "sim/util/rng.h"

/*
 * A machine that machine_config_check accepts: up to 3 sockets of 2 nodes of 3 clusters of 4 cores of 2 threads, any
 * numbering, latencies, occupancy, jitter and order, sometimes with a matrix.
 */
struct machine_config random_machine(struct rng *rng, struct arena *arena);

/* `nr` different CPUs of a machine with nr_cpus, in random order. */
void random_cpus(struct rng *rng, int nr_cpus, int *cpus, int nr);

/* One line about it, for a case that fails. Returns out. */
char *random_machine_text(const struct machine_config *config, char *out, size_t out_bytes);

#endif
