/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Emptying the per-CPU page lists of this machine, so that a recording starts from lists whose contents do not matter.
 *
 * vm.percpu_pagelist_high_fraction at its greatest bound makes high so low that the kernel's own decay, once a second,
 * drains the lists to what it leaves (252 pages of kernel 6.18); then the old value is written back. A second process,
 * which no signal of the terminal reaches, does that when this one ends in whatever way.
 */
#ifndef CONTEND_CLI_PCP_LISTS_H
#define CONTEND_CLI_PCP_LISTS_H

#include "sim/util/arena.h"
#include "sim/util/error.h"

/*
 * Returns 0 once the lists have stopped shrinking (some 10 s, a minute at most), 1 when signal_fd could be read before
 * that, -1 on failure; the sysctl is as it was in every case.
 */
int pcp_lists_empty(struct arena *arena, int signal_fd, struct error *err);

#endif
