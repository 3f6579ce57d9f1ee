/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace.dat of version 6, as trace-cmd report, KernelShark and trace_dat.h read it; trace-cmd.dat.v6(5) is the
 * description.
 */
#ifndef CONTEND_TRACE_TRACE_DAT_WRITE_H
#define CONTEND_TRACE_TRACE_DAT_WRITE_H

#include <stdio.h>

#include "sim/util/error.h"

/* Events of one system that may occur: their formats, NULL-ended. */
struct trace_dat_system {
	const char *name;
	const char *const *formats;
};

/* Texts of tracefs, NUL-ended. */
struct trace_dat_header {
	const char *header_page, *header_event; /* of events/ */
	const struct trace_dat_system *systems;
	int nr_systems;
	const char *kallsyms; /* lines of it: the functions whose addresses events have */
	const char *saved_cmdlines;
};

/* The header, then each CPU's file: whole sub-buffers of a page, as trace_pipe_raw gives them. Failures stay in `out`. */
int trace_dat_write(FILE *out, const struct trace_dat_header *header, const int *cpu_fds, int nr_cpus,
		    struct error *err);

#endif
