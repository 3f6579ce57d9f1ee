/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which layer decides a value, what a run configuration gets from a point's
 * tree, and the text of both.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "models/config_parts.h"
#include "models/workloads/workload.h"
#include "sim/io/yaml_text.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* Where relative paths of experiments from memory start. */
#define HERE "tests/data/config/memory.yaml"
#define HEAD "machine: small.yaml\nworkload: {name: pread, bytes: 8}\n"

/* clang-format off */
static const struct {
	const char *text; /* after HEAD */
	const char *set; /* or NULL */
	const char *extra; /* or NULL; YAML */
	int variant, point;
	const char *key, *value; /* of the resolved tree; value NULL: absent */
} layers[] = {
	/* each layer over the one before: file, experiment, variant, sweep, --set, extra */
	{ "", NULL, NULL, 0, 0, "machine.transfer.socket_ns", "60" },
	{ "variants: {a: {machine: {transfer: {socket_ns: 61}}}}", NULL, NULL, 0, 0, "machine.transfer.socket_ns", "61" },
	{ "variants: {a: {machine: {transfer: {socket_ns: 61}}}}\nsweep: {machine.transfer.socket_ns: [62, 63]}", NULL, NULL,
	  0, 1, "machine.transfer.socket_ns", "63" },
	{ "variants: {a: {machine: {transfer: {socket_ns: 61}}}}", "machine.transfer.socket_ns=64", NULL, 0, 0,
	  "machine.transfer.socket_ns", "64" },
	{ "", "machine.transfer.socket_ns=64", "machine: {transfer: {socket_ns: 65}}", 0, 0, "machine.transfer.socket_ns", "65" },
	{ "variants: {a: {machine: {transfer: {socket_ns: 61}}}}", NULL, NULL, 0, 0, "machine.transfer.remote_ns", "120" },
	/* a named point lies below the variant and below what is swept by value */
	{ "sweep: {size: {a: {workload: {bytes: 16}}, b: {workload: {bytes: 32}}}}", NULL, NULL, 0, 1, "workload.bytes", "32" },
	{ "sweep: {size: {a: {workload: {bytes: 16}}, b: {workload: {bytes: 32}}}}", "size=b", NULL, 0, 0, "workload.bytes", "32" },
	{ "sweep: {size: {a: {workload: {bytes: 16}}}}\nvariants: {v: {workload: {bytes: 17}}}", NULL, NULL, 0, 0, "workload.bytes", "17" },
	{ "sweep: {size: {a: {threads: 1}, b: {threads: 2}}, workload.bytes: [16, 32, 64]}", NULL, NULL, 0, 4, "threads", "2" },
	{ "sweep: {size: {a: {threads: 1}, b: {threads: 2}}, workload.bytes: [16, 32, 64]}", NULL, NULL, 0, 4, "workload.bytes", "32" },
	{ "sweep: {workload.bytes: [16, 32, 64], size: {a: {threads: 1}, b: {threads: 2}}}", NULL, NULL, 0, 3, "threads", "2" },
	{ "sweep: {what: {a: {workload: pread}, b: {workload: {name: atomics, think_ns: 7}}}}", NULL, NULL, 0, 1, "workload.think_ns", "7" },
	{ "sweep: {what: {a: {workload: pread}, b: {workload: {name: atomics, think_ns: 7}}}}", NULL, NULL, 0, 1, "workload.bytes", NULL },
	/* a parameter that no file mentions */
	{ "sweep: {machine.line.snoop_cluster_pct: [10, 20]}", NULL, NULL, 0, 1, "machine.line.snoop_cluster_pct", "20" },
	{ "", "run.seed=7", NULL, 0, 0, "run.seed", "7" },
	/* the last axis is fastest */
	{ "sweep: {threads: [1, 2], workload.bytes: [16, 32, 64]}", NULL, NULL, 0, 4, "threads", "2" },
	{ "sweep: {threads: [1, 2], workload.bytes: [16, 32, 64]}", NULL, NULL, 0, 4, "workload.bytes", "32" },
	/* a policy by name is a mapping */
	{ "", NULL, NULL, 0, 0, "refcount.name", "cas" },
	{ "refcount: cas", "refcount.backoff_ns=20", NULL, 0, 0, "refcount.backoff_ns", "20" },
	{ "refcount: cas", "refcount.backoff_ns=20", NULL, 0, 0, "refcount.name", "cas" },
	{ "refcount: cas\nsweep: {refcount.backoff_ns: [5]}", NULL, NULL, 0, 0, "refcount.backoff_ns", "5" },
	/* another name resets the mapping, the same name does not */
	{ "refcount: {name: cas, backoff_ns: 5}\nvariants: {a: {refcount: cas-optimistic}}", NULL, NULL, 0, 0, "refcount.backoff_ns", NULL },
	{ "refcount: {name: cas, backoff_ns: 5}\nvariants: {a: {refcount: cas}}", NULL, NULL, 0, 0, "refcount.backoff_ns", "5" },
	{ "refcount: {backoff_ns: 5}\nvariants: {a: {refcount: {reload_ns: 2}}}", NULL, NULL, 0, 0, "refcount.backoff_ns", "5" },
	{ "variants: {a: {workload: atomics}}", NULL, NULL, 0, 0, "workload.bytes", NULL },
	{ "variants: {a: {workload: atomics}}", NULL, NULL, 0, 0, "workload.name", "atomics" },
	/* names are swept and set too */
	{ "sweep: {refcount: [cas, none]}", NULL, NULL, 0, 1, "refcount.name", "none" },
	{ "sweep: {folio_lock.name: [spin, sleep]}", NULL, NULL, 0, 1, "folio_lock.name", "sleep" },
	{ "variants: {a: {refcount: {name: cas, backoff_ns: 5}}}", "refcount=none", NULL, 0, 0, "refcount.name", "none" },
	{ "sweep: {workload.filesystem: [tmpfs, pagecache]}", NULL, NULL, 0, 1, "workload.filesystem", "pagecache" },
	/* a swept or set parameter reaches the variants that have it */
	{ "variants: {a: {refcount: cas}, b: {refcount: fetch-add}}", "refcount.backoff_ns=9", NULL, 0, 0, "refcount.backoff_ns", "9" },
	{ "variants: {a: {refcount: cas}, b: {refcount: fetch-add}}", "refcount.backoff_ns=9", NULL, 1, 0, "refcount.backoff_ns", NULL },
	{ "sweep: {refcount: [fetch-add, cas], refcount.backoff_ns: [1, 2]}", NULL, NULL, 0, 3, "refcount.backoff_ns", "2" },
	{ "sweep: {refcount: [fetch-add, cas], refcount.backoff_ns: [1, 2]}", NULL, NULL, 0, 1, "refcount.backoff_ns", NULL },
	{ "variants: {a: {refcount: fetch-add}}", NULL, "refcount: {backoff_ns: 9}", 0, 0, "refcount.backoff_ns", NULL },
	{ "variants: {a: {refcount: fetch-add}}", NULL, "refcount: none", 0, 0, "refcount.name", "none" },
	/* --set on a swept key leaves one point */
	{ "sweep: {threads: [1, 2, 3]}", "threads=4", NULL, 0, 0, "threads", "4" },
	{ "sweep: {refcount: [cas, none]}", "refcount.name=fetch-add", NULL, 0, 0, "refcount.name", "fetch-add" },
	/* an overlay file is a --set per value: over sweep and variants, and only where a variant has the parameter */
	{ "variants: {a: {machine: {transfer: {socket_ns: 61}}}}", "@tests/data/overlay/good.yaml", NULL, 0, 0,
	  "machine.transfer.socket_ns", "66" },
	{ "sweep: {machine.transfer.remote_ns: [100, 110]}", "@tests/data/overlay/good.yaml", NULL, 0, 0,
	  "machine.transfer.remote_ns", "121" },
	{ "variants: {a: {refcount: cas}, b: {refcount: fetch-add}}", "@tests/data/overlay/good.yaml", NULL, 0, 0,
	  "refcount.backoff_ns", "7" },
	{ "variants: {a: {refcount: cas}, b: {refcount: fetch-add}}", "@tests/data/overlay/good.yaml", NULL, 1, 0,
	  "refcount.backoff_ns", NULL },
};

/* Placement and number of workers on small.yaml: 2 sockets x 2 clusters x 3 cores x 2 threads, siblings n and n + 12. */
static const struct {
	const char *text;
	int nr_threads;
	int cpus[5];
} placements[] = {
	{ "", 24, { 0, 1, 2, 3, 4 } },
	{ "threads: 5", 5, { 0, 1, 2, 3, 4 } },
	{ "placement: siblings-first", 24, { 0, 12, 1, 13, 2 } },
	{ "placement: [23, 0, 7, 8, 9, 10]", 6, { 23, 0, 7, 8, 9 } },
	{ "placement: [23, 0, 7, 8, 9, 10]\nthreads: 5", 5, { 23, 0, 7, 8, 9 } },
};

/* Texts that YAML would read as something else when written carelessly. */
static const char *const awkward[] = {
	"", " ", "plain", "two words", "-", "- a", "a: b", "a:b", "a # b", "#", "\"", "'", "`date`", "a\nb", "a\n", "\n a",
	"\ttab", "~", "null", "{}", "[a]", "*a", "&a", "!t", "%", "@", "?", "| ", "a ", "x\\y", "2 \xc3\x97 E5", "\xc2\x85",
	"\xe2\x80\xa8", "\xef\xbb\xbf", "\xf0\x9f\x98\x80", "...", "---", "\x01\x7f", "a, b", "1e3", ":", "a:",
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

static void fail_with(const struct error *err)
{
	char text[ERROR_TEXT_BYTES + ERROR_FILE_BYTES];

	fail_msg("%s", error_format(err, text, sizeof(text)));
}

static struct yaml_node *parse(const char *text)
{
	struct error err;
	struct yaml_node *tree = yaml_parse(arena, HERE, text, strlen(text), &err);

	if (!tree)
		fail_with(&err);
	return tree;
}

static struct experiment *load(const char *text, const char *set)
{
	struct error err;
	struct yaml_node *root = parse(arena_printf(arena, HEAD "%s", text));
	struct experiment *experiment = experiment_from_tree(arena, root, &set, set ? 1 : 0, &err);

	if (!experiment)
		fail_with(&err);
	return experiment;
}

static char *text_of(const struct experiment *experiment, int machine, int variant, int point)
{
	struct error err;
	char *text = experiment_text(experiment, arena, machine, variant, point, &err);

	if (!text)
		fail_with(&err);
	return text;
}

static bool same(const struct yaml_node *a, const struct yaml_node *b)
{
	const struct yaml_node *left = a->children, *right = b->children;

	if (a->kind != b->kind || a->nr_children != b->nr_children)
		return false;
	if (a->kind == YAML_SCALAR)
		return !strcmp(a->text, b->text);
	for (; left && right; left = left->next, right = right->next) {
		if ((a->kind == YAML_MAPPING && strcmp(left->key, right->key)) || !same(left, right))
			return false;
	}
	return !left && !right;
}

/* The value by the text; layers that only experiment_resolve takes are looked up in the configuration below. */
static void the_strongest_layer_decides(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(layers); i++) {
		struct experiment *experiment = load(layers[i].text, layers[i].set);
		struct config_at at = { .variant = layers[i].variant, .point = layers[i].point };
		const struct yaml_node *extra = layers[i].extra ? parse(layers[i].extra) : NULL;
		struct yaml_node *tree = config_point_tree(experiment, arena, at, extra);
		const struct yaml_node *node = yaml_at(tree, layers[i].key);

		if (!layers[i].value) {
			assert_null(node);
		} else {
			assert_non_null(node);
			assert_string_equal(node->text, layers[i].value);
		}
	}
}

static void workers_are_placed_as_asked(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(placements); i++) {
		struct experiment *experiment = load(placements[i].text, NULL);
		struct run_config config;
		struct error err;

		assert_int_equal(experiment_resolve(experiment, arena, 0, 0, 0, NULL, &config, &err), 0);
		assert_int_equal(config.nr_threads, placements[i].nr_threads);
		assert_memory_equal(config.cpus, placements[i].cpus, sizeof(placements[i].cpus));
	}
}

static void a_run_gets_what_its_tree_says(void **state)
{
	struct experiment *experiment = load("page_node: 1\nrun: {warmup: 1us, duration: 3us, min_operations: 4, "
					     "replications: 5, seed: 6}\nrefcount: fetch-add",
					     NULL);
	struct run_config config;
	struct error err;

	(void)state;
	assert_int_equal(experiment_resolve(experiment, arena, 0, 0, 0, NULL, &config, &err), 0);
	assert_string_equal(config.machine.name, "small");
	assert_string_equal(config.workload->name, "pread");
	assert_string_equal(config.policies[AXIS_REFCOUNT].policy->name, "fetch-add");
	assert_ptr_equal(config.policies[AXIS_FOLIO_LOCK].policy, registry_default_policy(AXIS_FOLIO_LOCK));
	assert_int_equal(config.page_node, 1);
	assert_int_equal(config.length.warmup_ps, PS_PER_US);
	assert_int_equal(config.length.duration_ps, 3 * PS_PER_US);
	assert_int_equal(config.length.min_operations, 4);
	assert_int_equal(config.length.replications, 5);
	assert_int_equal(config.length.seed, 6);
}

static void replications_are_a_number_or_as_many_as_a_point_needs(void **state)
{
	static const struct {
		const char *text;
		uint32_t least, most;
		uint64_t until_ppm;
	} cases[] = {
		{ "run: {replications: 7}", 0, 7, 0 },
		{ "run: {replications: {}}", 5, 50, 10000 },
		{ "run: {replications: {min: 3, max: 9, until: 0.5%}}", 3, 9, 5000 },
		{ "run: {replications: {until: 250ppm}}", 5, 50, 250 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct experiment *experiment = load(cases[i].text, NULL);
		struct results *results = experiment_results(experiment, arena, NULL);
		struct run_config config;
		struct error err;

		assert_int_equal(experiment_resolve(experiment, arena, 0, 0, 0, NULL, &config, &err), 0);
		assert_int_equal(config.length.min_replications, cases[i].least);
		assert_int_equal(config.length.replications, cases[i].most);
		assert_int_equal(config.length.until_ppm, cases[i].until_ppm);
		assert_int_equal(results->nr_replications, cases[i].most);
		assert_int_equal(results->min_replications, cases[i].least);
		assert_int_equal(results->until_ppm, cases[i].until_ppm);
	}
}

static void an_extra_overlay_leaves_the_experiment_alone(void **state)
{
	struct experiment *experiment = load("", NULL);
	const char *before = text_of(experiment, 0, 0, 0);
	struct yaml_node *extra = parse("refcount: none\nmachine: {transfer: {remote_ns: 500}}");
	struct run_config config;
	struct error err;

	(void)state;
	assert_int_equal(experiment_resolve(experiment, arena, 0, 0, 0, extra, &config, &err), 0);
	assert_true(config.machine.transfer.remote_ns == 500);
	assert_string_equal(config.policies[AXIS_REFCOUNT].policy->name, "none");
	assert_string_equal(text_of(experiment, 0, 0, 0), before);
}

static void an_extra_overlay_is_checked(void **state)
{
	struct yaml_node *extra = parse("machine: {transfer: {remote_nss: 500}}");
	struct run_config config;
	struct error err = { 0 };

	(void)state;
	assert_int_equal(experiment_resolve(load("", NULL), arena, 0, 0, 0, extra, &config, &err), -1);
	assert_string_equal(err.text, "unknown key 'remote_nss'; did you mean 'remote_ns'?");
}

/* The text of a point is an experiment of that one point. */
static void a_resolved_text_resolves_to_itself(void **state)
{
	struct error err;
	struct experiment *experiment = experiment_load(arena, "tests/data/config/good.yaml", NULL, 0, &err);

	(void)state;
	assert_non_null(experiment);
	for (int i = 0; i < 2 * 2 * 6; i++) {
		const char *text = text_of(experiment, i / 12, i / 6 % 2, i % 6);
		struct experiment *again = experiment_from_tree(arena, parse(text), NULL, 0, &err);
		struct config_at at = { .machine = i / 12, .variant = i / 6 % 2, .point = i % 6 };
		struct yaml_node *first = config_point_tree(experiment, arena, at, NULL);
		struct yaml_node *second;

		assert_non_null(again);
		assert_string_equal(again->machine_names[0], experiment->machine_names[i / 12]);
		second = config_point_tree(again, arena, (struct config_at){ 0 }, NULL);
		assert_true(same(yaml_get(first, "machine"), yaml_get(second, "machine")));
		assert_true(same(yaml_get(first, "workload"), yaml_get(second, "workload")));
		assert_true(same(yaml_get(first, "refcount"), yaml_get(second, "refcount")));
		assert_true(same(yaml_get(first, "run"), yaml_get(second, "run")));
	}
}

static void awkward_texts_come_back(void **state)
{
	struct source_pos none = { 0 };
	struct yaml_node *tree = config_mapping(arena, none);
	struct yaml_node *list = config_mapping(arena, none);

	(void)state;
	list->kind = YAML_SEQUENCE;
	config_append(list, NULL, config_mapping(arena, none));
	for (size_t i = 0; i < COUNT(awkward); i++) {
		config_append(tree, awkward[i], config_scalar(arena, awkward[i], none));
		config_append(list, NULL, config_scalar(arena, awkward[i], none));
	}
	config_append(tree, "list", list);
	assert_true(same(tree, parse(yaml_text(arena, tree))));
}

static const char *hash_of(const char *text, const char *set)
{
	struct error err;
	struct results *results = experiment_results(load(text, set), arena, &err);

	assert_non_null(results);
	return results->config_hash;
}

static void the_hash_follows_the_configuration(void **state)
{
	const char *hash = hash_of("refcount: cas\nsweep: {threads: [1, 2]}", NULL);

	(void)state;
	assert_int_equal(strlen(hash), 16);
	assert_string_equal(hash_of("refcount: {name: cas} # the same\nsweep:\n  threads: [1, 2]", NULL), hash);
	assert_string_equal(hash_of("refcount: cas\nsweep: {threads: [1, 2]}\ntitle: another title", NULL), hash);
	assert_string_not_equal(hash_of("refcount: none\nsweep: {threads: [1, 2]}", NULL), hash);
	assert_string_not_equal(hash_of("refcount: cas\nsweep: {threads: [1, 3]}", NULL), hash);
	assert_string_not_equal(hash_of("refcount: cas\nsweep: {threads: [1, 2]}", "machine.core.atomic_hit_ns=6"),
				hash);
	assert_string_not_equal(hash_of("refcount: cas\nsweep: {threads: [1, 2]}", "threads=1"), hash);
}

static void the_hash_is_fnv_1a(void **state)
{
	(void)state;
	/* test vectors of the authors */
	assert_true(config_hash("") == UINT64_C(0xcbf29ce484222325));
	assert_true(config_hash("a") == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(config_hash("foobar") == UINT64_C(0x85944171f73967e8));
}

static void results_start_empty_and_named(void **state)
{
	struct error err;
	struct experiment *experiment = experiment_load(arena, "tests/data/config/good.yaml", NULL, 0, &err);
	struct results *results = experiment_results(experiment, arena, &err);

	(void)state;
	assert_non_null(results);
	assert_string_equal(results->experiment, "good");
	assert_string_equal(results->version, CONTEND_VERSION);
	assert_int_equal(results->nr_machines, 2);
	assert_int_equal(results->nr_variants, 2);
	assert_int_equal(results->nr_replications, 3);
	assert_int_equal(results->seed, 9);
	assert_int_equal(results_nr_points(results), 6);
	assert_int_equal(results_find_metric(results, "throughput"), METRIC_THROUGHPUT);
	assert_true(results->axes[0].value_numbers[1] == 12);
	assert_true(isnan(results->axes[1].value_numbers[0]));
	assert_true(isnan(*results_at(results, 1, 1, 5, 2, NR_METRICS - 1)));
	assert_int_equal(results->nr_boundaries, 8);
	assert_int_equal(results->boundaries[7].machine, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_strongest_layer_decides),
		cmocka_unit_test(workers_are_placed_as_asked),
		cmocka_unit_test(a_run_gets_what_its_tree_says),
		cmocka_unit_test(replications_are_a_number_or_as_many_as_a_point_needs),
		cmocka_unit_test(an_extra_overlay_leaves_the_experiment_alone),
		cmocka_unit_test(an_extra_overlay_is_checked),
		cmocka_unit_test(a_resolved_text_resolves_to_itself),
		cmocka_unit_test(awkward_texts_come_back),
		cmocka_unit_test(the_hash_follows_the_configuration),
		cmocka_unit_test(the_hash_is_fnv_1a),
		cmocka_unit_test(results_start_empty_and_named),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
