/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/support/numbers.h"

#include "tests/support/unit.h"

#include <math.h>

void numbers_between(const char *text, double value, double low, double high, const char *file, int line)
{
	if (value >= low && value <= high)
		return;
	print_error("%s is %.9g, not in [%.9g, %.9g]\n", text, value, low, high);
	_fail(file, line);
}

void numbers_about(const char *text, double value, double expected, double pct, const char *file, int line)
{
	const double off = fabs(expected) * pct / 100;

	numbers_between(text, value, expected - off, expected + off, file, line);
}
