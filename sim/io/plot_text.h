/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * User text on its way into a gnuplot script.
 *
 * gnuplot runs what stands between backticks in a double-quoted string or in
 * plain script text; in a single-quoted string nothing but '' has a meaning.
 * So user text goes through plot_clean() and then only through plot_quote().
 * All results belong to the arena.
 */
#ifndef CONTEND_IO_PLOT_TEXT_H
#define CONTEND_IO_PLOT_TEXT_H

#include "sim/util/arena.h"

/*
 * Text that can be drawn: white space becomes blanks, control characters go, bytes that are not UTF-8 become '?', and
 * what is wider than max_columns (>= 4) ends in "...". NULL is "".
 */
const char *plot_clean(struct arena *arena, const char *text, int max_columns);

/*
 * The same in up to max_lines lines, broken at blanks; what is still too long ends in "...". Returns the number of lines,
 * at least 1.
 */
int plot_wrap(struct arena *arena, const char *text, int max_columns, int max_lines, const char **lines);

/* Columns that clean text takes on a terminal: 2 for each wide East Asian character, else 1. */
int plot_text_columns(const char *text);

/* Clean text as a gnuplot expression: a single-quoted string, cut by an operator where the text begins with a quote. */
const char *plot_quote(struct arena *arena, const char *text);

/* Text as a part of a file name: runs of anything but letters, digits, '.' and '_' become one '-'; never empty. */
const char *plot_slug(struct arena *arena, const char *text);

#endif
