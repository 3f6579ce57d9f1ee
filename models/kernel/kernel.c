/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/kernel.h"

const struct param_section kernel_sections[] = {
	{ "sched", sched_params, offsetof(struct kernel_config, sched) },
	{ "page_alloc", page_alloc_params, offsetof(struct kernel_config, page_alloc) },
	{ "buddy", buddy_cost_params, offsetof(struct kernel_config, buddy) },
	{ "vmalloc", vmalloc_params, offsetof(struct kernel_config, vmalloc) },
	{ NULL, NULL, 0 },
};
