/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Universal Scalability Law (Gunther), which people use today to
 * extrapolate throughput: X(N) = g N / (1 + a (N - 1) + b N (N - 1)).
 * Fitted by GSL's nonlinear least squares on log X with a, b >= 0.
 */
#ifndef CONTEND_STATS_USL_H
#define CONTEND_STATS_USL_H

#include "sim/util/error.h"

struct usl {
	double gamma; /* throughput of one thread */
	double alpha; /* contention */
	double beta; /* coherency */
};

/* Fit to nr >= 3 points (threads[i], throughput[i] > 0). Fails on fewer or when GSL does not converge. */
int usl_fit(const double *threads, const double *throughput, int nr, struct usl *out, struct error *err);

double usl_predict(const struct usl *usl, double threads);

#endif
