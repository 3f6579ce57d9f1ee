/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiment files: each kind of mistake is refused at its place, and what is
 * shipped loads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "models/config.h"

#define OVERLAY "tests/data/overlay/"
#define DATA "tests/data/config/"
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* clang-format off */
/* Each file has one mistake and is named after it. */
static const struct {
	const char *file, *message;
} broken[] = {
	{ "baseline-unknown",
	  DATA "baseline-unknown.yaml:4:11: unknown variant 'vanila'; did you mean 'vanilla'?" },
	{ "extends-circle",
	  DATA "circle-b.yaml:2:10: 'extends' goes in a circle: " DATA "circle-a.yaml -> " DATA "circle-b.yaml -> " DATA "circle-a.yaml" },
	{ "fit-both",
	  DATA "fit-both.yaml:8:18: 'workload.gap_ns' is both carried over and each machine's own" },
	{ "fit-carries-missing",
	  DATA "fit-carries-missing.yaml:6:18: missing key 'carries' in fit.other_machine" },
	{ "fit-carries-unknown",
	  DATA "fit-carries-unknown.yaml:6:52: fit.vary has no key 'workload.gpa_ns'; did you mean 'workload.gap_ns'?" },
	{ "fit-no-table",
	  DATA "fit-no-table.yaml:3:1: fit without a 'published' table" },
	{ "fit-no-vary",
	  DATA "fit-no-vary.yaml:4:6: missing key 'vary' in fit" },
	{ "fit-other-missing",
	  DATA "fit-other-missing.yaml:6:18: missing key 'experiment' in fit.other_machine" },
	{ "fit-other-nowhere",
	  DATA "fit-other-nowhere.yaml:6:31: experiment '" DATA "nowhere.yaml': No such file or directory" },
	{ "fit-own-unused",
	  DATA "fit-own-unused.yaml:6:55: own values come from cells under published_used, and there are none" },
	{ "fit-range",
	  DATA "fit-range.yaml:5:27: the low end 2 of the range is above the high end 1" },
	{ "fit-unknown-key",
	  DATA "fit-unknown-key.yaml:3:7: unknown key 'varry'; did you mean 'vary'?" },
	{ "machine-and-machines",
	  DATA "machine-and-machines.yaml:2:1: give either 'machine' or 'machines', not both" },
	{ "machine-base-missing",
	  DATA "base-missing.yaml:1:10: machine file '" DATA "gone.yaml': No such file or directory" },
	{ "machine-incomplete",
	  DATA "machine-incomplete.yaml:1:10: machine's transfer has no 'cluster_ns' (between cores of one L3 cluster)" },
	{ "machine-missing",
	  DATA "machine-missing.yaml:1:10: machine file '" DATA "../nowhere/big.yaml': No such file or directory" },
	{ "machine-unknown",
	  DATA "machine-unknown.yaml:1:10: unknown machine 'xeon-e5-2690v3-2'; did you mean 'xeon-e5-2690v3-2s'?" },
	{ "machines-of-one-name",
	  DATA "machines-of-one-name.yaml:3:5: two machines are called 'small'; give one a `name`" },
	{ "matrix-columns",
	  DATA "matrix-columns.yaml:4:28: this row of matrix_ns has 1 values, but the machine has 2 nodes" },
	{ "matrix-negative",
	  DATA "matrix-negative.yaml:4:34: matrix_ns: must be between 0 and 1000000" },
	{ "matrix-rows",
	  DATA "matrix-rows.yaml:4:16: matrix_ns has 3 rows, but the machine has 2 nodes" },
	{ "memory-none",
	  DATA "small.yaml:1:1: machine 'small': memory.per_node of 0 bytes is too little, a zone needs a block of order 10; workload 'netperf' allocates" },
	{ "memory-too-little",
	  DATA "memory-too-little.yaml:3:22: machine 'small': memory.per_node of 4194304 bytes is too little, a zone needs a block of order 10; workload 'netperf' allocates" },
	{ "memory-too-much",
	  DATA "memory-too-much.yaml:3:22: machine 'small': memory.per_node of 9895604649984 bytes on 2 nodes is too much, pages have numbers below 4294967295; workload 'netperf' allocates" },
	{ "negative-latency",
	  DATA "negative-latency.yaml:4:16: remote_ns: must be between 1 and 100000" },
	{ "no-machine",
	  DATA "no-machine.yaml:1:1: missing key 'machine'" },
	{ "no-machines",
	  DATA "no-machines.yaml:1:11: machines is empty" },
	{ "no-sockets",
	  DATA "no-sockets.yaml:1:52: sockets: must be between 1 and 64" },
	{ "no-workload",
	  DATA "no-workload.yaml:1:1: missing key 'workload'" },
	{ "not-a-mapping",
	  DATA "not-a-mapping.yaml:1:1: an experiment must be a mapping, not a list" },
	{ "page-node-out-of-range",
	  DATA "page-node-out-of-range.yaml:3:12: node 2 is out of range: machine 'small' has nodes 0 to 1" },
	{ "placement-empty",
	  DATA "placement-empty.yaml:3:12: placement is an empty list" },
	{ "placement-out-of-range",
	  DATA "placement-out-of-range.yaml:3:16: CPU 24 is out of range: machine 'small' has CPUs 0 to 23" },
	{ "placement-twice",
	  DATA "placement-twice.yaml:3:19: CPU 0 is in the placement twice" },
	{ "placement-unknown",
	  DATA "placement-unknown.yaml:3:12: placement: unknown value 'core-first'; did you mean 'cores-first'?" },
	{ "policy-fraction",
	  DATA "policy-fraction.yaml:4:65: percpu_pagelist_high_fraction: must be 0 or at least 8, as for the sysctl, not 7" },
	{ "policy-values-cross",
	  DATA "policy-values-cross.yaml:5:28: high_min 700 is above high_max 600" },
	{ "policy-without-name",
	  DATA "policy-without-name.yaml:3:11: refcount must be a mapping, not a list" },
	{ "prior-low-above-high",
	  DATA "prior-low-above-high.yaml:4:31: the low end 80 of the range is above the high end 40" },
	{ "prior-no-number",
	  DATA "prior-no-number.yaml:4:3: 'refcount' is no number: it has no range" },
	{ "prior-out-of-range",
	  DATA "prior-out-of-range.yaml:4:40: snoop_cluster_pct: must be between 0 and 99" },
	{ "prior-swept",
	  DATA "prior-swept.yaml:5:3: 'threads' is swept: it has no range" },
	{ "prior-three-values",
	  DATA "prior-three-values.yaml:4:31: a range is [low, high], not 3 values" },
	{ "prior-unknown-key",
	  DATA "prior-unknown-key.yaml:4:3: unknown key 'machine.transfer.socket'; did you mean 'machine.transfer.socket_ns'?" },
	{ "prior-unused-key",
	  DATA "prior-unused-key.yaml:5:3: no variant takes 'refcount.backoff_ns': what it names is not in use" },
	{ "published-cell-malformed",
	  DATA "published-cell-malformed.yaml:4:18: '1-vanilla' is no cell of a table: must be ROW/COLUMN, e.g. 1/vanilla" },
	{ "published-cell-unknown",
	  DATA "published-cell-unknown.yaml:5:29: unknown variant 'patchd'; did you mean 'patched'?" },
	{ "published-missing",
	  DATA "published-missing.yaml:3:12: published table '" DATA "nowhere.csv': No such file or directory" },
	{ "published-used-alone",
	  DATA "published-used-alone.yaml:3:1: published_used without a 'published' table" },
	{ "replications-list",
	  DATA "replications-list.yaml:3:21: replications must be a single value, not a list" },
	{ "replications-min-above-max",
	  DATA "replications-min-above-max.yaml:3:21: replications: min 6 is above max 5" },
	{ "replications-min-one",
	  DATA "replications-min-one.yaml:3:27: min: must be between 2 and 10000" },
	{ "replications-unknown-key",
	  DATA "replications-unknown-key.yaml:3:22: unknown key 'untill'; did you mean 'until'?" },
	{ "replications-until-bare",
	  DATA "replications-until-bare.yaml:3:29: until: '1' needs a unit, e.g. 1%" },
	{ "replications-zero",
	  DATA "replications-zero.yaml:3:21: replications: must be between 1 and 10000" },
	{ "sweep-bad-value",
	  DATA "sweep-bad-value.yaml:4:36: socket_ns: 'fifty' is not a number" },
	{ "sweep-empty-list",
	  DATA "sweep-empty-list.yaml:4:12: the list of swept values is empty" },
	{ "sweep-list-value",
	  DATA "sweep-list-value.yaml:4:16: a swept value must be a single value, not a list" },
	{ "sweep-named-empty",
	  DATA "sweep-named-empty.yaml:4:9: the mapping of named points is empty" },
	{ "sweep-named-parameter",
	  DATA "sweep-named-parameter.yaml:4:12: 'threads' is a parameter, so it is swept over a list of values; named points need a name of their own" },
	{ "sweep-named-scalar",
	  DATA "sweep-named-scalar.yaml:4:17: a named point must be a mapping, not a single value" },
	{ "sweep-named-unknown-key",
	  DATA "sweep-named-unknown-key.yaml:5:24: unknown key 'byte'; did you mean 'bytes'?" },
	{ "sweep-not-list",
	  DATA "sweep-not-list.yaml:4:12: the list of swept values must be a list, not a single value" },
	{ "sweep-replications",
	  DATA "sweep-replications.yaml:4:25: run.replications must be the same in all variants and points" },
	{ "sweep-replications-max",
	  DATA "sweep-replications-max.yaml:4:3: 'run.replications.max' cannot be swept: it must be the same in all variants and points" },
	{ "sweep-section",
	  DATA "sweep-section.yaml:4:3: 'machine.transfer' is not a single value: it cannot be set or swept" },
	{ "sweep-too-long",
	  DATA "sweep-too-long.yaml:4:3: the sweep has too many points: at most 100000 over all machines and variants" },
	{ "sweep-too-many",
	  DATA "sweep-too-many.yaml:4:3: sweep has 5 entries; at most 4 are allowed" },
	{ "sweep-twice-a-key",
	  DATA "sweep-twice-a-key.yaml:5:3: 'refcount.name' is swept twice" },
	{ "sweep-twice-a-value",
	  DATA "sweep-twice-a-value.yaml:4:40: 'machine.transfer.socket_ns' is swept twice over '50.0'" },
	{ "sweep-unknown-key",
	  DATA "sweep-unknown-key.yaml:4:3: unknown key 'machine.transfer.socket_nss'; did you mean 'machine.transfer.socket_ns'?" },
	{ "sweep-unused-key",
	  DATA "sweep-unused-key.yaml:5:25: no variant takes 'refcount.backoff_ns': what it names is not in use" },
	{ "threads-above-cpus",
	  DATA "threads-above-cpus.yaml:3:10: 300 threads, but machine 'small' has 24 CPUs" },
	{ "threads-above-placement",
	  DATA "threads-above-placement.yaml:3:10: 3 threads, but placement lists 2 CPUs" },
	{ "threads-swept-above-cpus",
	  DATA "threads-swept-above-cpus.yaml:4:20: 25 threads, but machine 'small' has 24 CPUs" },
	{ "threads-zero",
	  DATA "threads-zero.yaml:3:10: threads: must be between 1 and 4096" },
	{ "too-many-cpus",
	  DATA "too-many-cpus.yaml:1:10: machine 'small' has 255744 CPUs; at most 4096 are supported" },
	{ "too-many-runs",
	  DATA "too-many-runs.yaml:6:21: 1500 points of 1000 replications each are too many: at most 1000000 runs" },
	{ "unit-missing",
	  DATA "unit-missing.yaml:3:17: duration: '2000' needs a unit, e.g. 2000ms" },
	{ "unit-twice",
	  DATA "unit-twice.yaml:3:25: socket_ns: the key already names the unit (ns); write 60" },
	{ "unit-wrong",
	  DATA "unit-wrong.yaml:3:17: duration: 'MiB' is no unit of time; use ps, ns, us, ms or s" },
	{ "unknown-key-in-run",
	  DATA "unknown-key-in-run.yaml:3:7: unknown key 'replication'; did you mean 'replications'?" },
	{ "unknown-key-in-variant",
	  DATA "unknown-key-in-variant.yaml:5:41: unknown key 'backoff_ns'; known: name" },
	{ "unknown-key-in-workload",
	  DATA "unknown-key-in-workload.yaml:4:3: unknown key 'filesytem'; did you mean 'filesystem'?" },
	{ "unknown-key",
	  DATA "unknown-key.yaml:3:1: unknown key 'variant'; did you mean 'variants'?" },
	{ "unknown-policy",
	  DATA "unknown-policy.yaml:3:11: unknown refcount policy 'cass'; did you mean 'cas'?" },
	{ "unknown-workload",
	  DATA "unknown-workload.yaml:2:18: unknown workload 'preed'; did you mean 'pread'?" },
	{ "variant-not-mapping",
	  DATA "variant-not-mapping.yaml:3:21: a variant must be a mapping, not a single value" },
	{ "variant-replications",
	  DATA "variant-replications.yaml:5:27: run.replications must be the same in all variants and points" },
	{ "variant-twice",
	  DATA "variant-twice.yaml:5:3: duplicate key 'patched'; it is already at line 4, column 3" },
	{ "variants-empty",
	  DATA "variants-empty.yaml:3:11: variants is empty" },
	{ "warmup-negative",
	  DATA "warmup-negative.yaml:3:15: warmup: must be between 0ps and 1000s" },
	{ "workload-without-name",
	  DATA "workload-without-name.yaml:2:11: missing key 'name' in workload" },
};

/* On good.yaml, whose variants are cas and fetch-add. */
static const struct {
	const char *set, *message;
} broken_sets[] = {
	{ "threads", "--set threads: must be KEY=VALUE, e.g. machine.transfer.socket_ns=50" },
	{ "=5", "--set =5: must be KEY=VALUE, e.g. machine.transfer.socket_ns=50" },
	{ "machine.transfer.socket_ns=abc", "--set machine.transfer.socket_ns=abc: socket_ns: 'abc' is not a number" },
	{ "machine.transfer.socket_nss=5",
	  "--set machine.transfer.socket_nss=5: unknown key 'machine.transfer.socket_nss'; did you mean "
	  "'machine.transfer.socket_ns'?" },
	{ "sweep.threads=5", "--set sweep.threads=5: unknown key 'sweep.threads'" },
	{ "machine.transfer=5", "--set machine.transfer=5: 'machine.transfer' is not a single value: it cannot be set or swept" },
	{ "machine=small", "--set machine=small: 'machine' is not a single value: it cannot be set or swept" },
	{ "run.duration=5", "--set run.duration=5: duration: '5' needs a unit, e.g. 5ms" },
	{ "threads=25", "--set threads=25: 25 threads, but machine 'small' has 24 CPUs" },
	{ "placement=[0]", "--set placement=[0]: placement: unknown value '[0]'; known: cores-first, siblings-first" },
	{ "refcount=fetchadd", "--set refcount=fetchadd: unknown refcount policy 'fetchadd'; did you mean 'fetch-add'?" },
	{ "workload.operation=swap",
	  "--set workload.operation=swap: no variant takes 'workload.operation': what it names is not in use" },
	{ "pcp_high.percpu_pagelist_high_fraction=1",
	  "--set pcp_high.percpu_pagelist_high_fraction=1: percpu_pagelist_high_fraction: must be 0 or at least 8, as for the "
	  "sysctl, not 1" },
	{ "pcp_high=v6.17", "--set pcp_high=v6.17: unknown pcp_high policy 'v6.17'; did you mean 'v6.16'?" },
	/* overlay files have positions of their own */
	{ "@" OVERLAY "list.yaml",
	  OVERLAY "list.yaml:1:33: 'machine.transfer.matrix_ns' is a list: an overlay gives single values" },
	{ "@" OVERLAY "unknown.yaml",
	  OVERLAY "unknown.yaml:1:22: unknown key 'machine.transfer.sokcet_ns'; did you mean 'machine.transfer.socket_ns'?" },
	{ "@" OVERLAY "section.yaml", OVERLAY "section.yaml:2:1: 'machine' is not a single value: it cannot be set or swept" },
	{ "@" OVERLAY "nowhere.yaml", OVERLAY "nowhere.yaml: cannot be read: No such file or directory" },
};
/* clang-format on */

static struct arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = arena_create();
	return chdir(CONTEND_SOURCE_DIR);
}

static int teardown(void **state)
{
	(void)state;
	arena_destroy(arena);
	return 0;
}

static void expect_refused(const char *path, const char *const *sets, int nr_sets, const char *message)
{
	struct error err = { 0 };
	char text[ERROR_TEXT_BYTES + ERROR_FILE_BYTES];

	assert_null(experiment_load(arena, path, sets, nr_sets, &err));
	assert_string_equal(error_format(&err, text, sizeof(text)), message);
}

static void a_broken_file_is_refused_at_its_place_with_a_hint(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(broken); i++)
		expect_refused(arena_printf(arena, DATA "%s.yaml", broken[i].file), NULL, 0, broken[i].message);
}

static void a_broken_set_is_refused_by_its_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(broken_sets); i++)
		expect_refused(DATA "good.yaml", &broken_sets[i].set, 1, broken_sets[i].message);
}

/* Files that others refer to. */
static bool is_part(const char *name)
{
	static const char *const parts[] = { "small.yaml", "good.yaml", "circle-a.yaml", "circle-b.yaml",
					     "base-missing.yaml" };

	for (size_t i = 0; i < COUNT(parts); i++) {
		if (!strcmp(name, parts[i]))
			return true;
	}
	return false;
}

static bool is_in_table(const char *name)
{
	for (size_t i = 0; i < COUNT(broken); i++) {
		if (!strcmp(name, arena_printf(arena, "%s.yaml", broken[i].file)))
			return true;
	}
	return false;
}

static void every_broken_file_has_its_row(void **state)
{
	DIR *folder = opendir(DATA);
	const struct dirent *entry;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.' || !strstr(entry->d_name, ".yaml") || is_part(entry->d_name))
			continue;
		if (!is_in_table(entry->d_name))
			fail_msg("no test of %s", entry->d_name);
	}
	closedir(folder);
}

static void a_missing_experiment_is_named(void **state)
{
	(void)state;
	expect_refused(DATA "nowhere.yaml", NULL, 0, DATA "nowhere.yaml: cannot be read: No such file or directory");
}

static void an_experiment_is_read_as_written(void **state)
{
	struct error err;
	struct experiment *experiment = experiment_load(arena, DATA "good.yaml", NULL, 0, &err);

	(void)state;
	assert_non_null(experiment);
	assert_string_equal(experiment->name, "good");
	assert_string_equal(experiment->title, "an experiment with everything: 100 %");
	assert_int_equal(experiment->nr_machines, 2);
	assert_string_equal(experiment->machine_names[0], "small");
	assert_string_equal(experiment->machine_names[1], "far");
	assert_int_equal(experiment->nr_variants, 2);
	assert_string_equal(experiment->variant_names[1], "patched");
	assert_int_equal(experiment->baseline, 0);
	assert_int_equal(experiment->nr_axes, 2);
	assert_string_equal(experiment->axes[1].key, "workload.filesystem");
	assert_int_equal(experiment_nr_points(experiment), 6);
	assert_string_equal(experiment->published, DATA "good.csv");
	assert_int_equal(experiment->nr_published_used, 1);
	assert_string_equal(experiment->published_used[0], "1/vanilla");
	assert_int_equal(experiment->priors.nr, 2);
	assert_string_equal(experiment->priors.ranges[1].key, "refcount.backoff_ns");
	assert_string_equal(experiment->priors.ranges[1].high, "20");
	assert_int_equal(experiment->fit.vary.nr, 3);
	assert_string_equal(experiment->fit.vary.ranges[0].low, "100");
	assert_string_equal(experiment->fit.other, DATA "good.yaml");
	assert_int_equal(experiment->fit.carries.nr, 1);
	assert_string_equal(experiment->fit.carries.ranges[0].high, "6");
	assert_int_equal(experiment->fit.own.nr, 1);
	assert_string_equal(experiment->fit.own.ranges[0].key, "workload.private_ns");
}

/* A key that --set gives is not varied, and neither is one that no policy takes any more. */
static void what_a_set_decides_has_no_range(void **state)
{
	const char *const sets[] = { "workload.private_ns=7", "refcount=fetch-add" };
	struct error err;
	struct experiment *experiment = experiment_load(arena, DATA "good.yaml", sets, 2, &err);

	(void)state;
	assert_non_null(experiment);
	assert_int_equal(experiment->fit.vary.nr, 1);
	assert_string_equal(experiment->fit.vary.ranges[0].key, "workload.gap_ns");
	assert_int_equal(experiment->fit.carries.nr, 1);
	assert_int_equal(experiment->fit.own.nr, 0);
	assert_int_equal(experiment->priors.nr, 1);
}

static void every_shipped_experiment_loads(void **state)
{
	const char **names = config_names(arena, CONFIG_EXPERIMENT);
	int nr = 0;

	(void)state;
	for (; names[nr]; nr++) {
		struct error err = { 0 };
		struct arena *own = arena_create();
		const char *path = config_find(own, CONFIG_EXPERIMENT, names[nr], (struct source_pos){ 0 }, &err);

		assert_non_null(path);
		if (!experiment_load(own, path, NULL, 0, &err))
			fail_msg("%s:%d: %s", err.file_name, err.pos.line, err.text);
		arena_destroy(own);
	}
	assert_true(nr >= 9);
	assert_non_null(experiment_load(arena, "configs/demo.yaml", NULL, 0, NULL));
}

static void every_shipped_machine_binds(void **state)
{
	const char **names = config_names(arena, CONFIG_MACHINE);
	int nr = 0;

	(void)state;
	for (; names[nr]; nr++) {
		struct error err = { 0 };
		const char *path = config_find(arena, CONFIG_MACHINE, names[nr], (struct source_pos){ 0 }, &err);
		struct yaml_node *tree = machine_tree_load(arena, path, &err);
		struct machine_config config;

		if (!tree || machine_config_bind(arena, tree, names[nr], &config, &err))
			fail_msg("%s:%d: %s", err.file_name, err.pos.line, err.text);
		assert_string_equal(config.name, names[nr]);
	}
	assert_true(nr >= 7);
}

static void a_matrix_is_read_row_by_row(void **state)
{
	static const char text[] =
		"topology: {sockets: 2, cores_per_cluster: 1}\n"
		"transfer: {cluster_ns: 30, socket_ns: 60, remote_ns: 120, matrix_ns: [[61, 120], [121, 62]]}\n"
		"core: {atomic_hit_ns: 5}\n";
	struct error err;
	struct machine_config config;
	struct yaml_node *tree = yaml_parse(arena, "m.yaml", text, sizeof(text) - 1, &err);

	(void)state;
	assert_non_null(tree);
	assert_int_equal(machine_config_bind(arena, tree, "m", &config, &err), 0);
	assert_true(config.matrix_ns[0] == 61 && config.matrix_ns[1] == 120);
	assert_true(config.matrix_ns[2] == 121 && config.matrix_ns[3] == 62);
}

static void a_name_is_found_and_a_path_stays(void **state)
{
	struct error err;
	const struct source_pos none = { 0 };

	(void)state;
	assert_string_equal(config_find(arena, CONFIG_MACHINE, "i7-6700hq", none, &err),
			    CONTEND_SOURCE_DIR "/configs/machines/i7-6700hq.yaml");
	assert_string_equal(config_find(arena, CONFIG_MACHINE, "x.yaml", none, &err), "x.yaml");
	assert_string_equal(config_find(arena, CONFIG_EXPERIMENT, "a/b", none, &err), "a/b");
	assert_null(config_find(arena, CONFIG_EXPERIMENT, "policiez", none, &err));
	assert_string_equal(err.text, "unknown experiment 'policiez'; did you mean 'policies'?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_broken_file_is_refused_at_its_place_with_a_hint),
		cmocka_unit_test(a_broken_set_is_refused_by_its_text),
		cmocka_unit_test(every_broken_file_has_its_row),
		cmocka_unit_test(a_missing_experiment_is_named),
		cmocka_unit_test(an_experiment_is_read_as_written),
		cmocka_unit_test(what_a_set_decides_has_no_range),
		cmocka_unit_test(every_shipped_experiment_loads),
		cmocka_unit_test(every_shipped_machine_binds),
		cmocka_unit_test(a_matrix_is_read_row_by_row),
		cmocka_unit_test(a_name_is_found_and_a_path_stays),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
