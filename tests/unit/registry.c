/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The registry, and every parameter table that hangs on it, on the machine or
 * on the run.
 */
#include "models/registry.h"

#include "models/hardware/machine.h"
#include "models/run.h"
#include "models/workloads/workload.h"
#include "tests/support/param_rules.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

static bool is_name(const char *text)
{
	return text[0] && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-._")];
}

static void every_axis_has_a_key(void **state)
{
	(void)state;
	for (int axis = 0; axis < NR_POLICY_AXES; axis++)
		assert_true(strlen(policy_axis_keys[axis]) > 0);
	assert_null(policy_axis_keys[NR_POLICY_AXES]);
	assert_string_equal(policy_axis_keys[AXIS_REFCOUNT], "refcount");
	assert_string_equal(policy_axis_keys[AXIS_FOLIO_LOCK], "folio_lock");
	assert_string_equal(policy_axis_keys[AXIS_PCP_HIGH], "pcp_high");
}

static void every_policy_is_found_by_the_name_that_it_says(void **state)
{
	(void)state;
	for (enum policy_axis axis = 0; axis < NR_POLICY_AXES; axis++) {
		const char *const *names = registry_policy_names(axis);
		int nr = 0;

		for (const struct policy *policy; (policy = registry_policy_at(axis, nr)); nr++) {
			assert_string_equal(names[nr], policy->name);
			assert_ptr_equal(registry_policy(axis, policy->name), policy);
			assert_true(is_name(policy->name));
			assert_true(strlen(policy->summary) > 0);
			assert_true(strlen(policy->mirrors) > 0);
			assert_non_null(policy->params);
			assert_int_equal(policy->params_size > 0, policy->params->key != NULL);
		}
		assert_true(nr > 0);
		assert_null(names[nr]);
		assert_ptr_equal(registry_default_policy(axis), registry_policy_at(axis, 0));
		assert_null(registry_policy(axis, "no such policy"));
		assert_null(registry_policy(axis, ""));
	}
}

static void a_pattern_of_result_classes_names_parameters_alone(void **state)
{
	const struct workload *workload;

	(void)state;
	for (int i = 0; (workload = registry_workload_at(i)); i++) {
		const char *brace = workload->result_class;

		while (brace && (brace = strchr(brace, '{'))) {
			char key[64] = "";

			assert_int_equal(sscanf(brace, "{%63[a-z_]}", key), 1);
			assert_non_null(param_find(workload->params, key));
			brace++;
		}
	}
}

static void the_defaults_are_what_linux_had_before_the_patch(void **state)
{
	(void)state;
	assert_string_equal(registry_default_policy(AXIS_REFCOUNT)->name, "cas");
	assert_string_equal(registry_default_policy(AXIS_FOLIO_LOCK)->name, "sleep");
	assert_string_equal(registry_default_policy(AXIS_PCP_HIGH)->name, "v6.16");
}

static void every_workload_is_found_by_the_name_that_it_says(void **state)
{
	const char *const *names = registry_workload_names();
	int nr = 0;

	(void)state;
	for (const struct workload *workload; (workload = registry_workload_at(nr)); nr++) {
		assert_string_equal(names[nr], workload->name);
		assert_ptr_equal(registry_workload(workload->name), workload);
		assert_true(is_name(workload->name));
		assert_true(strlen(workload->summary) > 0);
		assert_non_null(workload->params);
		assert_true(workload->create && workload->operation);
	}
	assert_true(nr > 0);
	assert_null(names[nr]);
	assert_null(registry_workload("no such workload"));
}

/* ---- parameter tables ---- */

static void assert_rules_kept(const char *what, const struct param *table)
{
	char text[256];
	const char *broken = param_rules_broken(table, text, sizeof(text));

	if (broken)
		print_error("%s: %s\n", what, broken);
	assert_null(broken);
}

static void every_parameter_table_keeps_the_rules(void **state)
{
	(void)state;
	for (enum policy_axis axis = 0; axis < NR_POLICY_AXES; axis++)
		for (int i = 0; registry_policy_at(axis, i); i++)
			assert_rules_kept(registry_policy_at(axis, i)->name, registry_policy_at(axis, i)->params);
	for (int i = 0; registry_workload_at(i); i++)
		assert_rules_kept(registry_workload_at(i)->name, registry_workload_at(i)->params);
	for (const struct param_section *section = machine_sections; section->name; section++)
		assert_rules_kept(section->name, section->table);
	assert_rules_kept("run", run_length_params);
}

static size_t bytes_of(const struct param *entry)
{
	static const size_t bytes[] = {
		[PARAM_BOOL] = sizeof(bool),  [PARAM_U32] = sizeof(uint32_t), [PARAM_U64] = sizeof(uint64_t),
		[PARAM_PS] = sizeof(int64_t), [PARAM_F64] = sizeof(double),   [PARAM_TEXT] = sizeof(char *),
		[PARAM_CHOICE] = sizeof(int),
	};

	return bytes[entry->kind];
}

static void every_parameter_lies_within_its_structure(void **state)
{
	(void)state;
	for (enum policy_axis axis = 0; axis < NR_POLICY_AXES; axis++)
		for (int i = 0; registry_policy_at(axis, i); i++)
			for (const struct param *entry = registry_policy_at(axis, i)->params; entry->key; entry++)
				assert_true(entry->offset + bytes_of(entry) <=
					    registry_policy_at(axis, i)->params_size);
	for (int i = 0; registry_workload_at(i); i++)
		for (const struct param *entry = registry_workload_at(i)->params; entry->key; entry++)
			assert_true(entry->offset + bytes_of(entry) <= registry_workload_at(i)->params_size);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_axis_has_a_key),
		cmocka_unit_test(every_policy_is_found_by_the_name_that_it_says),
		cmocka_unit_test(a_pattern_of_result_classes_names_parameters_alone),
		cmocka_unit_test(the_defaults_are_what_linux_had_before_the_patch),
		cmocka_unit_test(every_workload_is_found_by_the_name_that_it_says),
		cmocka_unit_test(every_parameter_table_keeps_the_rules),
		cmocka_unit_test(every_parameter_lies_within_its_structure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
