/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the figures show, that hostile text stays text, and that files come whole or not at all. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim/io/plot.h"
#include "sim/io/plot_figure.h"
#include "sim/io/plot_script.h"
#include "sim/io/plot_text.h"

#define PLOTS_DIR CONTEND_SOURCE_DIR "/plots"
#define NR_REPLICATIONS 3

/* The rows of the published table that are enough to tell a figure by. */
static const char *thread_texts[] = { "24", "1", "12", "14" };
static double thread_numbers[] = { 24, 1, 12, 14 };
static const char *latency_texts[] = { "60", "140" };
static double latency_numbers[] = { 60, 140 };
static const char *variants[] = { "vanilla", "patched" };
static const char *machines[] = { "2 x E5-2690 v3" };
static struct metric metrics[] = { { "throughput", "ops/s" } };

struct scene {
	struct arena *arena;
	struct results results;
	struct plot_options options;
	char directory[64];
};

/* Values that say where they come from: vanilla has 1000000 per thread, patched half as much again. */
static void fill(struct results *results)
{
	results_allocate(results);
	for (int point = 0; point < results_nr_points(results); point++) {
		for (int i = 0; i < NR_REPLICATIONS * results->nr_variants; i++) {
			int variant = i / NR_REPLICATIONS;
			int threads = results_axis_index(results, point, results->nr_axes - 1);
			double value = 1e6 * thread_numbers[threads] * (1 + 0.01 * (i % NR_REPLICATIONS));

			*results_at(results, 0, variant, point, i % NR_REPLICATIONS, 0) = variant ? 1.5 * value : value;
		}
	}
}

static void scene_create(struct scene *scene, int nr_axes)
{
	struct axis threads = { "threads", thread_texts, thread_numbers, 4 };
	struct axis latency = { "machine.transfer.socket_ns", latency_texts, latency_numbers, 2 };

	memset(scene, 0, sizeof(*scene));
	scene->arena = arena_create();
	scene->results = (struct results){
		.arena = scene->arena,
		.title = "folio refcount",
		.version = "1.2.3",
		.machines = machines,
		.nr_machines = 1,
		.variants = variants,
		.nr_variants = 2,
		.metrics = metrics,
		.nr_metrics = 1,
		.nr_axes = nr_axes,
		.nr_replications = NR_REPLICATIONS,
	};
	scene->results.axes[0] = nr_axes == 2 ? latency : threads;
	scene->results.axes[1] = threads;
	fill(&scene->results);
	scene->options = (struct plot_options){ .plots_dir = PLOTS_DIR, .variant = -1 };
	strcpy(scene->directory, "/tmp/contend-plot-XXXXXX");
	assert_non_null(mkdtemp(scene->directory));
}

static void scene_destroy(struct scene *scene)
{
	const char *command = arena_printf(scene->arena, "rm -r '%s'", scene->directory);

	assert_int_equal(system(command), 0);
	arena_destroy(scene->arena);
}

static const char *in(const struct scene *scene, const char *name)
{
	return arena_printf(scene->arena, "%s/%s", scene->directory, name);
}

static char *read_file(const struct scene *scene, const char *path)
{
	char *text = arena_alloc(scene->arena, (size_t)1 << 20);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_true(fread(text, 1, ((size_t)1 << 20) - 1, file) > 0);
	fclose(file);
	return text;
}

/* Assert success, and show the error when there was none. */
static void assert_done(int failed, const struct error *err)
{
	if (failed)
		fail_msg("%s", err->text);
}

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

static const struct {
	const char *text;
	int max_columns;
	const char *clean;
} clean_rows[] = {
	{ "plain", 10, "plain" },
	{ "two\nlines\tand\x01\x7f more", 40, "two lines and more" },
	{ "cut here", 6, "cut..." },
	{ "caf\xc3\xa9", 4, "caf\xc3\xa9" },
	{ "bad \xff\xc3", 10, "bad ??" },
	{ "over\xc0\xaflong", 20, "over??long" },
	{ "\xe4\xb8\xad\xe6\x96\x87\xe5\xad\x97", 5, "\xe4\xb8\xad..." },
	{ "turn\xe2\x80\xae"
	  "around",
	  20, "turnaround" },
	{ NULL, 10, "" },
};

static void text_is_cleaned_and_cut_to_its_room(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(clean_rows) / sizeof(clean_rows[0]); i++)
		assert_string_equal(plot_clean(arena, clean_rows[i].text, clean_rows[i].max_columns),
				    clean_rows[i].clean);
	arena_destroy(arena);
}

static void quotes_are_doubled_and_slugs_are_file_names(void **state)
{
	struct arena *arena = arena_create();

	(void)state;
	assert_string_equal(plot_quote(arena, "it's `x` \\"), "'it''s `x` \\'");
	assert_string_equal(plot_quote(arena, "'q"), "' ''q'[2:*]");
	assert_string_equal(plot_slug(arena, "../2 x E5-2690 v3!"), "2-x-E5-2690-v3");
	assert_string_equal(plot_slug(arena, "/"), "x");
	arena_destroy(arena);
}

static void a_figure_is_sorted_along_x_and_scaled(void **state)
{
	struct scene scene;
	struct figure *figure;

	(void)state;
	scene_create(&scene, 1);
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_non_null(figure);
	assert_true(figure->x[0] == 1 && figure->x[1] == 12 && figure->x[2] == 14 && figure->x[3] == 24);
	assert_false(figure->x_log);
	assert_int_equal(figure->nr_series, 2);
	assert_true(fabs(figure->series[0].values[3].mean - 24.24e6) < 1);
	assert_string_equal(figure->y_title, "operations per second (millions)");
	scene_destroy(&scene);
}

static void a_wide_range_is_drawn_by_powers_of_two(void **state)
{
	static double wide[] = { 353, 1, 12, 14 };
	struct scene scene;
	struct figure *figure;

	(void)state;
	scene_create(&scene, 1);
	scene.results.axes[0].value_numbers = wide;
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_non_null(figure);
	assert_true(figure->x_log);
	scene_destroy(&scene);
}

static void of_two_keys_threads_then_the_longer_then_the_later_stand_along_x(void **state)
{
	static const char *names[] = { "b", "a", "c", "d" };
	static double none[] = { NAN, NAN, NAN, NAN };
	static const struct {
		struct axis axes[2];
		int x;
	} cases[] = {
		{ { { "threads", thread_texts, thread_numbers, 2 }, { "y", thread_texts, thread_numbers, 4 } }, 0 },
		{ { { "x", latency_texts, latency_numbers, 2 }, { "y", thread_texts, thread_numbers, 4 } }, 1 },
		{ { { "x", thread_texts, thread_numbers, 4 }, { "y", latency_texts, latency_numbers, 2 } }, 0 },
		{ { { "x", thread_texts, thread_numbers, 2 }, { "y", latency_texts, latency_numbers, 2 } }, 1 },
		{ { { "x", latency_texts, latency_numbers, 2 }, { "y", names, none, 4 } }, 0 },
		{ { { "x", names, none, 4 }, { "y", names, none, 2 } }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene scene;
		struct figure *figure;

		scene_create(&scene, 1);
		scene.results.nr_axes = 2;
		memcpy(scene.results.axes, cases[i].axes, sizeof(cases[i].axes));
		fill(&scene.results);
		figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
		assert_non_null(figure);
		assert_string_equal(figure->x_key, cases[i].axes[cases[i].x].key);
		scene_destroy(&scene);
	}
}

static void a_second_key_of_names_makes_panels_and_one_of_numbers_lines(void **state)
{
	static double none[] = { NAN, NAN };
	struct error err = { 0 };
	struct scene scene;
	struct figure *figure;

	(void)state;
	scene_create(&scene, 2);
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_non_null(figure);
	assert_int_equal(figure->nr_panels, 1);
	assert_int_equal(figure->nr_series, 4);
	assert_string_equal(figure->series[3].name, "patched, socket_ns=140");
	scene.results.axes[0].value_numbers = none;
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_non_null(figure);
	assert_int_equal(figure->nr_panels, 2);
	assert_int_equal(figure->nr_series, 4);
	assert_string_equal(figure->panel_names[1], "140");
	assert_string_equal(figure->series[3].name, "patched");
	assert_done(plot_draw(&scene.results, &scene.options, in(&scene, "a.svg"), &err), &err);
	assert_non_null(strstr(read_file(&scene, in(&scene, "a.svg")), ">140<"));
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_TEXT, NULL); /* has no room for them */
	assert_non_null(figure);
	assert_int_equal(figure->nr_panels, 1);
	scene_destroy(&scene);
}

static void values_of_a_second_key_without_room_are_counted(void **state)
{
	struct scene scene;
	struct figure *figure;

	(void)state;
	scene_create(&scene, 2);
	scene.results.axes[0] = (struct axis){ "remote_ns", thread_texts, thread_numbers, 4 };
	fill(&scene.results);
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_TEXT, NULL);
	assert_non_null(figure);
	assert_int_equal(figure->nr_series, 6);
	assert_non_null(strstr(figure->subtitle, ", 3 of 4 values of remote_ns, contend"));
	scene_destroy(&scene);
}

static void without_a_sweep_the_variants_stand_along_x(void **state)
{
	struct error err = { 0 };
	struct scene scene;
	struct figure *figure;

	(void)state;
	scene_create(&scene, 1);
	scene.results.nr_axes = 0;
	results_allocate(&scene.results);
	for (int i = 0; i < NR_REPLICATIONS; i++) {
		*results_at(&scene.results, 0, 0, 0, i, 0) = 100;
		*results_at(&scene.results, 0, 1, 0, i, 0) = 150;
	}
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_non_null(figure);
	assert_int_equal(figure->nr_x, 2);
	assert_string_equal(figure->tick_texts[1], "patched");
	assert_true(figure->series[0].values[1].mean > figure->series[0].values[0].mean);
	scene.options.kind = PLOT_CHANGE;
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_non_null(figure);
	assert_int_equal(figure->nr_x, 1);
	assert_true(fabs(figure->series[0].values[0].mean - 50) < 1e-9);
	assert_done(plot_draw(&scene.results, &scene.options, in(&scene, "a.svg"), &err), &err);
	scene_destroy(&scene);
}

static void ticks_are_the_values_that_find_room_and_names_are_slanted(void **state)
{
	static const char *texts[] = { "1", "2", "1000001", "1000000" };
	static double numbers[] = { 1, 2, 1000001, 1000000 };
	static const char *names[] = { "fix-size-256-h1", "b", "c", "d", "e", "f", "g", "h" };
	static double none[] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	struct scene scene;
	struct figure *figure;

	(void)state;
	scene_create(&scene, 1);
	scene.results.axes[0] = (struct axis){ "bytes", texts, numbers, 4 };
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_non_null(figure);
	assert_int_equal(figure->nr_ticks, 3);
	assert_true(figure->tick_x[2] == 1000001);
	assert_string_equal(figure->tick_texts[2], "1000001");
	for (int nr_names = 4; nr_names <= 8; nr_names += 4) {
		scene.results.axes[0] = (struct axis){ "test", names, none, nr_names };
		results_allocate(&scene.results);
		*results_at(&scene.results, 0, 0, 0, 0, 0) = 1;
		figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
		assert_non_null(figure);
		assert_int_equal(figure->nr_ticks, nr_names);
		assert_int_equal(figure->ticks_slanted, nr_names == 8);
	}
	scene_destroy(&scene);
}

static void tests_that_lie_far_apart_have_a_logarithmic_scale_and_others_on_demand(void **state)
{
	static double none[] = { NAN, NAN, NAN, NAN };
	struct scene scene;
	struct figure *figure;

	(void)state;
	scene_create(&scene, 1);
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_true(figure && !figure->y_log); /* 1 to 36 millions, but by threads */
	scene.options.log = true;
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_true(figure && figure->y_log);
	assert_string_equal(figure->y_title, "operations per second");
	scene.options.log = false;
	scene.results.axes[0].value_numbers = none;
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_true(figure && figure->y_log);
	scene_destroy(&scene);
}

static void long_text_is_wrapped_at_blanks_and_cut_in_its_last_line(void **state)
{
	static const struct {
		const char *text;
		const char *lines[3];
	} cases[] = {
		{ "one", { "one" } },
		{ "one two three", { "one two", "three" } },
		{ "one two three four five six", { "one two", "three four", "five six" } },
		{ "one two three four five six seven", { "one two", "three four", "five si..." } },
		{ "unbreakable", { "unbreak..." } },
		{ "", { "" } },
	};
	struct arena *arena = arena_create();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *lines[3] = { NULL };
		const int nr = plot_wrap(arena, cases[i].text, 10, 3, lines);

		for (int line = 0; line < nr; line++)
			assert_string_equal(lines[line], cases[i].lines[line]);
		assert_true(nr == 3 || !cases[i].lines[nr]);
	}
	arena_destroy(arena);
}

static void published_changes_are_those_of_the_table(void **state)
{
	static const char *rows[] = { "1", "12", "400" };
	static double values[] = { 100, 110, 200, 300, 1, 1 };
	const struct published published = {
		.metric = "throughput",
		.axis = "threads",
		.columns = variants,
		.nr_columns = 2,
		.rows = rows,
		.nr_rows = 3,
		.values = values,
	};
	struct scene scene;
	struct figure *figure;

	(void)state;
	scene_create(&scene, 1);
	scene.options.kind = PLOT_CHANGE;
	scene.options.published = &published;
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_non_null(figure);
	assert_int_equal(figure->nr_published, 1);
	assert_int_equal(figure->published[0].nr, 2);
	assert_true(fabs(figure->published[0].y[0] - 10) < 1e-9 && fabs(figure->published[0].y[1] - 50) < 1e-9);
	assert_string_equal(figure->published[0].name, "patched, published");
	scene_destroy(&scene);
}

static void labels_of_near_boundaries_stand_in_rows_and_crowded_lines_go(void **state)
{
	struct boundary boundaries[] = {
		{ 0, 13, "SMT", false },
		{ 0, 12, "Cross socket NUMA", false },
		{ 0, 11, "Cross cluster", true },
		{ 0, 10, "Cross cluster", true },
		{ 1, 6, "of another machine", false },
		{ 0, 24, "beyond the sweep", false },
	};
	struct scene scene;
	struct figure *figure;

	(void)state;
	scene_create(&scene, 1);
	scene.results.boundaries = boundaries;
	scene.results.nr_boundaries = 6;
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_SVG, NULL);
	assert_non_null(figure);
	assert_int_equal(figure->nr_boundaries, 4);
	assert_int_equal(figure->nr_boundary_rows, 2);
	assert_true(figure->boundaries[2].x == 12.5 && figure->boundaries[2].row == 0);
	assert_true(figure->boundaries[3].x == 13.5 && figure->boundaries[3].row == 1);
	figure = figure_create(scene.arena, &scene.results, &scene.options, PLOT_TEXT, NULL);
	assert_non_null(figure);
	assert_int_equal(figure->nr_boundaries, 2);
	scene_destroy(&scene);
}

static void what_cannot_be_drawn_says_why(void **state)
{
	static const struct {
		enum plot_kind kind;
		int nr_axes, nr_variants, clear;
		const char *text;
	} rows[] = {
		{ PLOT_THROUGHPUT, 0, 1, 0, "nothing is swept" },
		{ PLOT_THROUGHPUT, 1, 2, 1, "no run has a value of 'throughput'" },
		{ PLOT_CHANGE, 1, 1, 0, "a variant beside the baseline 'vanilla'" },
		{ PLOT_HEATMAP, 1, 2, 0, "needs two swept keys" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct scene scene;
		struct error err = { 0 };

		scene_create(&scene, 1);
		scene.results.nr_axes = rows[i].nr_axes;
		scene.results.nr_variants = rows[i].nr_variants;
		scene.options.kind = rows[i].kind;
		if (rows[i].clear)
			results_allocate(&scene.results);
		assert_int_equal(plot_draw(&scene.results, &scene.options, in(&scene, "a.svg"), &err), -1);
		assert_non_null(strstr(err.text, rows[i].text));
		assert_false(exists(in(&scene, "a.svg")));
		scene_destroy(&scene);
	}
}

static void the_ending_names_the_format_and_each_is_drawn(void **state)
{
	static const struct {
		const char *name, *begins;
	} rows[] = {
		{ "a.svg", "<?xml" }, { "a.PNG", "\x89PNG" }, { "a.pdf", "%PDF" }, { "a.txt", "  folio refcount" }
	};
	struct error err = { 0 };
	struct scene scene;

	(void)state;
	scene_create(&scene, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *path = in(&scene, rows[i].name);

		assert_done(plot_draw(&scene.results, &scene.options, path, &err), &err);
		assert_memory_equal(read_file(&scene, path), rows[i].begins, strlen(rows[i].begins));
	}
	assert_int_equal(plot_draw(&scene.results, &scene.options, in(&scene, "a.jpeg"), &err), -1);
	assert_non_null(strstr(err.text, ".svg, .png, .pdf or .txt"));
	scene_destroy(&scene);
}

static void hostile_text_is_drawn_and_never_run(void **state)
{
	static const char *hostile[] = { "a_b `touch pwned` ' $(touch pwned) {", "\" `touch pwned` \" @x # \\" };
	char before[4096];
	struct plot_list drawn;
	struct error err = { 0 };
	struct scene scene;
	const char *svg;

	(void)state;
	scene_create(&scene, 2);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(scene.directory), 0);
	scene.results.title = "title_1 `touch pwned` 'q' \"`touch pwned`\"\n!touch pwned";
	scene.results.variants = hostile;
	scene.results.machines = hostile;
	scene.results.axes[0].key = hostile[0];
	latency_texts[0] = "'`touch pwned`";
	assert_done(plot_all(scene.arena, &scene.results, &scene.options, ".", &drawn, &err), &err);
	latency_texts[0] = "60";
	assert_int_equal(drawn.nr_paths, 3);
	assert_int_equal(system("for script in *.gp; do gnuplot \"$script\" 2>messages || exit 1; done"), 0);
	assert_false(exists("pwned"));
	svg = read_file(&scene, "throughput.svg");
	assert_non_null(strstr(svg, "title_1 `touch pwned` 'q' \"`touch pwned`\" !touch pwned"));
	assert_int_equal(chdir(before), 0);
	scene_destroy(&scene);
}

static void a_script_beside_a_figure_redraws_it_byte_for_byte(void **state)
{
	static const char *names[] = { "throughput", "change", "heatmap-patched" };
	struct plot_list drawn;
	struct error err = { 0 };
	struct scene scene;

	(void)state;
	scene_create(&scene, 2);
	assert_done(plot_all(scene.arena, &scene.results, &scene.options, scene.directory, &drawn, &err), &err);
	assert_int_equal(drawn.nr_paths, 3);
	for (int i = 0; i < 3; i++) {
		const char *svg = arena_printf(scene.arena, "%s/%s.svg", scene.directory, names[i]);
		const char *first = read_file(&scene, svg);

		assert_string_equal(drawn.paths[i], svg);
		assert_int_equal(unlink(svg), 0);
		assert_int_equal(system(arena_printf(scene.arena, "cd %s && gnuplot -d %s.gp", scene.directory,
						     names[i])),
				 0);
		assert_string_equal(read_file(&scene, svg), first);
	}
	scene_destroy(&scene);
}

static void a_failed_cell_of_a_heat_map_says_so(void **state)
{
	struct error err = { 0 };
	struct scene scene;

	(void)state;
	scene_create(&scene, 2);
	scene.options.kind = PLOT_HEATMAP;
	for (int i = 0; i < NR_REPLICATIONS; i++)
		*results_at(&scene.results, 0, 1, 2, i, 0) = NAN;
	assert_done(plot_draw(&scene.results, &scene.options, in(&scene, "a.txt"), &err), &err);
	assert_non_null(strstr(read_file(&scene, in(&scene, "a.txt")), "failed"));
	assert_non_null(strstr(read_file(&scene, in(&scene, "a.txt")), "+50"));
	scene_destroy(&scene);
}

static void text_has_the_size_that_was_asked_for(void **state)
{
	char *text = NULL;
	size_t nr_bytes;
	struct error err = { 0 };
	struct scene scene;
	FILE *out = open_memstream(&text, &nr_bytes);
	int nr_lines = 0;

	(void)state;
	scene_create(&scene, 1);
	scene.options.text_columns = 100;
	scene.options.text_rows = 30;
	assert_done(plot_draw_text(&scene.results, &scene.options, out, &err), &err);
	fclose(out);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		assert_true(plot_text_columns(line) <= 100);
		nr_lines++;
	}
	assert_in_range(nr_lines, 25, 31);
	free(text);
	scene_destroy(&scene);
}

static void a_missing_gnuplot_is_named_with_its_package(void **state)
{
	char *path = strdup(getenv("PATH"));
	struct error err = { 0 };
	struct scene scene;

	(void)state;
	scene_create(&scene, 1);
	setenv("PATH", scene.directory, 1);
	assert_int_equal(plot_draw(&scene.results, &scene.options, in(&scene, "a.svg"), &err), -1);
	setenv("PATH", path, 1);
	assert_non_null(strstr(err.text, "gnuplot is not installed: apt-get install gnuplot-nox"));
	assert_false(exists(in(&scene, "a.svg")));
	free(path);
	scene_destroy(&scene);
}

static void a_failing_gnuplot_leaves_the_old_figure(void **state)
{
	struct error err = { 0 };
	struct scene scene;
	FILE *file;

	(void)state;
	scene_create(&scene, 1);
	assert_done(plot_draw(&scene.results, &scene.options, in(&scene, "a.svg"), &err), &err);
	file = fopen(in(&scene, "common.gp"), "w");
	assert_non_null(file);
	fputs("no such command\n", file);
	fclose(file);
	assert_int_equal(
		system(arena_printf(scene.arena,
				    "cd %s && cp common.gp lines.gp && cp common.gp throughput.gp && cp a.svg old",
				    scene.directory)),
		0);
	scene.options.plots_dir = scene.directory;
	assert_int_equal(plot_draw(&scene.results, &scene.options, in(&scene, "a.svg"), &err), -1);
	assert_non_null(strstr(err.text, "gnuplot: "));
	assert_non_null(strstr(err.text, "invalid command"));
	assert_string_equal(read_file(&scene, in(&scene, "a.svg")), read_file(&scene, in(&scene, "old")));
	scene_destroy(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_cleaned_and_cut_to_its_room),
		cmocka_unit_test(quotes_are_doubled_and_slugs_are_file_names),
		cmocka_unit_test(a_figure_is_sorted_along_x_and_scaled),
		cmocka_unit_test(a_wide_range_is_drawn_by_powers_of_two),
		cmocka_unit_test(of_two_keys_threads_then_the_longer_then_the_later_stand_along_x),
		cmocka_unit_test(a_second_key_of_names_makes_panels_and_one_of_numbers_lines),
		cmocka_unit_test(values_of_a_second_key_without_room_are_counted),
		cmocka_unit_test(without_a_sweep_the_variants_stand_along_x),
		cmocka_unit_test(ticks_are_the_values_that_find_room_and_names_are_slanted),
		cmocka_unit_test(tests_that_lie_far_apart_have_a_logarithmic_scale_and_others_on_demand),
		cmocka_unit_test(long_text_is_wrapped_at_blanks_and_cut_in_its_last_line),
		cmocka_unit_test(published_changes_are_those_of_the_table),
		cmocka_unit_test(labels_of_near_boundaries_stand_in_rows_and_crowded_lines_go),
		cmocka_unit_test(what_cannot_be_drawn_says_why),
		cmocka_unit_test(the_ending_names_the_format_and_each_is_drawn),
		cmocka_unit_test(hostile_text_is_drawn_and_never_run),
		cmocka_unit_test(a_script_beside_a_figure_redraws_it_byte_for_byte),
		cmocka_unit_test(a_failed_cell_of_a_heat_map_says_so),
		cmocka_unit_test(text_has_the_size_that_was_asked_for),
		cmocka_unit_test(a_missing_gnuplot_is_named_with_its_package),
		cmocka_unit_test(a_failing_gnuplot_leaves_the_old_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
