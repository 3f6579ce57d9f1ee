/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published tables: what is read, what is refused and where, and scores worked out by hand. */
#include "sim/stats/published.h"

#include "tests/support/sample_results.h"
#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#define HEAD "# source: a mail\n# unit: ops/s\n# metric: throughput\n# axis: threads\n"
#define INDEX_HEAD "# source: a mail\n# kind: index\n# base: vanilla\n# metric: throughput\n# axis: threads\n"
#define CHANGE_HEAD "# source: a mail\n# kind: change_pct\n# axis: metric\n"

static struct published *load(const struct scratch *scratch, const char *text)
{
	struct published *table = published_load(scratch->arena, scratch_write(scratch, "t.csv", text), NULL);

	assert_non_null(table);
	return table;
}

static void assert_near(double value, double expected)
{
	if (isnan(expected))
		assert_true(isnan(value));
	else if (!(fabs(value - expected) <= 1e-9))
		fail_msg("%.12g is not %.12g", value, expected);
}

static void a_table_is_read_with_its_head(void **state)
{
	const struct scratch *scratch = *state;
	const struct published *table =
		load(scratch, "# source: a mail,\n# free text\n# source: table 2\n# unit: ops/s\n"
			      "# metric: throughput\n#axis:threads\nthreads,vanilla,\"a,b\"\n"
			      "1,1343381,\n2,2.5e3,7\n");

	assert_string_equal(table->source, "a mail, table 2");
	assert_string_equal(table->unit, "ops/s");
	assert_string_equal(table->metric, "throughput");
	assert_string_equal(table->axis, "threads");
	assert_int_equal(table->nr_columns, 2);
	assert_string_equal(table->columns[1], "a,b");
	assert_int_equal(table->nr_rows, 2);
	assert_string_equal(table->rows[1], "2");
	assert_near(table->values[0], 1343381);
	assert_true(isnan(table->values[1]));
	assert_near(table->values[2], 2500);
	assert_false(table->used[0]);
}

static void index_values_have_a_base_and_no_unit_of_their_own(void **state)
{
	const struct scratch *scratch = *state;
	const struct published *table = load(scratch, INDEX_HEAD "threads,vanilla,patched\n1,100,69.5\n2,100,\n");

	assert_int_equal(table->kind, PUBLISHED_INDEX);
	assert_string_equal(table->unit, "index");
	assert_string_equal(table->base, "vanilla");
	assert_near(table->values[1], 69.5);
	assert_true(isnan(table->values[3]));
	assert_true(isnan(table->variations[0]));
}

static void changes_have_the_variation_that_was_published_with_a_row(void **state)
{
	const struct scratch *scratch = *state;
	const struct published *table =
		load(scratch, CHANGE_HEAD "metric,patched,variation\nsys,-11.8737,5.0267\nreal,+1,\n");

	assert_int_equal(table->kind, PUBLISHED_CHANGE_PCT);
	assert_string_equal(table->unit, "%");
	assert_null(table->metric);
	assert_int_equal(table->nr_columns, 1);
	assert_near(table->values[0], -11.8737);
	assert_near(table->values[1], 1);
	assert_near(table->variations[0], 5.0267);
	assert_true(isnan(table->variations[1]));
}

static void only_changes_have_a_variation(void **state)
{
	const struct scratch *scratch = *state;
	const struct published *table = load(scratch, HEAD "threads,vanilla,variation\n1,2,3\n");

	assert_int_equal(table->nr_columns, 2);
	assert_true(isnan(table->variations[0]));
}

static void many_rows_keep_their_values(void **state)
{
	const struct scratch *scratch = *state;
	const char *text = HEAD "threads,vanilla\n";
	const struct published *table;

	for (int i = 0; i < 100; i++)
		text = arena_printf(scratch->arena, "%s%d,%d\n", text, i, 2 * i);
	table = load(scratch, text);
	assert_int_equal(table->nr_rows, 100);
	for (int i = 0; i < 100; i++)
		assert_near(table->values[i], 2 * i);
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "", ": no line '# source: ...' at the head of the table" },
		{ "# source: x\n# unit: y\n# metric: z\nthreads,a\n1,2\n",
		  ": no line '# axis: ...' at the head of the table" },
		{ "# source: x\n# unit:\n", ":2:1: 'unit' has no value" },
		{ "# axis: x\n# axis: y\n", ":2:1: 'axis' stands here a second time" },
		{ HEAD, ": no line of column names after the head" },
		{ HEAD "thread,a\n", ":5:1: the first column is 'thread', but the axis is 'threads'" },
		{ HEAD "threads\n1\n", ":5:1: no column after 'threads'" },
		{ HEAD "threads,a,a\n", ":5:11: two columns are named 'a'" },
		{ HEAD "threads,a,\n", ":5:11: a column without a name" },
		{ HEAD "threads,a\n", ": a table without rows" },
		{ HEAD "threads,a\n1,2\n1,3\n", ":7:1: two rows have threads '1'" },
		{ HEAD "threads,a\n,2\n", ":6:1: a row without a value of 'threads'" },
		{ HEAD "threads,a\n1,2k\n", ":6:3: '2k' is no number" },
		{ HEAD "threads,a\n1,nan\n", ":6:3: 'nan' is no number" },
		{ HEAD "threads,a\n1,1e999\n", ":6:3: '1e999' is no number" },
		{ HEAD "threads,a\n1,2,3\n", ":6:1: 3 fields where the first row has 2" },
		{ "# kind: levels\n" HEAD "threads,a\n",
		  ": unknown kind 'levels'; known are level, index, change_pct" },
		{ "# kind: index\n" HEAD "threads,a\n",
		  ": '# unit: ...' has no meaning in a table of kind index by threads" },
		{ "# base: a\n" HEAD "threads,a\n",
		  ": '# base: ...' has no meaning in a table of kind level by threads" },
		{ CHANGE_HEAD "# metric: sys\nmetric,a\n",
		  ": '# metric: ...' has no meaning in a table of kind change_pct by metric" },
		{ "# source: x\n# kind: index\n# metric: y\n# axis: z\nz,a\n",
		  ": no line '# base: ...' at the head of the table" },
		{ "# source: x\n# kind: change_pct\n# axis: z\nz,a\n",
		  ": no line '# metric: ...' at the head of the table" },
		{ INDEX_HEAD "threads,a\n1,100\n", ":6:1: no column is named 'vanilla', the base" },
		{ INDEX_HEAD "threads,a,vanilla\n1,2,99\n", ":7:5: the base column is 100 in every row" },
		{ INDEX_HEAD "threads,a,vanilla\n1,2,\n", ":7:5: the base column is 100 in every row" },
		{ CHANGE_HEAD "metric,a,variation\nsys,1,2%\n", ":5:7: '2%' is no number" },
		{ CHANGE_HEAD "metric,a,variation\nsys,1,-2\n", ":5:7: a variation is not negative" },
	};
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = scratch_write(scratch, "t.csv", cases[i].text);
		struct error err;
		char text[1024];

		assert_null(published_load(scratch->arena, path, &err));
		assert_string_equal(error_format(&err, text, sizeof(text)) + strlen(path), cases[i].error);
	}
	assert_null(published_load(scratch->arena, scratch_path(scratch, "missing"), NULL));
}

static void cells_are_marked_by_row_and_column(void **state)
{
	const struct scratch *scratch = *state;
	struct published *table = load(scratch, HEAD "threads,a,b/c\n1,1,1\n1/x,1,1\n");
	struct error err;
	char text[1024];

	assert_int_equal(published_mark_used(table, "1/b/c", NULL), 0);
	assert_int_equal(published_mark_used(table, "1/x/a", NULL), 0);
	assert_false(table->used[0]);
	assert_true(table->used[1]);
	assert_true(table->used[2]);
	assert_false(table->used[3]);
	assert_int_equal(published_mark_used(table, "2/a", &err), -1);
	error_format(&err, text, sizeof(text));
	assert_non_null(strstr(text, "t.csv: no cell '2/a' in this table; cells are ROW/COLUMN, as '1/a'"));
	assert_int_equal(published_mark_used(table, "1", NULL), -1);
	assert_int_equal(published_mark_used(table, "", NULL), -1);
}

/* What sample_small has: means of vanilla 1000 1000 1000 1000, of patched 3001/3 1200 900 -, at 1 to 4 threads. */
static const char *const small_table = HEAD "threads,vanilla,patched\n"
					    "1,1000,1009\n" /* +0.9 %: below the threshold */
					    "2,2000,2200\n" /* +10 % */
					    "3,500,600\n" /* +20 %, the simulated sign is wrong */
					    "4,1000,1200\n" /* patched failed */
					    "8,1000,1200\n"; /* not in the sweep */

static void assert_scores(const struct scratch *scratch, const char *const *used, struct score expected)
{
	struct published *table = load(scratch, small_table);
	struct cell_score cells[10];
	struct score score;

	for (; *used; used++)
		assert_int_equal(published_mark_used(table, *used, NULL), 0);
	assert_int_equal(published_score(table, sample_small(scratch->arena), cells, &score, NULL), 0);
	assert_near(score.rms_log, expected.rms_log);
	assert_near(score.change_mae_points, expected.change_mae_points);
	assert_int_equal(score.signs_right, expected.signs_right);
	assert_int_equal(score.signs_counted, expected.signs_counted);
	assert_int_equal(score.nr_cells, expected.nr_cells);
}

/* log(simulated / published) squared */
static double square_log(double ratio)
{
	return log(ratio) * log(ratio);
}

static void scores_are_those_of_the_definition(void **state)
{
	static const char *const none[] = { NULL };
	const double patched_1 = square_log(3001.0 / 3 / 1009);
	/* the paired change at 1 thread is the mean of 1001/1000, 1009/1010 and 991/990 */
	const double change_1 = 100 * (1001.0 / 1000 + 1009.0 / 1010 + 991.0 / 990) / 3 - 100;
	const double sum = square_log(1) + patched_1 + square_log(0.5) + square_log(1200.0 / 2200) + square_log(2) +
			   square_log(1.5) + square_log(1);

	assert_scores(*state, none,
		      (struct score){
			      .rms_log = sqrt(sum / 7),
			      .change_mae_points = (fabs(change_1 - 0.9) + 10 + 30) / 3,
			      .signs_right = 1,
			      .signs_counted = 2,
			      .nr_cells = 7,
		      });
}

static void used_cells_are_not_scored_and_a_change_only_when_one_of_its_cells_is_free(void **state)
{
	static const char *const used[] = { "1/vanilla", "1/patched", "2/vanilla", "4/vanilla", NULL };
	const double sum = square_log(1200.0 / 2200) + square_log(2) + square_log(1.5);

	assert_scores(*state, used,
		      (struct score){
			      .rms_log = sqrt(sum / 3),
			      .change_mae_points = (10.0 + 30.0) / 2,
			      .signs_right = 1,
			      .signs_counted = 2,
			      .nr_cells = 3,
		      });
}

static void nothing_left_to_score_is_no_number(void **state)
{
	static const char *const used[] = { "1/vanilla", "1/patched", "2/vanilla", "2/patched",
					    "3/vanilla", "3/patched", "4/vanilla", NULL };

	assert_scores(*state, used, (struct score){ .rms_log = NAN, .change_mae_points = NAN });
}

static void cells_come_in_row_order_with_what_was_simulated(void **state)
{
	const struct scratch *scratch = *state;
	const struct published *table = load(scratch, small_table);
	struct cell_score cells[10];
	struct score score;

	assert_int_equal(published_score(table, sample_small(scratch->arena), cells, &score, NULL), 0);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(cells[i].row, i / 2);
		assert_int_equal(cells[i].column, i % 2);
		assert_near(cells[i].published, table->values[i]);
		assert_true(isnan(cells[i].band_low) && isnan(cells[i].band_high));
	}
	assert_near(cells[3].simulated.mean, 1200);
	assert_int_equal(cells[3].simulated.n, 3);
	assert_true(cells[3].simulated.low < 1200 && cells[3].simulated.high > 1200);
	assert_true(isnan(cells[7].simulated.mean)); /* failed */
	assert_true(isnan(cells[8].simulated.mean)); /* not swept */
}

static void rows_meet_axis_values_as_numbers_or_as_texts(void **state)
{
	const struct scratch *scratch = *state;
	const struct published *table = load(scratch, HEAD "threads,vanilla\n2.0,1000\nmany,1000\n");
	struct results *results = sample_small(scratch->arena);
	struct cell_score cells[2];
	struct score score;

	results->axes[0].values[2] = "many";
	results->axes[0].value_numbers[2] = NAN;
	assert_int_equal(published_score(table, results, cells, &score, NULL), 0);
	assert_near(score.rms_log, 0);
	assert_int_equal(score.nr_cells, 2);
	assert_near(score.change_mae_points, NAN); /* one column: no change */
}

static void the_baseline_of_changes_is_that_of_the_results(void **state)
{
	const struct scratch *scratch = *state;
	const struct published *table = load(scratch, HEAD "threads,vanilla,patched\n2,1000,1200\n");
	struct results *results = sample_small(scratch->arena);
	struct cell_score cells[2];
	struct score score;

	results->baseline = 1;
	assert_int_equal(published_score(table, results, cells, &score, NULL), 0);
	/* published -16.67 %, simulated the mean of 1000/1200, 1000/1210 and 1000/1190 */
	assert_near(score.change_mae_points,
		    fabs(100 * (1000.0 / 1200 + 1000.0 / 1210 + 1000.0 / 1190) / 3 - 100 * 1000.0 / 1200));
	assert_int_equal(score.signs_right, 1);
}

/* Index values of sample_small: 100 and what the paired change makes of it. */
static void an_index_is_scored_by_its_changes_alone(void **state)
{
	const struct scratch *scratch = *state;
	const struct published *table =
		load(scratch, INDEX_HEAD "threads,patched,vanilla\n2,125,100\n3,90.5,100\n8,10,100\n");
	struct results *results = sample_small(scratch->arena);
	struct cell_score cells[6];
	struct score score;

	assert_int_equal(published_score(table, results, cells, &score, NULL), 0);
	assert_near(cells[0].published, 125);
	assert_near(cells[0].simulated.mean, 120);
	assert_near(cells[1].simulated.mean, 100);
	assert_near(cells[1].simulated.high, 100);
	assert_near(cells[2].simulated.mean, 90);
	assert_true(cells[2].simulated.low < 90 && cells[2].simulated.high > 90);
	assert_true(isnan(cells[4].simulated.mean)); /* not swept */
	assert_near(cells[0].change.published, 25);
	assert_near(cells[0].change.simulated.mean, 20);
	assert_true(isnan(cells[1].change.published));
	assert_true(isnan(score.rms_log));
	assert_int_equal(score.nr_cells, 0);
	assert_near(score.change_mae_points, (5 + 0.5) / 2);
	assert_int_equal(score.signs_right, 2);

	/* against the other column the level stays, the change turns round */
	results->baseline = 1;
	assert_int_equal(published_score(table, results, cells, &score, NULL), 0);
	assert_near(cells[0].simulated.mean, 120);
	assert_true(isnan(cells[0].change.published));
	assert_near(cells[1].change.published, -20);
	assert_near(cells[1].change.simulated.mean, 100 * (1000.0 / 1200 + 1000.0 / 1210 + 1000.0 / 1190) / 3 - 100);
}

/* sample_small at 2 threads only: both metrics change by 20 %. */
static struct results *one_point(struct arena *arena)
{
	struct results *all = sample_small(arena);
	struct results *out = sample_small(arena);

	out->nr_axes = 0;
	results_allocate(out);
	for (int variant = 0; variant < 2; variant++) {
		for (int i = 0; i < 3 * 2; i++)
			*results_at(out, 0, variant, 0, i / 2, i % 2) = *results_at(all, 0, variant, 1, i / 2, i % 2);
	}
	return out;
}

static void changes_by_metric_are_those_of_the_only_point(void **state)
{
	const struct scratch *scratch = *state;
	struct published *table = load(scratch, CHANGE_HEAD "metric,patched,variation\n"
							    "throughput,15,14.9\n" /* the sign counts */
							    "cas_failures,-3,3\n"); /* not beyond its variation */
	struct results *results = one_point(scratch->arena);
	struct cell_score cells[2];
	struct score score;

	assert_int_equal(published_score(table, results, cells, &score, NULL), 0);
	assert_near(cells[0].simulated.mean, 20);
	assert_near(cells[0].change.simulated.mean, 20);
	assert_near(cells[0].change.published, 15);
	assert_near(cells[0].change.variation, 14.9);
	assert_near(cells[1].change.simulated.mean, 20);
	assert_true(isnan(score.rms_log));
	assert_near(score.change_mae_points, (5 + 23) / 2.0);
	assert_int_equal(score.signs_counted, 1);
	assert_int_equal(score.signs_right, 1);
	assert_int_equal(published_mark_used(table, "throughput/patched", NULL), 0);
	assert_int_equal(published_score(table, results, cells, &score, NULL), 0);
	assert_near(score.change_mae_points, 23);
	assert_int_equal(score.signs_counted, 0);
}

static void changes_that_do_not_fit_the_results_are_an_error(void **state)
{
	static const struct {
		const char *text, *error;
		bool swept;
	} cases[] = {
		{ CHANGE_HEAD "metric,vanilla\nthroughput,1\n",
		  "the column 'vanilla' of this table is the baseline of small: it has no change", false },
		{ CHANGE_HEAD "metric,patched\nreal,1\n", "the metric 'real' of this table is not reported by small",
		  false },
		{ CHANGE_HEAD "metric,patched\nthroughput,1\n", "this table sweeps nothing, but small sweeps 'threads'",
		  true },
	};
	const struct scratch *scratch = *state;
	struct cell_score cells[1];
	struct score score;
	struct error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct results *results = cases[i].swept ? sample_small(scratch->arena) : one_point(scratch->arena);

		assert_int_equal(published_score(load(scratch, cases[i].text), results, cells, &score, &err), -1);
		assert_string_equal(err.text, cases[i].error);
	}
}

static void a_table_that_does_not_fit_the_results_is_an_error(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ HEAD "threads,vanilla,other\n1,1,1\n", "the column 'other' of this table is no variant of sample" },
		{ "# source: x\n# unit: y\n# metric: throughput\n# axis: cpus\ncpus,vanilla\n1,1\n",
		  "the axis 'cpus' of this table is not swept by sample" },
		{ "# source: x\n# unit: y\n# metric: speed\n# axis: threads\nthreads,vanilla\n1,1\n",
		  "the metric 'speed' of this table is not reported by sample" },
		{ HEAD "threads,vanilla\n1,1\n",
		  "this table sweeps 'threads' alone, but sample sweeps 'machine.transfer.remote_ns' too" },
	};
	const struct scratch *scratch = *state;
	struct results *results = sample_results(scratch->arena);
	struct cell_score cells[2];
	struct score score;
	struct error err;

	assert_int_equal(published_score(load(scratch, cases[0].text), results, cells, &score, &err), -1);
	assert_string_equal(err.text, "this table is of one machine, but sample has 2");
	results->nr_machines = 1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		results->axes[1].nr_values = i == 0 ? 1 : 2;
		assert_int_equal(published_score(load(scratch, cases[i].text), results, cells, &score, &err), -1);
		assert_string_equal(err.text, cases[i].error);
	}
}

static void the_mails_own_numbers_score_perfectly(void **state)
{
	const struct scratch *scratch = *state;
	const struct published *table =
		published_load(scratch->arena, CONTEND_SOURCE_DIR "/results/published/refcount-haswell.csv", NULL);
	struct cell_score cells[20];
	struct score score;

	assert_non_null(table);
	assert_int_equal(table->nr_rows, 10);
	assert_int_equal(published_score(table, sample_mail(scratch->arena, 1), cells, &score, NULL), 0);
	assert_near(score.rms_log, 0);
	assert_near(score.change_mae_points, 0);
	assert_int_equal(score.signs_right, 9);
	assert_int_equal(score.signs_counted, 9);
}

#define TABLES CONTEND_SOURCE_DIR "/results/published/"

static void the_page_allocator_mails_have_the_cells_that_were_printed(void **state)
{
	static const struct {
		const char *file;
		enum published_kind kind;
		int nr_rows, nr_columns, row, column;
		const char *row_name, *column_name;
		double value, variation;
	} cases[] = {
		{ "batched-free-large.csv", PUBLISHED_CHANGE_PCT, 3, 1, 2, 0, "sys", "batched", -11.8737, 5.0267 },
		{ "batched-free-medium.csv", PUBLISHED_CHANGE_PCT, 3, 1, 1, 0, "user", "batched", 0.3170, 0.0994 },
		{ "batched-free-small.csv", PUBLISHED_CHANGE_PCT, 3, 1, 0, 0, "real", "batched", -2.6585, 0.1503 },
		{ "free-high.csv", PUBLISHED_INDEX, 4, 3, 1, 2, "lmbench3", "patched", 110.3, NAN },
		{ "netperf-tcp.csv", PUBLISHED_LEVEL, 8, 2, 5, 1, "3312", "patched", 15.88725, NAN },
	};
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = arena_printf(scratch->arena, "%s%s", TABLES, cases[i].file);
		const struct published *table = published_load(scratch->arena, path, NULL);

		assert_non_null(table);
		assert_int_equal(table->kind, cases[i].kind);
		assert_int_equal(table->nr_rows, cases[i].nr_rows);
		assert_int_equal(table->nr_columns, cases[i].nr_columns);
		assert_string_equal(table->rows[cases[i].row], cases[i].row_name);
		assert_string_equal(table->columns[cases[i].column], cases[i].column_name);
		assert_near(table->values[cases[i].row * table->nr_columns + cases[i].column], cases[i].value);
		assert_near(table->variations[cases[i].row], cases[i].variation);
	}
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(a_table_is_read_with_its_head),
		IN_SCRATCH(index_values_have_a_base_and_no_unit_of_their_own),
		IN_SCRATCH(changes_have_the_variation_that_was_published_with_a_row),
		IN_SCRATCH(only_changes_have_a_variation),
		IN_SCRATCH(many_rows_keep_their_values),
		IN_SCRATCH(what_is_wrong_is_said_with_its_place),
		IN_SCRATCH(cells_are_marked_by_row_and_column),
		IN_SCRATCH(scores_are_those_of_the_definition),
		IN_SCRATCH(used_cells_are_not_scored_and_a_change_only_when_one_of_its_cells_is_free),
		IN_SCRATCH(nothing_left_to_score_is_no_number),
		IN_SCRATCH(cells_come_in_row_order_with_what_was_simulated),
		IN_SCRATCH(rows_meet_axis_values_as_numbers_or_as_texts),
		IN_SCRATCH(the_baseline_of_changes_is_that_of_the_results),
		IN_SCRATCH(an_index_is_scored_by_its_changes_alone),
		IN_SCRATCH(changes_by_metric_are_those_of_the_only_point),
		IN_SCRATCH(changes_that_do_not_fit_the_results_are_an_error),
		IN_SCRATCH(a_table_that_does_not_fit_the_results_is_an_error),
		IN_SCRATCH(the_mails_own_numbers_score_perfectly),
		IN_SCRATCH(the_page_allocator_mails_have_the_cells_that_were_printed),
	};

	return cmocka_run_group_tests_name("published", tests, NULL, NULL);
}
