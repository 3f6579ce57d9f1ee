/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every policy has in common, and the axes along which a variant chooses.
 */
#ifndef CONTEND_KERNEL_POLICY_H
#define CONTEND_KERNEL_POLICY_H

#include "sim/util/error.h"
#include "sim/util/param.h"

/* What a policy decides; the key in YAML is policy_axis_keys[axis] of registry.h. */
enum policy_axis {
	AXIS_REFCOUNT, /* how a folio's reference count is taken and dropped */
	AXIS_FOLIO_LOCK, /* what a CPU does that finds a folio locked */
	AXIS_PCP_HIGH, /* how many pages a CPU keeps for itself, takes at a time and gives back */
	AXIS_ZONE_LOCK, /* how CPUs queue up for a spinlock */
	AXIS_PCP_FREE, /* under how many holds a CPU gives pages back to their zone */
	AXIS_VMALLOC_ORDER, /* in which blocks vmalloc() asks for pages */
	AXIS_CONTIG_FREE, /* in which blocks vfree() gives them back */
	NR_POLICY_AXES,
};

/* The head of every policy descriptor (the first member of struct refcount_policy, ...). */
struct policy {
	const char *name; /* "cas": the value in YAML */
	const char *summary; /* one line */
	const char *mirrors; /* kernel file and function that it stands for, or "none" */
	const struct param *params; /* never NULL; may be empty */
	size_t params_size;

	/*
	 * What the table cannot check; NULL when there is nothing. On a bad combination fills err, names the parameter to
	 * blame in *key and returns -1.
	 */
	int (*check)(const void *params, const char **key, struct error *err);
};

struct policy_choice {
	const struct policy *policy;
	const void *params;
};

#endif
