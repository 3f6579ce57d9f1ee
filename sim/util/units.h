/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Simulated time and its units.
 *
 * A date and a duration are whole picoseconds in an int64 (106 days). YAML
 * speaks of nanoseconds as decimal numbers; ns_to_ps() is the only way in.
 */
#ifndef CONTEND_UTIL_UNITS_H
#define CONTEND_UTIL_UNITS_H

#include <stdint.h>

typedef int64_t sim_ps;

#define PS_PER_NS INT64_C(1000)
#define PS_PER_US INT64_C(1000000)
#define PS_PER_MS INT64_C(1000000000)
#define PS_PER_S INT64_C(1000000000000)
#define SIM_PS_MAX INT64_MAX

/* Nanoseconds to picoseconds, rounded half away from zero. */
static inline sim_ps ns_to_ps(double ns)
{
	double ps = ns * 1000.0;

	return (sim_ps)(ps < 0 ? ps - 0.5 : ps + 0.5);
}

static inline double ps_to_ns(sim_ps ps)
{
	return (double)ps / 1000.0;
}

static inline double ps_to_s(sim_ps ps)
{
	return (double)ps / 1e12;
}

static inline sim_ps ps_max(sim_ps a, sim_ps b)
{
	return a > b ? a : b;
}

static inline sim_ps ps_min(sim_ps a, sim_ps b)
{
	return a < b ? a : b;
}

#endif
