/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "models/kernel/kernel.h"

const struct param_section kernel_sections[] = {
	{ NULL, NULL, 0 },
};
