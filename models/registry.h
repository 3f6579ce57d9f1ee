/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every policy and workload by name. Nothing else names a plug-in.
 *
 * To add one: write models/policies/NAME.c or models/workloads/NAME.c ending
 * in its descriptor, and add one line to the list in registry.c.
 */
#ifndef CONTEND_MODELS_REGISTRY_H
#define CONTEND_MODELS_REGISTRY_H

#include "models/kernel/policy.h"

extern const char *const policy_axis_keys[NR_POLICY_AXES + 1]; /* "refcount", "folio_lock", ..., NULL */

struct workload; /* models/workloads/workload.h */

const struct policy *registry_policy(enum policy_axis axis, const char *name);
const struct policy *registry_default_policy(enum policy_axis axis);
const struct workload *registry_workload(const char *name);

/* Iterate: index 0, 1, ... until NULL. */
const struct policy *registry_policy_at(enum policy_axis axis, int index);
const struct workload *registry_workload_at(int index);

/* All names, NULL-ended, in the order of the list (for hints). */
const char *const *registry_policy_names(enum policy_axis axis);
const char *const *registry_workload_names(void);

#endif
