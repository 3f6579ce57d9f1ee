/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Engines by name, for command lines. */
#ifndef CONTEND_BENCH_ENGINE_KIND_H
#define CONTEND_BENCH_ENGINE_KIND_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cli/options.h"
#include "sim/engine/engine.h"

/* Ends the process when there is none of that name. */
static inline enum engine_kind engine_kind(const char *name)
{
	for (int kind = 0; engine_names[kind]; kind++) {
		if (!strcmp(name, engine_names[kind]))
			return (enum engine_kind)kind;
	}
	fprintf(stderr, "there is no engine '%s'\n", name);
	exit(2);
}

#endif
