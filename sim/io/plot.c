/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/plot.h"

#include "sim/io/plot_figure.h"
#include "sim/io/plot_gnuplot.h"
#include "sim/io/plot_charts.h"
#include "sim/io/plot_script.h"
#include "sim/io/plot_text.h"
#include "sim/util/outfile.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct {
	const char *ending;
	enum plot_format format;
} endings[] = {
	{ ".svg", PLOT_SVG },
	{ ".png", PLOT_PNG },
	{ ".pdf", PLOT_PDF },
	{ ".txt", PLOT_TEXT },
};

int plot_format_of(const char *path, enum plot_format *format, struct error *err)
{
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (!strcasecmp(dot, endings[i].ending)) {
			*format = endings[i].format;
			return 0;
		}
	}
	return error_plain(err, "cannot tell the format of '%s': a figure's name ends in .svg, .png, .pdf or .txt",
			   path);
}

static int write_file(const char *path, const char *bytes, size_t nr_bytes, struct error *err)
{
	struct outfile *file = outfile_open(path, err);

	if (!file)
		return -1;
	fwrite(bytes, 1, nr_bytes, outfile_stream(file));
	return outfile_commit(file, err);
}

/* A PDF says when it was made: put a fixed date of the same length there, as the same input is to give the same bytes. */
static void fix_pdf_date(char *pdf, size_t nr_bytes)
{
	static const char key[] = "/CreationDate (D:";
	static const char date[] = "20000101000000";
	char *found = memmem(pdf, nr_bytes, key, strlen(key));

	if (found && (size_t)(pdf + nr_bytes - found) > strlen(key) + strlen(date))
		memcpy(found + strlen(key), date, strlen(date));
}

/* The picture's bytes, or NULL. */
static char *run(struct arena *arena, const char *script, enum plot_format format, size_t *nr_bytes, struct error *err)
{
	char *picture = script ? gnuplot_run(arena, script, nr_bytes, err) : NULL;

	if (picture && format == PLOT_PDF)
		fix_pdf_date(picture, *nr_bytes);
	if (picture && picture[0] == '\f') { /* of the text terminal, whatever its option `nofeed` says */
		picture++;
		(*nr_bytes)--;
	}
	return picture;
}

static char *render(struct arena *arena, const struct figure *figure, const struct plot_options *options,
		    size_t *nr_bytes, struct error *err)
{
	return run(arena, script_text(arena, figure, options->plots_dir, GNUPLOT_OUTPUT, NULL, err), figure->format,
		   nr_bytes, err);
}

int plot_draw(const struct results *results, const struct plot_options *options, const char *path, struct error *err)
{
	struct arena *arena;
	struct figure *figure;
	enum plot_format format;
	char *picture = NULL;
	size_t nr_bytes;
	int failed = -1;

	if (plot_format_of(path, &format, err))
		return -1;
	arena = arena_create();
	figure = figure_create(arena, results, options, format, err);
	if (figure)
		picture = render(arena, figure, options, &nr_bytes, err);
	if (picture)
		failed = write_file(path, picture, nr_bytes, err);
	arena_destroy(arena);
	return failed;
}

int plot_draw_charts(const struct plot_charts *charts, const char *plots_dir, const char *path, struct error *err)
{
	struct arena *arena;
	enum plot_format format;
	char *picture;
	size_t nr_bytes;
	int failed = -1;

	if (plot_format_of(path, &format, err))
		return -1;
	if (format == PLOT_TEXT)
		return error_plain(err, "'%s': charts side by side are drawn as .svg, .png or .pdf alone", path);
	arena = arena_create();
	picture = run(arena, charts_script(arena, charts, format, plots_dir, err), format, &nr_bytes, err);
	if (picture)
		failed = write_file(path, picture, nr_bytes, err);
	arena_destroy(arena);
	return failed;
}

int plot_draw_text(const struct results *results, const struct plot_options *options, FILE *out, struct error *err)
{
	struct arena *arena = arena_create();
	struct figure *figure = figure_create(arena, results, options, PLOT_TEXT, err);
	char *picture = NULL;
	size_t nr_bytes = 0;
	int failed = -1;

	if (figure)
		picture = render(arena, figure, options, &nr_bytes, err);
	if (picture && fwrite(picture, 1, nr_bytes, out) == nr_bytes)
		failed = 0;
	else if (picture)
		error_plain(err, "cannot write the figure");
	arena_destroy(arena);
	return failed;
}

/* What plot_all goes through; the arena is its own, names are those of files without ending. */
struct gallery {
	struct arena *arena;
	const struct results *results;
	const char *directory;
	struct plot_list *drawn;
	struct arena *list_arena; /* of drawn */
};

static const char *path_of(const struct gallery *gallery, const char *name, const char *ending)
{
	return arena_printf(gallery->arena, "%s/%s%s", gallery->directory, name, ending);
}

static int write_text(const struct gallery *gallery, const char *name, const char *ending, const char *text,
		      struct error *err)
{
	return write_file(path_of(gallery, name, ending), text, strlen(text), err);
}

/* The script beside a figure: where it is from and how to use it, then what drew the figure. */
static const char *script_beside(const struct gallery *gallery, const struct figure *figure,
				 const struct plot_options *options, const char *name, struct error *err)
{
	struct arena *arena = gallery->arena;
	const char *script = script_text(arena, figure, options->plots_dir, arena_printf(arena, "%s.svg", name),
					 arena_printf(arena, "%s.dat", name), err);

	if (!script)
		return NULL;
	return arena_printf(arena,
			    "# Draws %s.svg from %s.dat: `gnuplot %s.gp` in this directory.\n"
			    "# Other formats: contend_format 'png', 'pdf' or 'text', and contend_output to match.\n%s",
			    name, name, name, script);
}

/* One figure with its script and numbers; one that has nothing to show is left out. */
static int add_figure(const struct gallery *gallery, const struct plot_options *options, const char *name,
		      struct error *err)
{
	struct error nothing;
	struct figure *figure = figure_create(gallery->arena, gallery->results, options, PLOT_SVG, &nothing);
	const char *script;
	char *picture;
	size_t nr_bytes;

	if (!figure)
		return 0;
	script = script_beside(gallery, figure, options, name, err);
	picture = script ? render(gallery->arena, figure, options, &nr_bytes, err) : NULL;
	if (!picture || write_text(gallery, name, ".dat", script_data(gallery->arena, figure), err) ||
	    write_text(gallery, name, ".gp", script, err) ||
	    write_file(path_of(gallery, name, ".svg"), picture, nr_bytes, err))
		return -1;
	gallery->drawn->paths[gallery->drawn->nr_paths++] =
		arena_printf(gallery->list_arena, "%s/%s.svg", gallery->directory, name);
	return 0;
}

/* "-NAME" to tell things of one kind apart in file names, "" when there is one; a name's slug may be that of another. */
static const char *suffix_of(struct arena *arena, const char **names, int nr, int which)
{
	const char *slug = plot_slug(arena, names[which]);

	if (nr < 2)
		return "";
	for (int i = 0; i < nr; i++)
		if (i != which && !strcasecmp(plot_slug(arena, names[i]), slug))
			return arena_printf(arena, "-%d-%s", which + 1, slug);
	return arena_printf(arena, "-%s", slug);
}

static int add_machine(const struct gallery *gallery, struct plot_options options, struct error *err)
{
	const struct results *results = gallery->results;
	struct arena *arena = gallery->arena;
	const char *machine = suffix_of(arena, results->machines, results->nr_machines, options.machine);

	options.kind = PLOT_THROUGHPUT;
	if (add_figure(gallery, &options, arena_printf(arena, "throughput%s", machine), err))
		return -1;
	options.kind = PLOT_CHANGE;
	if (add_figure(gallery, &options, arena_printf(arena, "change%s", machine), err))
		return -1;
	options.kind = PLOT_HEATMAP;
	for (options.variant = 0; options.variant < results->nr_variants; options.variant++) {
		const char *variant = suffix_of(arena, results->variants, results->nr_variants, options.variant);

		if (add_figure(gallery, &options, arena_printf(arena, "heatmap%s%s", machine, variant), err))
			return -1;
	}
	return 0;
}

int plot_all(struct arena *arena, const struct results *results, const struct plot_options *options,
	     const char *directory, struct plot_list *drawn, struct error *err)
{
	struct gallery gallery = {
		.arena = arena_create(),
		.results = results,
		.directory = directory,
		.drawn = drawn,
		.list_arena = arena,
	};
	struct plot_options each = *options;
	int failed = 0;
	size_t nr_figures = (size_t)results->nr_machines * (size_t)(2 + results->nr_variants);

	*drawn = (struct plot_list){ .paths = arena_calloc(arena, nr_figures, sizeof(*drawn->paths)) };
	if (results->nr_machines > 1)
		each.published = NULL;
	for (each.machine = 0; each.machine < results->nr_machines && !failed; each.machine++)
		failed = add_machine(&gallery, each, err);
	arena_destroy(gallery.arena);
	return failed;
}
