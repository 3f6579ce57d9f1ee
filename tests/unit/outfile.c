/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Output files: whole or not at all, and every failure says path and reason. */
#include "sim/util/outfile.h"

#include "tests/support/scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct outfile *start(const char *path, const char *text)
{
	struct outfile *file = outfile_open(path, NULL);

	assert_non_null(file);
	fputs(text, outfile_stream(file));
	return file;
}

static void target_is_old_until_commit_and_new_after(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_write(scratch, "a", "old");
	struct outfile *file = start(path, "new");

	fflush(outfile_stream(file));
	assert_string_equal(scratch_read(scratch, path), "old");
	assert_int_equal(outfile_commit(file, NULL), 0);
	assert_string_equal(scratch_read(scratch, path), "new");
	assert_int_equal(scratch_count(scratch), 1);
}

static void abort_leaves_what_was_there(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_write(scratch, "a", "old");

	outfile_abort(start(path, "new"));
	outfile_abort(start(scratch_path(scratch, "b"), "new"));
	outfile_abort(NULL);
	assert_string_equal(scratch_read(scratch, path), "old");
	assert_int_equal(scratch_count(scratch), 1);
}

static void new_files_follow_the_umask_and_replaced_ones_keep_their_mode(void **state)
{
	const struct scratch *scratch = *state;
	const char *fresh = scratch_path(scratch, "fresh");
	const char *kept = scratch_write(scratch, "kept", "old");
	mode_t umask_before = umask(027);
	struct stat status;

	assert_int_equal(chmod(kept, 0604), 0);
	assert_int_equal(outfile_commit(start(fresh, "x"), NULL), 0);
	assert_int_equal(outfile_commit(start(kept, "x"), NULL), 0);
	umask(umask_before);
	assert_int_equal(stat(fresh, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	assert_int_equal(stat(kept, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0604);
}

static void a_symbolic_link_stays_and_its_file_is_replaced(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_write(scratch, "file", "old");
	const char *link = scratch_path(scratch, "link");
	struct stat status;

	assert_int_equal(symlink("file", link), 0);
	assert_int_equal(outfile_commit(start(link, "new"), NULL), 0);
	assert_int_equal(lstat(link, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_string_equal(scratch_read(scratch, path), "new");
}

static void a_left_over_temporary_file_is_no_obstacle(void **state)
{
	const struct scratch *scratch = *state;
	const char *name = arena_printf(scratch->arena, "a.%ld-0.tmp", (long)getpid());
	const char *left_over = scratch_write(scratch, name, "of another process");

	assert_int_equal(outfile_commit(start(scratch_path(scratch, "a"), "new"), NULL), 0);
	assert_string_equal(scratch_read(scratch, scratch_path(scratch, "a")), "new");
	assert_string_equal(scratch_read(scratch, left_over), "of another process");
}

static void a_device_is_written_in_place(void **state)
{
	struct stat status;

	(void)state;
	assert_int_equal(outfile_commit(start("/dev/null", "gone"), NULL), 0);
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
}

static void a_full_disk_is_reported_by_commit(void **state)
{
	static const size_t sizes_bytes[] = { 1, 1 << 16, 1 << 20 }; /* in the buffer at commit, or written before */

	(void)state;
	for (size_t i = 0; i < sizeof(sizes_bytes) / sizeof(sizes_bytes[0]); i++) {
		struct outfile *file = outfile_open("/dev/full", NULL);
		struct error err;

		assert_non_null(file);
		for (size_t k = 0; k < sizes_bytes[i]; k++)
			fputc('x', outfile_stream(file));
		assert_int_equal(outfile_commit(file, &err), -1);
		assert_non_null(strstr(err.text, "cannot write '/dev/full': "));
	}
}

static void a_failed_rename_leaves_nothing(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "a");
	struct outfile *file = start(path, "new");
	struct error err;

	/* a directory takes the name in the meantime */
	assert_int_equal(mkdir(path, 0777), 0);
	assert_int_equal(outfile_commit(file, &err), -1);
	assert_non_null(strstr(err.text, "Is a directory"));
	assert_int_equal(scratch_count(scratch), 1);
}

static void open_says_path_and_reason(void **state)
{
	static const struct {
		const char *path;
		const char *reason;
	} cases[] = {
		{ "missing/a", "No such file or directory" },
		{ "file/a", "Not a directory" },
		{ ".", "Is a directory" },
	};
	const struct scratch *scratch = *state;

	scratch_write(scratch, "file", "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *path = scratch_path(scratch, cases[i].path);
		struct error err;

		assert_null(outfile_open(path, &err));
		assert_string_equal(err.text,
				    arena_printf(scratch->arena, "cannot write '%s': %s", path, cases[i].reason));
	}
	assert_int_equal(scratch_count(scratch), 1);
}

static void mkdirs_makes_all_levels_and_accepts_those_that_are_there(void **state)
{
	static const char *const paths[] = { "a/b/c", "a/b/c", "a/b/d/", "a//e", "." };
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct stat status;

		assert_int_equal(outfile_mkdirs(scratch_path(scratch, paths[i]), NULL), 0);
		assert_int_equal(stat(scratch_path(scratch, paths[i]), &status), 0);
		assert_true(S_ISDIR(status.st_mode));
	}
}

static void mkdirs_names_the_level_that_fails(void **state)
{
	const struct scratch *scratch = *state;
	const char *file = scratch_write(scratch, "file", "");
	struct error err;

	assert_int_equal(outfile_mkdirs(scratch_path(scratch, "file/a/b"), &err), -1);
	assert_string_equal(err.text,
			    arena_printf(scratch->arena, "cannot make directory '%s': Not a directory", file));
	assert_int_equal(outfile_mkdirs("", &err), -1);
}

#define IN_SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

static void a_name_is_left_over_when_its_process_is_gone(void **state)
{
	pid_t gone = fork();
	struct arena *arena = arena_create();

	(void)state;
	assert_true(gone >= 0);
	if (gone == 0)
		_exit(0);
	assert_int_equal(waitpid(gone, NULL, 0), gone);
	assert_true(outfile_is_leftover(arena_printf(arena, "samples.csv.%ld-0.tmp", (long)gone)));
	assert_true(outfile_is_leftover(arena_printf(arena, "a-b.1-2.tmp.%ld-99.tmp", (long)gone)));
	assert_false(outfile_is_leftover(arena_printf(arena, "samples.csv.%ld-0.tmp", (long)getpid())));
	assert_false(outfile_is_leftover(arena_printf(arena, "%ld-0.tmp", (long)gone)));
	assert_false(outfile_is_leftover(arena_printf(arena, ".%ld-0.tmp", (long)gone)));
	assert_false(outfile_is_leftover(arena_printf(arena, "a.%ld.tmp", (long)gone)));
	assert_false(outfile_is_leftover(arena_printf(arena, "a.%ld-.tmp", (long)gone)));
	assert_false(outfile_is_leftover(arena_printf(arena, "a.%ld-0.tmp2", (long)gone)));
	assert_false(outfile_is_leftover(arena_printf(arena, "a%ld-0.tmp", (long)gone)));
	assert_false(outfile_is_leftover("a.99999999999999999999-0.tmp"));
	assert_false(outfile_is_leftover("a.-0.tmp"));
	assert_false(outfile_is_leftover(".tmp"));
	assert_false(outfile_is_leftover(""));
	arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_SCRATCH(target_is_old_until_commit_and_new_after),
		IN_SCRATCH(abort_leaves_what_was_there),
		IN_SCRATCH(new_files_follow_the_umask_and_replaced_ones_keep_their_mode),
		IN_SCRATCH(a_symbolic_link_stays_and_its_file_is_replaced),
		IN_SCRATCH(a_left_over_temporary_file_is_no_obstacle),
		cmocka_unit_test(a_device_is_written_in_place),
		cmocka_unit_test(a_full_disk_is_reported_by_commit),
		IN_SCRATCH(a_failed_rename_leaves_nothing),
		IN_SCRATCH(open_says_path_and_reason),
		IN_SCRATCH(mkdirs_makes_all_levels_and_accepts_those_that_are_there),
		IN_SCRATCH(mkdirs_names_the_level_that_fails),
		cmocka_unit_test(a_name_is_left_over_when_its_process_is_gone),
	};

	return cmocka_run_group_tests_name("outfile", tests, NULL, NULL);
}
