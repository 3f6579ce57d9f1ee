/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine as text: its tree with CPU numbers, its distances, its values; and what looks odd in its file. */
#ifndef CONTEND_CLI_MACHINE_TEXT_H
#define CONTEND_CLI_MACHINE_TEXT_H

#include <stdio.h>

#include "models/hardware/machine.h"

/* The drawing: one line per L3 cluster while a screen or two hold them, else one per NUMA node. */
void machine_text_draw(FILE *out, struct arena *arena, const struct machine_config *config);

/* Call report(context, text) for everything that is no error but hardly meant. Returns how many there were. */
int machine_text_oddities(const struct machine_config *config, void (*report)(void *context, const char *text),
			  void *context);

#endif
