/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source of the mails' numbers: Gladyshev, "[PATCH v6 0/3] mm: improve folio refcount scalability", linux-mm. */
#include "tests/support/sample_results.h"

#include <string.h>

struct mail_row {
	const char *threads;
	double vanilla, patched;
};

struct mail_table {
	const char *machine;
	struct mail_row rows[12];
	int nr_rows;
	struct boundary boundaries[3];
	int nr_boundaries;
};

/* clang-format off */
static const struct mail_table mail_tables[] = {
	{
		.machine = "xeon-e5-2690v3-2s",
		.rows = { { "1", 1343381, 1344401 },
			  { "2", 2186160, 2455837 },
			  { "5", 5277092, 6108030 },
			  { "10", 5858123, 7506328 },
			  { "12", 6484445, 8137706 },
			  { "14", 3145860, 4247391 },
			  { "16", 2350840, 4262707 },
			  { "18", 2378825, 4121415 },
			  { "20", 2438475, 4683548 },
			  { "24", 2325998, 4529737 } },
		.nr_rows = 10,
		.boundaries = { { .before = 12, .label = "Cross socket NUMA" } },
		.nr_boundaries = 1,
	},
	{
		.machine = "epyc-9654-2s",
		.rows = { { "1", 1077276, 1081653 },
			  { "5", 4286838, 4682513 },
			  { "10", 1698095, 1902753 },
			  { "20", 1662266, 1921603 },
			  { "49", 1486745, 1828926 },
			  { "97", 1617365, 2052635 },
			  { "105", 1368319, 1798862 },
			  { "136", 1008071, 1393055 },
			  { "168", 879332, 1245210 },
			  { "193", 905432, 1294833 },
			  { "289", 851988, 1313110 },
			  { "353", 771288, 1347165 } },
		.nr_rows = 12,
		/* the mail draws the first line after 97 */
		.boundaries = { { .before = 16, .label = "Cross cluster", .minor = true },
				{ .before = 97, .label = "Cross socket NUMA" },
				{ .before = 192, .label = "SMT" } },
		.nr_boundaries = 3,
	},
};
/* clang-format on */

static const char **texts(struct arena *arena, const char *const *from, int nr)
{
	const char **out = arena_calloc(arena, (size_t)nr, sizeof(*out));

	memcpy(out, from, (size_t)nr * sizeof(*out));
	return out;
}

static struct axis axis_of(struct arena *arena, const char *key, const char *const *values, int nr)
{
	struct axis out = { .key = key, .values = texts(arena, values, nr), .nr_values = nr };

	out.value_numbers = arena_calloc(arena, (size_t)nr, sizeof(double));
	for (int i = 0; i < nr; i++)
		out.value_numbers[i] = results_number(values[i]);
	return out;
}

static struct results *plain(struct arena *arena, const char *experiment, const char *title)
{
	static const char *const variants[] = { "vanilla", "patched", "none" };
	struct results *results = arena_alloc(arena, sizeof(*results));

	*results = (struct results){
		.arena = arena,
		.experiment = experiment,
		.title = title,
		.version = "1.2.3",
		.config_hash = "0123abcd",
		.config_text = "workload: {name: pread}\n",
		.engine = "simgrid",
		.seed = 1,
		.variants = texts(arena, variants, 3),
		.nr_variants = 2,
		.nr_axes = 1,
		.nr_metrics = 1,
		.nr_replications = 1,
	};
	results->metrics = arena_calloc(arena, 2, sizeof(*results->metrics));
	results->metrics[0] = (struct metric){ .name = "throughput", .unit = "ops/s" };
	results->metrics[1] = (struct metric){ .name = "cas_failures", .unit = "per op" };
	return results;
}

struct results *sample_results(struct arena *arena)
{
	static const char *const machines[] = { "one", "two" };
	static const char *const threads[] = { "1", "2", "4" };
	static const char *const remote[] = { "100", "200" };
	struct results *results = plain(arena, "sample", "a sample, \"quoted\"");

	results->published = "results/published/sample.csv";
	results->seed = UINT64_MAX;
	results->machines = texts(arena, machines, 2);
	results->nr_machines = 2;
	results->nr_variants = 3;
	results->axes[0] = axis_of(arena, "threads", threads, 3);
	results->axes[1] = axis_of(arena, "machine.transfer.remote_ns", remote, 2);
	results->nr_axes = 2;
	results->nr_metrics = 2;
	results->boundaries = arena_alloc(arena, sizeof(*results->boundaries));
	results->boundaries[0] = (struct boundary){ .before = 2, .label = "Cross socket NUMA" };
	results->nr_boundaries = 1;
	results->nr_replications = 2;
	results_allocate(results);
	for (int i = 0; i < 2 * 3 * 6 * 2; i++) {
		int machine = i / 36, variant = i / 12 % 3, point = i / 2 % 6, replication = i % 2;
		double value = 1000 * machine + 100 * variant + 10 * point + replication + 0.5;

		*results_at(results, machine, variant, point, replication, 0) = value;
		*results_at(results, machine, variant, point, replication, 1) = value / 1000;
	}
	return results;
}

struct results *sample_mail(struct arena *arena, int platform)
{
	const struct mail_table *table = &mail_tables[platform - 1];
	struct results *results = plain(arena, "refcount", "folio refcount");
	const char *threads[12];

	for (int i = 0; i < table->nr_rows; i++)
		threads[i] = table->rows[i].threads;
	results->machines = texts(arena, &table->machine, 1);
	results->nr_machines = 1;
	results->axes[0] = axis_of(arena, "threads", threads, table->nr_rows);
	results->boundaries = arena_calloc(arena, 3, sizeof(*results->boundaries));
	memcpy(results->boundaries, table->boundaries, sizeof(table->boundaries));
	results->nr_boundaries = table->nr_boundaries;
	results_allocate(results);
	for (int i = 0; i < table->nr_rows; i++) {
		*results_at(results, 0, 0, i, 0, 0) = table->rows[i].vanilla;
		*results_at(results, 0, 1, i, 0, 0) = table->rows[i].patched;
	}
	return results;
}

struct results *sample_small(struct arena *arena)
{
	static const char *const machines[] = { "box" };
	static const char *const threads[] = { "1", "2", "3", "4" };
	/* per point: vanilla and patched, three replications each; 0 stands for a failed run */
	static const double values[4][2][3] = {
		{ { 1000, 1010, 990 }, { 1001, 1009, 991 } }, /* the same within noise */
		{ { 1000, 1000, 1000 }, { 1200, 1210, 1190 } }, /* wins */
		{ { 1000, 1000, 1000 }, { 900, 890, 910 } }, /* loses */
		{ { 1000, 1000, 0 }, { 0, 0, 0 } }, /* fails */
	};
	struct results *results = plain(arena, "small", "a small one");

	results->machines = texts(arena, machines, 1);
	results->nr_machines = 1;
	results->axes[0] = axis_of(arena, "threads", threads, 4);
	results->nr_metrics = 2;
	results->nr_replications = 3;
	results->boundaries = arena_alloc(arena, sizeof(*results->boundaries));
	results->boundaries[0] = (struct boundary){ .before = 2, .label = "SMT" };
	results->nr_boundaries = 1;
	results_allocate(results);
	for (int i = 0; i < 4 * 2 * 3; i++) {
		double value = values[i / 6][i / 3 % 2][i % 3];

		if (value == 0)
			continue;
		*results_at(results, 0, i / 3 % 2, i / 6, i % 3, 0) = value;
		*results_at(results, 0, i / 3 % 2, i / 6, i % 3, 1) = value / 10000;
	}
	return results;
}
