/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The progress line on stderr: runs done, percent of the work, time left.
 * Drawn only on a terminal, in colour unless NO_COLOR is set.
 */
#ifndef CONTEND_CLI_PROGRESS_H
#define CONTEND_CLI_PROGRESS_H

#include <stdbool.h>
#include <time.h>

struct progress {
	bool shown;
	bool coloured;
	const char *what; /* is counted; NULL: runs */
	char note[48]; /* shown at the end, "" for nothing */
	int nr_done, nr_total;
	double work_done, work_total; /* any unit; the time left follows from it */
	struct timespec start;
	double drawn_at_s; /* since start */
};

/* Begin; draws nothing, ever, when quiet or when stderr is no terminal. */
void progress_start(struct progress *progress, int nr_total, double work_total, bool quiet);

/* One more run is done, which was `work` of the whole. */
void progress_step(struct progress *progress, double work);

/*
 * Whether the line is shown and it is time to draw it again; draw it as the members say. For a caller who finds out
 * what there is to do, and sets the members, on the way.
 */
bool progress_is_due(const struct progress *progress);
void progress_draw(struct progress *progress);

/* Wipe the line, so that a message can be printed; the next step draws it again. */
void progress_clear(const struct progress *progress);

/* The line's text without colour, for a given time since the start. Returns out. */
char *progress_text(const struct progress *progress, double elapsed_s, char *out, size_t out_bytes);

#endif
