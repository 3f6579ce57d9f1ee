/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV: quoting by RFC 4180 both ways, and the position of everything that is wrong. */
#include "sim/util/csv.h"

#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#define MAX_TEXT_BYTES 4096

/* Every row as "<field><field>...", rows ended by '|'; or the error. */
static const char *read_all(const struct scratch *scratch, const char *text)
{
	const char *path = scratch_write(scratch, "t.csv", text);
	struct error err = { 0 };
	struct csv_reader *csv = csv_open(scratch->arena, path, CSV_MAX_FILE_BYTES, &err);
	char *out = arena_alloc(scratch->arena, MAX_TEXT_BYTES);
	struct csv_row row;
	int found;

	assert_non_null(csv);
	while ((found = csv_next(csv, &row, &err)) == 1) {
		for (int i = 0; i < row.nr_fields; i++)
			strcat(strcat(strcat(out, "<"), row.fields[i]), ">");
		strcat(out, "|");
	}
	csv_close(csv);
	return found == 0 ? out : error_format(&err, out, MAX_TEXT_BYTES) + strlen(path);
}

static void rows_and_quotes_are_read_as_rfc_4180_says(void **state)
{
	static const struct {
		const char *text, *rows;
	} cases[] = {
		{ "", "" },
		{ "\n\n", "" },
		{ "a", "<a>|" },
		{ "a,b\n1,2\n", "<a><b>|<1><2>|" },
		{ "a,b\r\n1,2\r\n", "<a><b>|<1><2>|" },
		{ "a,b\n\n1,2", "<a><b>|<1><2>|" },
		{ "a,\n,\n", "<a><>|<><>|" },
		{ ",,", "<><><>|" },
		{ "\"a\"", "<a>|" },
		{ "\"\"", "<>|" },
		{ "\"a,b\",\"c\nd\",\"e\"\"f\"\n", "<a,b><c\nd><e\"f>|" },
		{ "\"\"\"\"\n", "<\">|" },
		{ " a , b \n", "< a >< b >|" },
		{ "# comment\n#\na\n#b\n", "<a>|<#b>|" },
		{ "\"#a\"\n", "<#a>|" },
		{ "\xef\xbb\xbf# bom\na\n", "<a>|" },
		{ "\xc3\xa4,\xf0\x9f\x98\x80\n", "<\xc3\xa4><\xf0\x9f\x98\x80>|" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(read_all(*state, cases[i].text), cases[i].rows);
}

static void errors_have_line_and_column(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "a,b\n1,2,3\n", ":2:1: 3 fields where the first row has 2" },
		{ "a,b\n1\n", ":2:1: 1 fields where the first row has 2" },
		{ "a,b\n1,\"2\n3\n", ":2:3: a quoted field that does not end" },
		{ "a,\"b\"c\n", ":1:6: text after the closing quote of a field" },
		{ "a,b\"c\n", ":1:4: a quote inside a field that is not quoted" },
		{ "\xc3\xa4,b\"c\n", ":1:4: a quote inside a field that is not quoted" },
		{ "a\rb\n", ":1:2: a carriage return without a line feed" },
		{ "# one\n\"a\nb\",c\"\n", ":3:5: a quote inside a field that is not quoted" },
		{ "a,b\nc,\xff\n", ":2:3: the text is not UTF-8" },
		{ "a,\xc0\xaf\n", ":1:3: the text is not UTF-8" },
		{ "a,\xed\xa0\x80\n", ":1:3: the text is not UTF-8" },
		{ "a,\xf4\x90\x80\x80\n", ":1:3: the text is not UTF-8" },
		{ "a,\xe2\x82\n", ":1:3: the text is not UTF-8" },
		{ "# \xff\na\n", ":1:1: the text is not UTF-8" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(read_all(*state, cases[i].text), cases[i].error);
}

static void fields_know_where_they_stand(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_write(scratch, "t.csv", "# x\n\xc3\xa4,\"b\nc\",,d\n");
	struct csv_reader *csv = csv_open(scratch->arena, path, CSV_MAX_FILE_BYTES, NULL);
	static const int places[][2] = { { 2, 1 }, { 2, 3 }, { 3, 4 }, { 3, 5 } };
	struct csv_row row;

	assert_int_equal(csv_next(csv, &row, NULL), 1);
	assert_int_equal(row.nr_fields, 4);
	for (int i = 0; i < 4; i++) {
		assert_string_equal(row.pos[i].file, path);
		assert_int_equal(row.pos[i].line, places[i][0]);
		assert_int_equal(row.pos[i].column, places[i][1]);
	}
	csv_close(csv);
}

static void comments_of_the_head_are_trimmed_and_given_in_order(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_write(scratch, "t.csv", "#  source: x, \"y\"\t\n#\r\na\n# no comment here\n");
	struct csv_reader *csv = csv_open(scratch->arena, path, CSV_MAX_FILE_BYTES, NULL);
	struct source_pos pos;
	struct csv_row row;
	const char *text;

	assert_int_equal(csv_next_comment(csv, &text, &pos, NULL), 1);
	assert_string_equal(text, "source: x, \"y\"");
	assert_int_equal(csv_next_comment(csv, &text, &pos, NULL), 1);
	assert_string_equal(text, "");
	assert_int_equal(pos.line, 2);
	assert_int_equal(csv_next_comment(csv, &text, &pos, NULL), 0);
	assert_int_equal(csv_next(csv, &row, NULL), 1);
	assert_int_equal(csv_next_comment(csv, &text, &pos, NULL), 0);
	assert_int_equal(csv_next(csv, &row, NULL), 1);
	assert_string_equal(row.fields[0], "# no comment here");
	csv_close(csv);
}

static void binary_files_are_refused(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_write_bytes(scratch, "t.csv", "a,b\n\0\0", 6);
	struct csv_reader *csv = csv_open(scratch->arena, path, CSV_MAX_FILE_BYTES, NULL);
	struct error err;
	struct csv_row row;

	assert_int_equal(csv_next(csv, &row, &err), 1);
	assert_int_equal(csv_next(csv, &row, &err), -1);
	assert_string_equal(err.text, "a NUL byte: this is no text file");
	assert_int_equal(err.pos.line, 2);
	csv_close(csv);
}

static void a_file_of_the_allowed_size_is_read_and_a_larger_one_refused(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_write(scratch, "t.csv", "a,b\n");
	struct csv_reader *exact = csv_open(scratch->arena, path, 4, NULL);
	struct csv_reader *small = csv_open(scratch->arena, path, 3, NULL);
	struct error err;
	struct csv_row row;

	assert_int_equal(csv_next(exact, &row, &err), 1);
	assert_int_equal(csv_next(exact, &row, &err), 0);
	assert_int_equal(csv_next(small, &row, &err), -1);
	assert_string_equal(err.text, "the file is too large");
	csv_close(exact);
	csv_close(small);
}

static void a_row_without_end_is_refused(void **state)
{
	const struct scratch *scratch = *state;
	char *text = arena_alloc(scratch->arena, CSV_MAX_ROW_BYTES + 10);

	memset(text, ',', CSV_MAX_ROW_BYTES + 9);
	assert_non_null(strstr(read_all(scratch, text), "a row of more than 1048576 bytes"));
}

static void what_cannot_be_read_says_path_and_reason(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "missing.csv");
	struct csv_reader *directory = csv_open(scratch->arena, scratch->dir, CSV_MAX_FILE_BYTES, NULL);
	struct csv_row row;
	struct error err;

	assert_null(csv_open(scratch->arena, path, CSV_MAX_FILE_BYTES, &err));
	assert_string_equal(err.text,
			    arena_printf(scratch->arena, "cannot read '%s': No such file or directory", path));
	assert_int_equal(csv_next(directory, &row, &err), -1);
	assert_string_equal(err.text, arena_printf(scratch->arena, "cannot read '%s': Is a directory", scratch->dir));
	csv_close(directory);
	csv_close(NULL);
}

static void written_fields_are_quoted_only_where_they_must_be(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "w.csv");
	struct csv_writer csv = { .out = fopen(path, "w") };

	assert_non_null(csv.out);
	csv_text(&csv, "#a");
	csv_text(&csv, "#b");
	csv_text(&csv, "c,d");
	csv_text(&csv, "e\"f");
	csv_text(&csv, "g\nh");
	csv_text(&csv, "");
	csv_end_row(&csv);
	csv_text(&csv, "");
	csv_end_row(&csv);
	csv_int(&csv, -3);
	csv_number(&csv, 1343381);
	csv_number(&csv, 1.0 / 3);
	csv_number(&csv, 123456789012.0);
	csv_number(&csv, NAN);
	csv_end_row(&csv);
	fclose(csv.out);
	assert_string_equal(scratch_read(scratch, path), "\"#a\",#b,\"c,d\",\"e\"\"f\",\"g\nh\",\n"
							 "\"\"\n"
							 "-3,1343381,0.333333333,1.23456789e+11,\n");
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(rows_and_quotes_are_read_as_rfc_4180_says),
		IN_SCRATCH(errors_have_line_and_column),
		IN_SCRATCH(fields_know_where_they_stand),
		IN_SCRATCH(comments_of_the_head_are_trimmed_and_given_in_order),
		IN_SCRATCH(binary_files_are_refused),
		IN_SCRATCH(a_file_of_the_allowed_size_is_read_and_a_larger_one_refused),
		IN_SCRATCH(a_row_without_end_is_refused),
		IN_SCRATCH(what_cannot_be_read_says_path_and_reason),
		IN_SCRATCH(written_fields_are_quoted_only_where_they_must_be),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
