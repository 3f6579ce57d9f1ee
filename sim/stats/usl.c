/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Universal Scalability Law, fitted on log X.
 *
 * Parameters of the fit are log g, sqrt a and sqrt b, so a and b cannot fall below zero and g stays positive. Started
 * from the linear least-squares solution of N / X = (1 + a (N - 1) + b N (N - 1)) / g and from fixed shapes; the best
 * end wins.
 *
 * Source: Gunther, Guerrilla Capacity Planning, 2007.
 */
#include "sim/stats/usl.h"

#include <math.h>
#include <stdbool.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_multifit_nlinear.h>

#define NR_PARAMETERS 3
#define MAX_ITERATIONS 500
#define TOLERANCE 1e-10

enum parameter {
	LOG_GAMMA,
	ROOT_ALPHA,
	ROOT_BETA,
};

struct points {
	const double *threads;
	const double *throughput;
	int nr;
};

/* Shapes to start from beside the linear solution: contention alone, coherency alone, nearly linear. */
static const struct usl shapes[] = {
	{ .alpha = 0.1, .beta = 1e-8 },
	{ .alpha = 1e-4, .beta = 1e-2 },
	{ .alpha = 1e-3, .beta = 1e-6 },
};
#define NR_SHAPES (sizeof(shapes) / sizeof(shapes[0]))

static double slowdown(double alpha, double beta, double threads)
{
	return 1.0 + alpha * (threads - 1.0) + beta * threads * (threads - 1.0);
}

double usl_predict(const struct usl *usl, double threads)
{
	return usl->gamma * threads / slowdown(usl->alpha, usl->beta, threads);
}

static struct usl from_parameters(const gsl_vector *x)
{
	double root_alpha = gsl_vector_get(x, ROOT_ALPHA);
	double root_beta = gsl_vector_get(x, ROOT_BETA);

	return (struct usl){
		.gamma = exp(gsl_vector_get(x, LOG_GAMMA)),
		.alpha = root_alpha * root_alpha,
		.beta = root_beta * root_beta,
	};
}

/* log of the prediction minus log of the measurement, per point */
static int residuals(const gsl_vector *x, void *arg, gsl_vector *out)
{
	const struct points *points = arg;
	const struct usl usl = from_parameters(x);

	for (int i = 0; i < points->nr; i++)
		gsl_vector_set(out, (size_t)i, log(usl_predict(&usl, points->threads[i]) / points->throughput[i]));
	return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *x, void *arg, gsl_matrix *out)
{
	const struct points *points = arg;
	const struct usl usl = from_parameters(x);

	for (int i = 0; i < points->nr; i++) {
		double n = points->threads[i];
		double scale = -2.0 / slowdown(usl.alpha, usl.beta, n);

		gsl_matrix_set(out, (size_t)i, LOG_GAMMA, 1.0);
		gsl_matrix_set(out, (size_t)i, ROOT_ALPHA, scale * gsl_vector_get(x, ROOT_ALPHA) * (n - 1.0));
		gsl_matrix_set(out, (size_t)i, ROOT_BETA, scale * gsl_vector_get(x, ROOT_BETA) * n * (n - 1.0));
	}
	return GSL_SUCCESS;
}

/* g that puts the mean residual of a shape at zero. */
static double shape_gamma(const struct points *points, const struct usl *shape)
{
	const struct usl unit = { .gamma = 1.0, .alpha = shape->alpha, .beta = shape->beta };
	double sum = 0;

	for (int i = 0; i < points->nr; i++)
		sum += log(points->throughput[i] / usl_predict(&unit, points->threads[i]));
	return exp(sum / points->nr);
}

/* The linear solution as a shape; what it puts below zero starts near zero. Falls back to the first fixed shape. */
static struct usl linear_shape(const struct points *points)
{
	const size_t nr = (size_t)points->nr;
	gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(nr, NR_PARAMETERS);
	gsl_matrix *terms = gsl_matrix_alloc(nr, NR_PARAMETERS);
	gsl_matrix *covariance = gsl_matrix_alloc(NR_PARAMETERS, NR_PARAMETERS);
	gsl_vector *time = gsl_vector_alloc(nr);
	gsl_vector *solution = gsl_vector_alloc(NR_PARAMETERS);
	struct usl out = shapes[0];
	double chi_squared;

	for (size_t i = 0; i < nr; i++) {
		double n = points->threads[i];

		gsl_vector_set(time, i, n / points->throughput[i]);
		gsl_matrix_set(terms, i, 0, 1.0);
		gsl_matrix_set(terms, i, 1, n - 1.0);
		gsl_matrix_set(terms, i, 2, n * (n - 1.0));
	}
	if (gsl_multifit_linear(terms, time, solution, covariance, &chi_squared, work) == GSL_SUCCESS &&
	    gsl_vector_get(solution, 0) > 0) {
		out.alpha = fmax(gsl_vector_get(solution, 1) / gsl_vector_get(solution, 0), 1e-6);
		out.beta = fmax(gsl_vector_get(solution, 2) / gsl_vector_get(solution, 0), 1e-9);
	}
	gsl_vector_free(solution);
	gsl_vector_free(time);
	gsl_matrix_free(covariance);
	gsl_matrix_free(terms);
	gsl_multifit_linear_free(work);
	return out;
}

/* One descent from a shape. Returns the sum of squares and the end in *out; INFINITY when it does not converge. */
static double descend(struct points *points, const struct usl *shape, struct usl *out)
{
	const gsl_multifit_nlinear_parameters settings = gsl_multifit_nlinear_default_parameters();
	gsl_multifit_nlinear_workspace *work =
		gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &settings, (size_t)points->nr, NR_PARAMETERS);
	gsl_multifit_nlinear_fdf system = {
		.f = residuals,
		.df = jacobian,
		.n = (size_t)points->nr,
		.p = NR_PARAMETERS,
		.params = points,
	};
	double start[NR_PARAMETERS] = { log(shape_gamma(points, shape)), sqrt(shape->alpha), sqrt(shape->beta) };
	gsl_vector_view x = gsl_vector_view_array(start, NR_PARAMETERS);
	double sum_of_squares = INFINITY;
	int reason;

	if (gsl_multifit_nlinear_init(&x.vector, &system, work) == GSL_SUCCESS) {
		int status = gsl_multifit_nlinear_driver(MAX_ITERATIONS, TOLERANCE, TOLERANCE, TOLERANCE, NULL, NULL,
							 &reason, work);

		*out = from_parameters(gsl_multifit_nlinear_position(work));
		/* no progress: the start of this descent was its end, to rounding */
		if (status == GSL_SUCCESS || status == GSL_ENOPROG)
			gsl_blas_ddot(gsl_multifit_nlinear_residual(work), gsl_multifit_nlinear_residual(work),
				      &sum_of_squares);
	}
	gsl_multifit_nlinear_free(work);
	return isfinite(sum_of_squares) ? sum_of_squares : INFINITY;
}

static int best_fit(struct points *points, struct usl *out, struct error *err)
{
	const struct usl linear = linear_shape(points);
	double best = descend(points, &linear, out);

	for (size_t i = 0; i < NR_SHAPES; i++) {
		struct usl end;
		double sum_of_squares = descend(points, &shapes[i], &end);

		if (sum_of_squares < best) {
			best = sum_of_squares;
			*out = end;
		}
	}
	return isfinite(best) ? 0 : error_plain(err, "the fit of the scalability law does not converge");
}

static bool is_repeated(const double *values, int i)
{
	for (int k = 0; k < i; k++) {
		if (values[k] == values[i])
			return true;
	}
	return false;
}

static int points_check(const struct points *points, struct error *err)
{
	int nr_different = 0;

	for (int i = 0; i < points->nr; i++) {
		if (!(points->threads[i] >= 1) || !(points->throughput[i] > 0) || !isfinite(points->threads[i]) ||
		    !isfinite(points->throughput[i]))
			return error_plain(err, "no scalability law through %g threads with throughput %g",
					   points->threads[i], points->throughput[i]);
		nr_different += !is_repeated(points->threads, i);
	}
	if (nr_different < NR_PARAMETERS)
		return error_plain(err, "the scalability law needs %d different numbers of threads, not %d",
				   NR_PARAMETERS, nr_different);
	return 0;
}

int usl_fit(const double *threads, const double *throughput, int nr, struct usl *out, struct error *err)
{
	struct points points = { .threads = threads, .throughput = throughput, .nr = nr };
	gsl_error_handler_t *handler;
	int failed;

	if (points_check(&points, err) != 0)
		return -1;
	/* GSL's own handler aborts; its status codes are enough here */
	handler = gsl_set_error_handler_off();
	failed = best_fit(&points, out, err);
	gsl_set_error_handler(handler);
	return failed;
}
