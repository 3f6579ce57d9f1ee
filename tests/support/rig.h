/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A test rig: a machine from a literal configuration, its engine, and one
 * actor per CPU that a test starts. A failing assertion inside an actor would
 * jump across stacks, so actors record and the test asserts after rig_run.
 */
#ifndef CONTEND_TESTS_RIG_H
#define CONTEND_TESTS_RIG_H

#include "models/hardware/cpu.h"
#include "models/hardware/line.h"
#include "models/hardware/machine.h"
#include "models/kernel/folio.h"
#include "models/kernel/policy.h"
#include "sim/engine/engine.h"
#include "sim/util/arena.h"
#include "sim/util/param.h"

#define NS(ns) ((sim_ps)((ns)*1000.0 + 0.5))

/* A CPU beside the machine: an actor of its own that looks on. Its events of a date come after those of all CPUs. */
#define OBSERVER (-1)

struct rig {
	struct arena *arena;
	struct machine *machine;
	struct engine *engine;
	struct cpu *cpus; /* by CPU number; the observer is the last */
	uint64_t seed;
};

typedef void rig_fn(struct cpu *cpu, void *arg);

/*
 * Two sockets of two clusters of two cores each, CPUs 0 .. 7, siblings 8 .. 15 when smt is 2. Transfers 10, 20, 100 and
 * 200 ns; occupancy 100 %; the owner loses a line after 2, 25 and 50 ns; no jitter. Hits: load 1, store 2, atomic 5,
 * compare- and-swap 3 more.
 */
struct machine_config rig_machine(uint32_t smt);

/* The defaults of every table; required values are 0. */
struct machine_config rig_defaults(void);

void rig_create(struct rig *rig, const struct machine_config *config, uint64_t seed);
void rig_create_on(struct rig *rig, const struct machine_config *config, uint64_t seed, enum engine_kind engine);
void rig_destroy(struct rig *rig);

/* The actor of a CPU, from `start` (>= 1 ps) on. At most one per CPU; `cpu` may be OBSERVER. */
void rig_start(struct rig *rig, int cpu, sim_ps start, rig_fn *fn, void *arg);

/* Until all actors have ended; -1 with err on a deadlock. */
int rig_run(struct rig *rig, struct error *err);

struct line *rig_line(struct rig *rig, int home_node);

/* A folio at a home node, its count 0, with a wait queue of its own. */
struct folio *rig_folio(struct rig *rig, int home_node);

/* A policy with its default parameters, in the rig's arena. */
struct policy_choice rig_choice(struct rig *rig, const struct policy *policy);

/* A policy with its default parameters but for these; "key value key value ...", NULL for none. */
struct policy_choice rig_choice_with(struct rig *rig, const struct policy *policy, const char *values);

/* Parameters of a table, in the rig's arena: defaults but for these. */
void *rig_params(struct rig *rig, const struct param *table, size_t bytes, const char *values);

/* Give up with an error when the run is not over by then (a livelock). */
void rig_limit(struct rig *rig, sim_ps date);

/* What all CPUs counted. */
struct cpu_counters rig_counters(const struct rig *rig);

#endif
