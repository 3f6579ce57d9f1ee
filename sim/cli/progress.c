/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAR_CELLS 30
#define REDRAW_S 0.1

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static double done_share(const struct progress *progress)
{
	double share = progress->work_total > 0 ? progress->work_done / progress->work_total : 1;

	return share < 1 ? share : 1;
}

void progress_start(struct progress *progress, int nr_total, double work_total, bool quiet)
{
	const char *no_color = getenv("NO_COLOR");

	*progress = (struct progress){ .nr_total = nr_total, .work_total = work_total, .drawn_at_s = -REDRAW_S };
	progress->shown = !quiet && isatty(STDERR_FILENO);
	progress->coloured = !no_color || !no_color[0];
	clock_gettime(CLOCK_MONOTONIC, &progress->start);
}

char *progress_text(const struct progress *progress, double elapsed_s, char *out, size_t out_bytes)
{
	double share = done_share(progress);
	double left_s = share > 0 ? elapsed_s / share - elapsed_s : 0;
	int used = snprintf(out, out_bytes, "%d/%d %s, %.0f %%", progress->nr_done, progress->nr_total,
			    progress->what ? progress->what : "runs", 100 * share);

	if (share > 0.02 && used > 0 && (size_t)used < out_bytes) {
		int left = (int)(left_s + 0.5);

		used += snprintf(out + used, out_bytes - (size_t)used, ", %d:%02d left", left / 60, left % 60);
	}
	if (progress->note[0] && used > 0 && (size_t)used < out_bytes)
		snprintf(out + used, out_bytes - (size_t)used, ", %s", progress->note);
	return out;
}

bool progress_is_due(const struct progress *progress)
{
	return progress->shown && seconds_since(&progress->start) - progress->drawn_at_s >= REDRAW_S;
}

void progress_draw(struct progress *progress)
{
	int filled = (int)(BAR_CELLS * done_share(progress));
	char bar[BAR_CELLS + 1];
	char text[160];

	progress->drawn_at_s = seconds_since(&progress->start);
	memset(bar, '#', BAR_CELLS);
	bar[filled] = '\0';
	fprintf(stderr, "\r[%s%s%s%*s] %s\033[K", progress->coloured ? "\033[32m" : "", bar,
		progress->coloured ? "\033[0m" : "", BAR_CELLS - filled, "",
		progress_text(progress, progress->drawn_at_s, text, sizeof(text)));
}

void progress_step(struct progress *progress, double work)
{
	progress->nr_done++;
	progress->work_done += work;
	if (progress_is_due(progress))
		progress_draw(progress);
}

void progress_clear(const struct progress *progress)
{
	if (progress->shown)
		fputs("\r\033[K", stderr);
}
