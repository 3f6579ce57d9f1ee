/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an experiment says about the kernel beside its policies: section
 * `kernel`, one mapping per part.
 */
#ifndef CONTEND_KERNEL_KERNEL_H
#define CONTEND_KERNEL_KERNEL_H

#include "models/kernel/buddy.h"
#include "models/kernel/page_alloc.h"
#include "models/kernel/sched.h"
#include "models/kernel/vmalloc.h"
#include "sim/util/param.h"

struct kernel_config {
	struct sched_params sched;
	struct page_alloc_params page_alloc;
	struct buddy_costs buddy;
	struct vmalloc_params vmalloc;
};

/* Into struct kernel_config: sched, page_alloc, buddy, vmalloc. */
extern const struct param_section kernel_sections[];

#endif
