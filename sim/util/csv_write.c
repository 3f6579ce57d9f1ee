/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing comma-separated values. */
#include "sim/util/csv.h"

#include <math.h>
#include <string.h>

static bool needs_quotes(const char *text, bool first)
{
	if (first && (!*text || *text == '#'))
		return true;
	return strpbrk(text, ",\"\r\n") != NULL;
}

void csv_text(struct csv_writer *writer, const char *text)
{
	bool quotes = needs_quotes(text, !writer->in_row);

	if (writer->in_row)
		fputc(',', writer->out);
	writer->in_row = true;
	if (!quotes) {
		fputs(text, writer->out);
		return;
	}
	fputc('"', writer->out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', writer->out);
		fputc(*text, writer->out);
	}
	fputc('"', writer->out);
}

void csv_int(struct csv_writer *writer, int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	csv_text(writer, text);
}

void csv_number(struct csv_writer *writer, double number)
{
	char text[32] = "";

	if (!isnan(number))
		snprintf(text, sizeof(text), "%.9g", number);
	csv_text(writer, text);
}

void csv_end_row(struct csv_writer *writer)
{
	fputc('\n', writer->out);
	writer->in_row = false;
}
