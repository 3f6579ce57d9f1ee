/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run that line_record and line_rate look at. */
#ifndef CONTEND_BENCH_LINE_SETUP_H
#define CONTEND_BENCH_LINE_SETUP_H

#include "models/run.h"
#include "sim/util/arena.h"
#include "sim/util/error.h"

/*
 * The words are an experiment, a variant of it, and KEY=VALUE as for --set. The run is their first point, by the default
 * engine, without a warm-up, of the length that the experiment says.
 */
int line_setup(struct arena *arena, char **words, int nr_words, struct run_config *config, struct error *err);

#endif
