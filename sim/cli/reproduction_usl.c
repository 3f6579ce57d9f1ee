/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What people use today: measure one socket, fit the Universal Scalability Law, extrapolate. */
#include "sim/cli/reproduction.h"

#include "sim/stats/usl.h"

#include <math.h>
#include <string.h>

/* Cores of one socket of the experiment's machine, or 0 when that is no question of threads. */
static int cores_of_socket(const struct reproduction *reproduction)
{
	struct arena *scratch = arena_create();
	struct run_config config;
	struct error unused;
	int cores = 0;

	if (strcmp(reproduction->published->axis, "threads") == 0 &&
	    experiment_resolve(reproduction->experiment, scratch, 0, 0, 0, NULL, &config, &unused) == 0)
		cores = machine_topology_cores_per_socket(&config.machine.topology);
	arena_destroy(scratch);
	return cores;
}

/* Fit one column on the rows of up to `cores` threads; predictions of every row into predicted (rows x columns). */
static int predict_column(const struct published *published, int column, int cores, double *predicted)
{
	struct arena *scratch = arena_create();
	double *threads = arena_calloc(scratch, (size_t)published->nr_rows, sizeof(*threads));
	double *values = arena_calloc(scratch, (size_t)published->nr_rows, sizeof(*values));
	struct error unused;
	struct usl usl;
	int nr = 0;
	int row, failed;

	for (row = 0; row < published->nr_rows; row++) {
		threads[nr] = results_number(published->rows[row]);
		values[nr] = published->values[row * published->nr_columns + column];
		nr += threads[nr] <= cores && values[nr] > 0;
	}
	failed = usl_fit(threads, values, nr, &usl, &unused);
	for (row = 0; !failed && row < published->nr_rows; row++)
		predicted[row * published->nr_columns + column] =
			usl_predict(&usl, results_number(published->rows[row]));
	arena_destroy(scratch);
	return failed;
}

/* RMS of log(predicted / published) over the rows beyond one socket; NAN when there is no cell. */
static double rms_log_beyond(const struct published *published, const double *predicted, int cores)
{
	double sum = 0;
	int nr = 0;
	int i;

	for (i = 0; i < published->nr_rows * published->nr_columns; i++) {
		double ratio_log = log(predicted[i] / published->values[i]);

		if (results_number(published->rows[i / published->nr_columns]) > cores && isfinite(ratio_log)) {
			sum += ratio_log * ratio_log;
			nr++;
		}
	}
	return nr > 0 ? sqrt(sum / nr) : NAN;
}

static double simulated_rms_log_beyond(struct arena *arena, const struct reproduction *reproduction, int cores)
{
	int nr = reproduction->published->nr_rows * reproduction->published->nr_columns;
	double *simulated = arena_calloc(arena, (size_t)nr, sizeof(*simulated));
	int i;

	for (i = 0; i < nr; i++)
		simulated[i] = reproduction->cells[i].used ? NAN : reproduction->cells[i].simulated.mean;
	return rms_log_beyond(reproduction->published, simulated, cores);
}

void reproduction_add_rival(struct arena *arena, struct reproduction *reproduction)
{
	const struct published *published = reproduction->published;
	int nr_columns = published->nr_columns;
	int cores = cores_of_socket(reproduction);
	double *predicted = arena_calloc(arena, (size_t)(published->nr_rows * nr_columns), sizeof(*predicted));
	const double *last = &predicted[(published->nr_rows - 1) * nr_columns];
	struct usl_rival *usl = &reproduction->usl;
	int base = reproduction->baseline_column;
	int i;

	for (i = 0; i < published->nr_rows; i++)
		usl->nr_fitted_rows += results_number(published->rows[i]) <= cores;
	usl->nr_predicted_rows = published->nr_rows - usl->nr_fitted_rows;
	if (cores == 0 || usl->nr_predicted_rows == 0)
		return;
	for (i = 0; i < nr_columns; i++) {
		if (predict_column(published, i, cores, predicted))
			return;
	}
	usl->fitted = true;
	usl->rms_log = rms_log_beyond(published, predicted, cores);
	usl->simulated_rms_log = simulated_rms_log_beyond(arena, reproduction, cores);
	usl->last_change = base >= 0 && nr_columns > 1 ? 100 * (last[base == 0] / last[base] - 1) : NAN;
}
