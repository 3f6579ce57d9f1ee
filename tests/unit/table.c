/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables, letter by letter: what a reader sees is what is written here. */
#include "sim/io/table.h"

#include "sim/stats/replications.h"
#include "tests/support/sample_results.h"
#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include <jansson.h>

static const char *written(const struct scratch *scratch, const struct results *results, struct table_options options)
{
	const char *path = scratch_path(scratch, "table");
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	assert_int_equal(table_write(out, results, &options, NULL), 0);
	fclose(out);
	return scratch_read(scratch, path);
}

static const char *small(const struct scratch *scratch, enum table_format format, bool why)
{
	return written(scratch, sample_small(scratch->arena),
		       (struct table_options){ .format = format, .baseline = -1, .why = why });
}

static void cover_letter_is_the_mails_own_layout(void **state)
{
	const struct scratch *scratch = *state;
	const struct table_options options = { .format = TABLE_COVER_LETTER, .baseline = -1 };

	/* the mail's tables, but for the boost of row 18, which is 73.254 and stands there as +73.2 */
	assert_string_equal(written(scratch, sample_mail(scratch->arena, 1), options),
			    "xeon-e5-2690v3-2s, simulated by contend 1.2.3: throughput in ops/s\n"
			    "\n"
			    "#threads | vanilla | patched | boost (%)\n"
			    "       1 | 1343381 | 1344401 |  +0.1\n"
			    "       2 | 2186160 | 2455837 | +12.3\n"
			    "       5 | 5277092 | 6108030 | +15.7\n"
			    "      10 | 5858123 | 7506328 | +28.1\n"
			    "      12 | 6484445 | 8137706 | +25.5\n"
			    "         /* Cross socket NUMA */\n"
			    "      14 | 3145860 | 4247391 | +35.0\n"
			    "      16 | 2350840 | 4262707 | +81.3\n"
			    "      18 | 2378825 | 4121415 | +73.3\n"
			    "      20 | 2438475 | 4683548 | +92.1\n"
			    "      24 | 2325998 | 4529737 | +94.7\n");
	assert_string_equal(written(scratch, sample_mail(scratch->arena, 2), options),
			    "epyc-9654-2s, simulated by contend 1.2.3: throughput in ops/s\n"
			    "\n"
			    "#threads | vanilla | patched | boost (%)\n"
			    "       1 | 1077276 | 1081653 |  +0.4\n"
			    "       5 | 4286838 | 4682513 |  +9.2\n"
			    "      10 | 1698095 | 1902753 | +12.1\n"
			    "      20 | 1662266 | 1921603 | +15.6\n"
			    "      49 | 1486745 | 1828926 | +23.0\n"
			    "      97 | 1617365 | 2052635 | +26.9\n"
			    "         /* Cross socket NUMA */\n"
			    "     105 | 1368319 | 1798862 | +31.5\n"
			    "     136 | 1008071 | 1393055 | +38.2\n"
			    "     168 |  879332 | 1245210 | +41.6\n"
			    "               /* SMT */\n"
			    "     193 |  905432 | 1294833 | +43.0\n"
			    "     289 |  851988 | 1313110 | +54.1\n"
			    "     353 |  771288 | 1347165 | +74.7\n");
}

static void cover_letter_shows_failures_and_no_sign_at_zero(void **state)
{
	assert_string_equal(small(*state, TABLE_COVER_LETTER, false),
			    "box, simulated by contend 1.2.3: throughput in ops/s\n"
			    "\n"
			    "#threads | vanilla | patched | boost (%)\n"
			    "       1 |    1000 |    1000 |   0.0\n"
			    "       2 |    1000 |    1200 | +20.0\n"
			    "               /* SMT */\n"
			    "       3 |    1000 |     900 | -10.0\n"
			    "       4 |    1000 |  failed |     -\n");
}

/* The run of machine one, none, threads 1, remote_ns 100 counted none; at 200 it failed. */
static void a_number_that_runs_do_not_have_is_no_failure(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_results(scratch->arena);
	const struct table_metric metric = { .index = 1 };
	const struct table_options options = {
		.format = TABLE_COVER_LETTER, .baseline = -1, .metrics = &metric, .nr_metrics = 1
	};

	for (int replication = 0; replication < results->nr_replications; replication++) {
		*results_at(results, 0, 2, 0, replication, 1) = NAN;
		*results_at(results, 0, 2, 1, replication, 0) = NAN;
		*results_at(results, 0, 2, 1, replication, 1) = NAN;
	}
	assert_non_null(strstr(written(scratch, results, options), "   1 |       100 |  0.0010 |  0.1010 |      - |"));
	assert_non_null(strstr(written(scratch, results, options), "   1 |       200 |  0.0110 |  0.1110 | failed |"));
}

static void cover_letter_takes_machines_axes_and_variants(void **state)
{
	const struct scratch *scratch = *state;
	const struct table_options options = { .format = TABLE_COVER_LETTER, .baseline = 1 };
	const char *text = written(scratch, sample_results(scratch->arena), options);

	assert_string_equal(strstr(text, "\n\ntwo"),
			    "\n\n"
			    "two, simulated by contend 1.2.3: throughput in ops/s\n"
			    "\n"
			    "#threads | remote_ns | vanilla | patched | none | vanilla (%) | none (%)\n"
			    "       1 |       100 |    1001 |    1101 | 1201 |        -9.1 | +9.1\n"
			    "       1 |       200 |    1011 |    1111 | 1211 |        -9.0 | +9.0\n"
			    "       2 |       100 |    1021 |    1121 | 1221 |        -8.9 | +8.9\n"
			    "       2 |       200 |    1031 |    1131 | 1231 |        -8.8 | +8.8\n"
			    "       4 |       100 |    1041 |    1141 | 1241 |        -8.8 | +8.8\n"
			    "       4 |       200 |    1051 |    1151 | 1251 |        -8.7 | +8.7\n");
	assert_int_equal(strncmp(text, "one, simulated", strlen("one, simulated")), 0);
	/* only machine "one" has a boundary */
	assert_non_null(strstr(text, "       2 |       200 |      31 |     131 |  231 |       -76.3 | +76.3\n"
				     "                         /* Cross socket NUMA */\n"
				     "       4 |       100 |"));
}

static void text_has_intervals_boundaries_and_verdicts(void **state)
{
	assert_string_equal(
		small(*state, TABLE_TEXT, false),
		"a small one\n"
		"box: throughput in ops/s, mean of 3 replications, simulated by contend 1.2.3\n"
		"change: variant against vanilla, + is more; +- and [ ]: 95 % interval (Student t, paired); "
		"* = interval excludes zero\n"
		"\n"
		"threads  vanilla  +-  patched  +-  change (%)   95 % interval\n"
		"      1     1000  25     1000  22        0.0     [-0.3, +0.3]\n"
		"      2     1000   0     1200  25      +20.0*  [+17.5, +22.5]\n"
		"                           /* SMT */\n"
		"      3     1000   0      900  25      -10.0*   [-12.5, -7.5]\n"
		"      4     1000   0   failed              -                -\n"
		"\n"
		"incomplete:\n"
		"- vanilla at threads 4: 2 of 3 replications\n"
		"- patched at threads 4: 0 of 3 replications\n"
		"\n"
		"where patched loses against vanilla:\n"
		"- threads 3: -10.0 % [-12.5, -7.5]\n");
}

static void adaptive_replications_are_counted_by_row(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_small(scratch->arena);
	struct table_options options = { .format = TABLE_TEXT, .baseline = -1 };
	const char *text;

	/* 1000 1010 and 900 890 are 6.3 % and 7.1 % away from their means, 1200 1210 are 5.3 % */
	results->min_replications = 2;
	results->until_ppm = 60000;
	replications_trim(results);
	text = written(scratch, results, options);
	assert_non_null(strstr(text, "mean of 2 to 3 replications (95 % intervals within 6 %, at most 3), simulated"));
	assert_non_null(strstr(text, "\nthreads  n  vanilla  +-"));
	assert_non_null(strstr(text, "\n      1  3     1000  25"));
	assert_non_null(strstr(text, "\n      2  2     1000   0     1205  64"));
	assert_non_null(strstr(text, "- patched at threads 4: 0 of 2 replications\n"));
	options.format = TABLE_COVER_LETTER;
	assert_non_null(strstr(written(scratch, results, options), "ops/s, mean of 2 to 3 replications (95 %"));
	options.format = TABLE_CSV;
	assert_non_null(strstr(written(scratch, results, options), "box,2,patched,throughput,ops/s,1205,"));
}

static void why_tells_the_counters_by_row_and_variant(void **state)
{
	assert_string_equal(
		strstr(small(*state, TABLE_TEXT, true), "\nwhy"),
		"\n"
		"why: failures, line transactions (all, and by distance), invalidations and sleeps per operation;\n"
		"line wait in % of the workers' time; slowest and fastest worker in ops/s\n"
		"\n"
		"threads  variant  cas failures\n"
		"      1  vanilla         0.100\n"
		"      1  patched         0.100\n"
		"      2  vanilla         0.100\n"
		"      2  patched         0.120\n"
		"           /* SMT */\n"
		"      3  vanilla         0.100\n"
		"      3  patched         0.090\n"
		"      4  vanilla         0.100\n"
		"      4  patched             -\n");
}

static void why_without_counters_says_so(void **state)
{
	const struct scratch *scratch = *state;
	const char *text = written(scratch, sample_mail(scratch->arena, 1),
				   (struct table_options){ .format = TABLE_TEXT, .baseline = -1, .why = true });

	assert_string_equal(strstr(text, "\nwhy"), "\nwhy: these results hold none of the counters that would say\n");
}

static void markdown_is_a_pipe_table(void **state)
{
	assert_string_equal(
		small(*state, TABLE_MARKDOWN, false),
		"### a small one\n"
		"\n"
		"box: throughput in ops/s, mean of 3 replications, simulated by contend 1.2.3\n"
		"change: variant against vanilla, + is more; +- and [ ]: 95 % interval (Student t, paired); "
		"* = interval excludes zero\n"
		"\n"
		"| threads | vanilla | +- | patched | +- | change (%) |  95 % interval |\n"
		"|--------:|--------:|---:|--------:|---:|-----------:|---------------:|\n"
		"|       1 |    1000 | 25 |    1000 | 22 |       0.0  |   [-0.3, +0.3] |\n"
		"|       2 |    1000 |  0 |    1200 | 25 |    +20.0\\* | [+17.5, +22.5] |\n"
		"| *SMT* | | | | | | |\n"
		"|       3 |    1000 |  0 |     900 | 25 |    -10.0\\* |  [-12.5, -7.5] |\n"
		"|       4 |    1000 |  0 |  failed |    |         -  |              - |\n"
		"\n"
		"incomplete:\n"
		"- vanilla at threads 4: 2 of 3 replications\n"
		"- patched at threads 4: 0 of 3 replications\n"
		"\n"
		"where patched loses against vanilla:\n"
		"- threads 3: -10.0 % [-12.5, -7.5]\n");
}

static void markdown_escapes_what_would_break_the_table(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_small(scratch->arena);

	results->variants[1] = "a|b*c`";
	assert_non_null(
		strstr(written(scratch, results, (struct table_options){ .format = TABLE_MARKDOWN, .baseline = -1 }),
		       "| threads | vanilla | +- | a\\|b\\*c\\` | +- |"));
}

static void mmtests_has_harmonic_means_and_stars(void **state)
{
	assert_string_equal(small(*state, TABLE_MMTESTS, false),
			    "box, simulated by contend 1.2.3: throughput in ops/s\n"
			    "change against vanilla, + is better; * = 95 % interval (Student t, paired) excludes zero\n"
			    "\n"
			    "                            vanilla             patched\n"
			    "Hmean     1       999.93 (   0.00%)  1000.28 (   0.03%)\n"
			    "Hmean     2      1000.00 (   0.00%)  1199.94 *  20.00%*\n"
			    "Hmean     3      1000.00 (   0.00%)   899.93 * -10.00%*\n"
			    "Hmean     4      1000.00 (   0.00%)    failed (       )\n");
}

static void mmtests_counts_a_decrease_as_better_where_lower_is_better(void **state)
{
	const struct scratch *scratch = *state;
	const struct table_metric metric = { .index = 1, .lower_is_better = true };
	const struct table_options options = {
		.format = TABLE_MMTESTS,
		.baseline = -1,
		.metrics = &metric,
		.nr_metrics = 1,
	};

	assert_non_null(strstr(written(scratch, sample_small(scratch->arena), options),
			       "Amean     1      0.1000 (   0.00%)  0.1000 (  -0.03%)\n"
			       "Amean     2      0.1000 (   0.00%)  0.1200 * -20.00%*\n"
			       "Amean     3      0.1000 (   0.00%)  0.0900 *  10.00%*\n"));
}

static void a_delta_has_a_box_per_point_and_the_variation_of_its_runs(void **state)
{
	const char *text = small(*state, TABLE_DELTA, false);

	assert_non_null(strstr(text, "simulated by contend 1.2.3; variation: standard deviation / mean;\n"
				     "* = 95 % interval of the delta (Student t, paired) excludes zero\n"
				     "\n"
				     "box, threads 1, mean of 3 replications\n"
				     "patched against vanilla\n"
				     "+----------------+---------------+-----------+\n"
				     "| Metric (ops/s) | Variation (%) | Delta(%)  |\n"
				     "+----------------+---------------+-----------+\n"
				     "| throughput     |        0.9015 |  +0.0340  |\n"
				     "+----------------+---------------+-----------+\n"));
	assert_non_null(strstr(text, "box, threads 2, mean"));
	assert_non_null(strstr(text, "| throughput     |        0.8333 | +20.0000* |\n"));
	assert_non_null(strstr(text, "| throughput     |        failed |        -  |\n"));
}

/* sample_small with its metrics renamed: what a build takes, at one point. */
static void a_delta_shows_what_a_build_takes_unless_asked_for_more(void **state)
{
	const struct scratch *scratch = *state;
	static const struct table_metric both[] = { { .index = 1 }, { .index = 0 } };
	struct table_options options = { .format = TABLE_DELTA, .baseline = -1 };
	struct results *results = sample_small(scratch->arena);
	const char *text;

	results->metrics[1] = (struct metric){ .name = "sys", .unit = "s" };
	text = written(scratch, results, options);
	assert_non_null(strstr(text, "| Metric (s) | Variation (%) | Delta(%)  |\n"));
	assert_non_null(strstr(text, "| sys        |        1.1111 | -10.0000* |\n"));
	assert_null(strstr(text, "throughput"));
	options.metrics = both;
	options.nr_metrics = 2;
	text = written(scratch, results, options);
	assert_non_null(strstr(text, "| Metric             | Variation (%) | Delta(%)  |\n"
				     "+--------------------+---------------+-----------+\n"
				     "| sys (s)            |        0.9015 |  +0.0340  |\n"
				     "| throughput (ops/s) |        0.9015 |  +0.0340  |\n"));
	options.baseline = 1;
	assert_non_null(strstr(written(scratch, results, options), "vanilla against patched\n"));
}

/* Rows of the mail; times of mm-new as its percentages say, three runs each that are so many percent apart. */
static const struct {
	const char *name;
	double base_us, variant_us, spread_pct;
} mail_times[] = {
	{ "fix_align_alloc_test: p:1, h:0, l:500000", 653643.33, 1331783.48, 1 },
	{ "full_fit_alloc_test: p:1, h:0, l:500000", 570605.00, 626831.81, 5 },
	{ "vm_map_ram_test: p:1, h:0, l:500000", 111151.33, 107371.84, 5 },
	{ "fix_size_alloc_test: p:512, h:1, l:100000", 4496257.33, 3013375.32, 1 },
};
#define NR_MAIL_TIMES ((int)(sizeof(mail_times) / sizeof(mail_times[0])))

static struct results *sample_times(struct arena *arena)
{
	struct results *results = sample_mail(arena, 1);

	results->metrics[1] = (struct metric){ .name = "real", .unit = "s" };
	results->nr_metrics = 2;
	results->nr_replications = 3;
	results->axes[0].nr_values = NR_MAIL_TIMES;
	results->nr_boundaries = 0;
	results_allocate(results);
	for (int i = 0; i < NR_MAIL_TIMES * 3; i++) {
		const int point = i / 3;
		const double factor = 1e-6 * (1 + (i % 3 - 1) * mail_times[point].spread_pct / 100);

		*results_at(results, 0, 0, point, i % 3, 1) = factor * mail_times[point].base_us;
		*results_at(results, 0, 1, point, i % 3, 1) = factor * mail_times[point].variant_us;
	}
	return results;
}

static void fastpath_is_the_mails_own_layout(void **state)
{
	const struct scratch *scratch = *state;
	struct table_point points[NR_MAIL_TIMES];
	const struct table_options options = { .format = TABLE_FASTPATH, .baseline = -1, .points = points };

	for (int i = 0; i < NR_MAIL_TIMES; i++)
		points[i] = (struct table_point){ .benchmark = i < 3 ? "micromm/vmalloc" : "other",
						  .name = mail_times[i].name };
	assert_string_equal(
		written(scratch, sample_times(scratch->arena), options),
		"xeon-e5-2690v3-2s, mean of 3 replications, simulated by contend 1.2.3\n"
		"(>0 is faster, <0 is slower: base / variant - 1;\n"
		"(R)/(I) = regression/improvement: the 95 % intervals (Student t) of the two means do not overlap)\n"
		"\n"
		"+-----------------+--------------------------------------------------+----------------+-------------+"
		"\n"
		"| Benchmark       | Result Class                                     | vanilla (base) |     patched "
		"|\n"
		"+=================+==================================================+================+=============+"
		"\n"
		"| micromm/vmalloc | fix_align_alloc_test: p:1, h:0, l:500000 (usec)  |      653643.33 | (R) -50.92% "
		"|\n"
		"|                 | full_fit_alloc_test: p:1, h:0, l:500000 (usec)   |      570605.00 |      -8.97% "
		"|\n"
		"|                 | vm_map_ram_test: p:1, h:0, l:500000 (usec)       |      111151.33 |       3.52% "
		"|\n"
		"+-----------------+--------------------------------------------------+----------------+-------------+"
		"\n"
		"| other           | fix_size_alloc_test: p:512, h:1, l:100000 (usec) |     4496257.33 |  (I) 49.21% "
		"|\n"
		"+-----------------+--------------------------------------------------+----------------+-------------+"
		"\n");
}

static void fastpath_marks_where_two_intervals_are_apart_and_no_other(void **state)
{
	static const struct {
		double off_pct;
		const char *cell;
	} cases[] = {
		/* a mean of 1 - d, 1, 1 + d is known to 2.484 d (t = 4.303, two degrees of freedom), here to 2.484 % */
		{ 4.9, "|   4.90% |" },
		{ 5.2, "| (I) 5.20% |" },
		{ -4.8, "|  -4.80% |" },
		{ -5.0, "| (R) -5.00% |" },
	};
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct results *results = sample_small(scratch->arena);

		results->axes[0].nr_values = 1;
		for (int k = 0; k < 3; k++) {
			*results_at(results, 0, 0, 0, k, 0) = 1000 + 10 * (k - 1);
			*results_at(results, 0, 1, 0, k, 0) = (1000 + 10 * (k - 1)) * (1 + cases[i].off_pct / 100);
		}
		assert_non_null(strstr(written(scratch, results,
					       (struct table_options){ .format = TABLE_FASTPATH, .baseline = -1 }),
				       cases[i].cell));
	}
}

static void fastpath_names_points_by_their_axes_and_metrics_that_are_asked_for(void **state)
{
	static const struct table_metric metrics[] = { { .index = 0 }, { .index = 1, .lower_is_better = true } };
	const struct scratch *scratch = *state;
	const struct table_options options = {
		.format = TABLE_FASTPATH, .baseline = -1, .metrics = metrics, .nr_metrics = 2
	};

	assert_string_equal(
		strstr(written(scratch, sample_small(scratch->arena), options), "(>0"),
		"(>0 is faster, <0 is slower: variant / base - 1 of rates, base / variant - 1 of times and other "
		"costs;\n"
		"(R)/(I) = regression/improvement: the 95 % intervals (Student t) of the two means do not overlap)\n"
		"\n"
		"+-----------+----------------------------------+----------------+-------------+\n"
		"| Benchmark | Result Class                     | vanilla (base) |     patched |\n"
		"+===========+==================================+================+=============+\n"
		"| small     | threads:1 (ops/sec)              |        1000.00 |       0.03% |\n"
		"|           | threads:1, cas_failures (per op) |         0.1000 |      -0.03% |\n"
		"|           | threads:2 (ops/sec)              |        1000.00 |  (I) 20.00% |\n"
		"|           | threads:2, cas_failures (per op) |         0.1000 | (R) -16.67% |\n"
		"|           | threads:3 (ops/sec)              |        1000.00 | (R) -10.00% |\n"
		"|           | threads:3, cas_failures (per op) |         0.1000 |  (I) 11.11% |\n"
		"|           | threads:4 (ops/sec)              |        1000.00 |      failed |\n"
		"|           | threads:4, cas_failures (per op) |         0.1000 |      failed |\n"
		"+-----------+----------------------------------+----------------+-------------+\n");
}

static void fastpath_has_long_times_in_seconds_and_rates_of_points_without_times(void **state)
{
	const struct scratch *scratch = *state;
	const struct table_options options = { .format = TABLE_FASTPATH, .baseline = -1 };
	struct results *results = sample_times(scratch->arena);
	const char *text;

	for (int i = 0; i < 3; i++) {
		*results_at(results, 0, 0, 0, i, 1) = 100;
		*results_at(results, 0, 0, 1, i, 1) = NAN;
		*results_at(results, 0, 1, 1, i, 1) = NAN;
		*results_at(results, 0, 0, 1, i, 0) = 1000;
		*results_at(results, 0, 1, 1, i, 0) = 1100;
	}
	text = written(scratch, results, options);
	assert_non_null(strstr(text, "| threads:1 (seconds)  |         100.00 |"));
	assert_non_null(strstr(text, "| threads:2 (ops/sec)  |        1000.00 |   (I) 10.00% |"));
	assert_null(strstr(text, "threads:1 (ops/sec)"));
}

static void an_increase_is_the_loss_where_lower_is_better(void **state)
{
	const struct scratch *scratch = *state;
	const struct table_metric metric = { .index = 1, .lower_is_better = true };
	const struct table_options options = { .baseline = -1, .metrics = &metric, .nr_metrics = 1 };
	const char *text = written(scratch, sample_small(scratch->arena), options);

	assert_non_null(strstr(text, "box: cas_failures in per op"));
	assert_non_null(strstr(text, "+ is more (less is better);"));
	assert_non_null(strstr(text, "where patched loses against vanilla:\n- threads 2: +20.0 % [+17.5, +22.5]\n"));
	assert_null(strstr(text, "- threads 3"));
	/* four digits of the largest mean, 0.12 */
	assert_non_null(strstr(text, "      2   0.1000  0.0000   0.1200  0.0025      +20.0*"));
}

static void rows_of_few_operations_keep_three_digits_and_a_loss_of_nothing_is_none(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_small(scratch->arena);
	const char *text;

	for (int i = 0; i < 3; i++) {
		*results_at(results, 0, 0, 0, i, 0) = 2.1146;
		*results_at(results, 0, 1, 0, i, 0) = 2.1144;
		*results_at(results, 0, 0, 1, i, 0) = 20;
		*results_at(results, 0, 1, 1, i, 0) = 99.9;
	}
	text = written(scratch, results, (struct table_options){ .baseline = -1 });
	assert_non_null(strstr(text, "      1     2.11  0.00     2.11  0.00        0.0* "));
	assert_non_null(strstr(text, "      2     20.0   0.0     99.9   0.0 "));
	assert_non_null(strstr(text, "      3     1000     0      900    25 "));
	assert_null(strstr(text, "- threads 1"));
	text = written(scratch, results, (struct table_options){ .format = TABLE_COVER_LETTER, .baseline = -1 });
	assert_non_null(strstr(text, "       1 |    2.11 |    2.11 |    0.0\n"));
}

static void verdicts_distinguish_no_loss_from_not_knowing(void **state)
{
	const struct scratch *scratch = *state;
	const struct table_options options = { .baseline = -1 };
	struct results *results = sample_small(scratch->arena);

	for (int i = 0; i < 3; i++)
		*results_at(results, 0, 1, 2, i, 0) = 1500;
	assert_non_null(strstr(written(scratch, results, options),
			       "\npatched loses nowhere among the 3 points that could be compared\n"));
	for (int i = 0; i < 3; i++)
		*results_at(results, 0, 1, 3, i, 0) = 1500;
	assert_non_null(strstr(written(scratch, results, options), "\npatched loses nowhere in this sweep\n"));
	assert_non_null(strstr(written(scratch, sample_mail(scratch->arena, 1), options),
			       "\nwhere patched loses: unknown, intervals need two replications\n"));
}

static void one_variant_has_no_changes(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_mail(scratch->arena, 1);

	results->nr_variants = 1;
	results->axes[0].nr_values = 2;
	results_allocate(results);
	*results_at(results, 0, 0, 0, 0, 0) = 0;
	*results_at(results, 0, 0, 1, 0, 0) = 100;
	results->nr_boundaries = 0;
	assert_string_equal(
		written(scratch, results, (struct table_options){ .baseline = -1 }),
		"folio refcount\n"
		"xeon-e5-2690v3-2s: throughput in ops/s, mean of 1 replication, simulated by contend 1.2.3\n"
		"\n"
		"threads  vanilla  +-\n"
		"      1        0   -\n"
		"      2      100   -\n");
}

static void no_axes_make_one_row(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_small(scratch->arena);

	results->nr_axes = 0;
	results_allocate(results);
	for (int i = 0; i < 3; i++) {
		*results_at(results, 0, 0, 0, i, 0) = 1000 + i;
		*results_at(results, 0, 1, 0, i, 0) = 900;
	}
	assert_string_equal(strstr(written(scratch, results, (struct table_options){ .baseline = -1 }), "\n\n"),
			    "\n\n"
			    "vanilla  +-  patched  +-  change (%)  95 % interval\n"
			    "   1001   2      900   0      -10.1*  [-10.3, -9.9]\n"
			    "\n"
			    "where patched loses against vanilla:\n"
			    "- this point: -10.1 % [-10.3, -9.9]\n");
}

static void axes_with_one_last_name_keep_their_keys(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_results(scratch->arena);

	results->axes[0].key = "memory.remote_ns";
	assert_non_null(strstr(written(scratch, results, (struct table_options){ .baseline = -1 }),
			       "\nmemory.remote_ns  machine.transfer.remote_ns  vanilla "));
}

static void widths_count_characters(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_small(scratch->arena);

	results->variants[1] = "gepr\xc3\xbc"
			       "ft";
	assert_non_null(strstr(written(scratch, results, (struct table_options){ .baseline = -1 }),
			       "threads  vanilla  +-  gepr\xc3\xbc"
			       "ft  +-  change (%)   95 % interval\n"
			       "      1     1000  25     1000  22 "));
}

static void csv_has_a_line_per_variant_and_point(void **state)
{
	assert_string_equal(
		small(*state, TABLE_CSV, false),
		"machine,threads,variant,metric,unit,mean,ci95_low,ci95_high,n,"
		"change_pct,change_ci95_low,change_ci95_high,significant\n"
		"box,1,vanilla,throughput,ops/s,1000,975.158623,1024.84138,3,,,,\n"
		"box,1,patched,throughput,ops/s,1000.33333,977.930139,1022.73653,3,"
		"0.0340000667,-0.252150534,0.320150667,no\n"
		"box,2,vanilla,throughput,ops/s,1000,1000,1000,3,,,,\n"
		"box,2,patched,throughput,ops/s,1200,1175.15862,1224.84138,3,20,17.5158623,22.4841377,yes\n"
		"box,3,vanilla,throughput,ops/s,1000,1000,1000,3,,,,\n"
		"box,3,patched,throughput,ops/s,900,875.158623,924.841377,3,-10,-12.4841377,-7.51586229,yes\n"
		"box,4,vanilla,throughput,ops/s,1000,1000,1000,2,,,,\n"
		"box,4,patched,throughput,ops/s,,,,0,,,,\n");
}

static void csv_and_json_take_the_reasons_as_further_rows(void **state)
{
	const struct scratch *scratch = *state;
	json_t *rows;

	assert_non_null(strstr(small(scratch, TABLE_CSV, true), "\nbox,1,vanilla,cas_failures,per op,0.1,"));
	rows = json_loads(small(scratch, TABLE_JSON, true), 0, NULL);
	assert_int_equal(json_array_size(rows), 8);
	json_decref(rows);
}

static void json_is_an_array_with_an_object_per_point(void **state)
{
	const struct scratch *scratch = *state;
	struct results *results = sample_small(scratch->arena);

	results->axes[0].nr_values = 2;
	results_allocate(results);
	results->axes[0].values[1] = "many";
	results->axes[0].value_numbers[1] = NAN;
	for (int i = 0; i < 2; i++) {
		*results_at(results, 0, 0, 0, i, 0) = 1000;
		*results_at(results, 0, 1, 0, i, 0) = 1250;
	}
	*results_at(results, 0, 0, 1, 0, 0) = 1.0 / 3;
	assert_string_equal(written(scratch, results, (struct table_options){ .format = TABLE_JSON, .baseline = -1 }),
			    "[\n"
			    "  {\n"
			    "    \"machine\": \"box\",\n"
			    "    \"metric\": \"throughput\",\n"
			    "    \"unit\": \"ops/s\",\n"
			    "    \"point\": {\n"
			    "      \"threads\": 1\n"
			    "    },\n"
			    "    \"baseline\": \"vanilla\",\n"
			    "    \"variants\": [\n"
			    "      {\n"
			    "        \"variant\": \"vanilla\",\n"
			    "        \"mean\": 1000.0,\n"
			    "        \"ci95\": [\n"
			    "          1000.0,\n"
			    "          1000.0\n"
			    "        ],\n"
			    "        \"n\": 2\n"
			    "      },\n"
			    "      {\n"
			    "        \"variant\": \"patched\",\n"
			    "        \"mean\": 1250.0,\n"
			    "        \"ci95\": [\n"
			    "          1250.0,\n"
			    "          1250.0\n"
			    "        ],\n"
			    "        \"n\": 2,\n"
			    "        \"change_pct\": 25.0,\n"
			    "        \"change_ci95\": [\n"
			    "          25.0,\n"
			    "          25.0\n"
			    "        ],\n"
			    "        \"significant\": true\n"
			    "      }\n"
			    "    ]\n"
			    "  },\n"
			    "  {\n"
			    "    \"machine\": \"box\",\n"
			    "    \"metric\": \"throughput\",\n"
			    "    \"unit\": \"ops/s\",\n"
			    "    \"point\": {\n"
			    "      \"threads\": \"many\"\n"
			    "    },\n"
			    "    \"baseline\": \"vanilla\",\n"
			    "    \"variants\": [\n"
			    "      {\n"
			    "        \"variant\": \"vanilla\",\n"
			    "        \"mean\": 0.333333333,\n"
			    "        \"ci95\": null,\n"
			    "        \"n\": 1\n"
			    "      },\n"
			    "      {\n"
			    "        \"variant\": \"patched\",\n"
			    "        \"mean\": null,\n"
			    "        \"ci95\": null,\n"
			    "        \"n\": 0,\n"
			    "        \"change_pct\": null,\n"
			    "        \"change_ci95\": null,\n"
			    "        \"significant\": false\n"
			    "      }\n"
			    "    ]\n"
			    "  }\n"
			    "]\n");
}

static void every_format_writes_every_machine_point_and_variant(void **state)
{
	static const enum table_format formats[] = {
		TABLE_TEXT,	TABLE_COVER_LETTER, TABLE_MMTESTS, TABLE_DELTA,
		TABLE_FASTPATH, TABLE_MARKDOWN,	    TABLE_CSV,	   TABLE_JSON,
	};
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		const struct table_options options = { .format = formats[i], .baseline = -1, .why = true };
		const char *text = written(scratch, sample_results(scratch->arena), options);

		assert_non_null(strstr(text, "one"));
		assert_non_null(strstr(text, "two"));
		assert_non_null(strstr(text, "patched"));
		assert_non_null(strstr(text, "none"));
		assert_non_null(strstr(text, formats[i] == TABLE_MMTESTS ? "4-200" : "remote_ns"));
		if (formats[i] != TABLE_DELTA && formats[i] != TABLE_FASTPATH) /* have no means of variants */
			assert_non_null(strstr(text, "1251")); /* machine "two", variant none, the last point */
	}
}

static void formats_are_known_by_name(void **state)
{
	static const struct {
		const char *name;
		enum table_format format;
	} cases[] = {
		{ "text", TABLE_TEXT },	  { "cover-letter", TABLE_COVER_LETTER }, { "mmtests", TABLE_MMTESTS },
		{ "delta", TABLE_DELTA }, { "markdown", TABLE_MARKDOWN },	  { "csv", TABLE_CSV },
		{ "json", TABLE_JSON },	  { "fastpath", TABLE_FASTPATH },
	};
	enum table_format format;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(table_format_parse(cases[i].name, &format, NULL), 0);
		assert_int_equal(format, cases[i].format);
	}
	assert_int_equal(table_format_parse("html", &format, &err), -1);
	assert_string_equal(
		err.text,
		"unknown format 'html'; known are text, cover-letter, mmtests, delta, fastpath, markdown, csv, "
		"json");
	assert_int_equal(table_format_parse("", &format, NULL), -1);
}

static void what_is_not_in_the_results_is_an_error(void **state)
{
	const struct scratch *scratch = *state;
	const struct table_metric metric = { .index = 2 };
	const struct table_options cases[] = {
		{ .baseline = 2 },
		{ .baseline = -2 },
		{ .baseline = -1, .metrics = &metric, .nr_metrics = 1 },
	};
	struct results *results = sample_small(scratch->arena);
	struct error err;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(table_write(stdout, results, &cases[i], &err), -1);
	results->metrics[0].name = "speed";
	assert_int_equal(table_write(stdout, results, &(struct table_options){ .baseline = -1 }, &err), -1);
	assert_string_equal(err.text, "no metric 'throughput' in these results");
}

static void a_full_disk_is_an_error_in_every_format(void **state)
{
	const struct scratch *scratch = *state;

	for (int format = TABLE_TEXT; format <= TABLE_JSON; format++) {
		const struct table_options options = { .format = (enum table_format)format, .baseline = -1 };
		FILE *out = fopen("/dev/full", "w");
		struct error err;

		assert_non_null(out);
		assert_int_equal(table_write(out, sample_small(scratch->arena), &options, &err), -1);
		assert_string_equal(err.text, "cannot write the table: No space left on device");
		fclose(out);
	}
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(cover_letter_is_the_mails_own_layout),
		IN_SCRATCH(cover_letter_shows_failures_and_no_sign_at_zero),
		IN_SCRATCH(a_number_that_runs_do_not_have_is_no_failure),
		IN_SCRATCH(cover_letter_takes_machines_axes_and_variants),
		IN_SCRATCH(text_has_intervals_boundaries_and_verdicts),
		IN_SCRATCH(adaptive_replications_are_counted_by_row),
		IN_SCRATCH(why_tells_the_counters_by_row_and_variant),
		IN_SCRATCH(why_without_counters_says_so),
		IN_SCRATCH(markdown_is_a_pipe_table),
		IN_SCRATCH(markdown_escapes_what_would_break_the_table),
		IN_SCRATCH(mmtests_has_harmonic_means_and_stars),
		IN_SCRATCH(fastpath_is_the_mails_own_layout),
		IN_SCRATCH(fastpath_marks_where_two_intervals_are_apart_and_no_other),
		IN_SCRATCH(fastpath_names_points_by_their_axes_and_metrics_that_are_asked_for),
		IN_SCRATCH(fastpath_has_long_times_in_seconds_and_rates_of_points_without_times),
		IN_SCRATCH(mmtests_counts_a_decrease_as_better_where_lower_is_better),
		IN_SCRATCH(a_delta_has_a_box_per_point_and_the_variation_of_its_runs),
		IN_SCRATCH(a_delta_shows_what_a_build_takes_unless_asked_for_more),
		IN_SCRATCH(an_increase_is_the_loss_where_lower_is_better),
		IN_SCRATCH(rows_of_few_operations_keep_three_digits_and_a_loss_of_nothing_is_none),
		IN_SCRATCH(verdicts_distinguish_no_loss_from_not_knowing),
		IN_SCRATCH(one_variant_has_no_changes),
		IN_SCRATCH(no_axes_make_one_row),
		IN_SCRATCH(axes_with_one_last_name_keep_their_keys),
		IN_SCRATCH(widths_count_characters),
		IN_SCRATCH(csv_has_a_line_per_variant_and_point),
		IN_SCRATCH(csv_and_json_take_the_reasons_as_further_rows),
		IN_SCRATCH(json_is_an_array_with_an_object_per_point),
		IN_SCRATCH(every_format_writes_every_machine_point_and_variant),
		IN_SCRATCH(formats_are_known_by_name),
		IN_SCRATCH(what_is_not_in_the_results_is_an_error),
		IN_SCRATCH(a_full_disk_is_an_error_in_every_format),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
