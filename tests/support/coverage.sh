#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Standard input: what `gcov -n` prints. Standard output: per source file of ours the share of lines that ran, least first,
# and the whole.
set -u

awk '
	/^File / { file = substr($2, 2, length($2) - 2) }
	/^Lines executed:/ && file ~ /^(sim|models)\/.*\.c$/ {
		split($0, part, /[:% ]+/)
		lines[file] = $NF
		ran[file] = part[3] * $NF / 100
		file = ""
	}
	/^Lines executed:/ { file = "" }
	END {
		for (file in lines) {
			printf "%6.1f %% of %4d  %s\n", 100 * ran[file] / lines[file], lines[file], file
			nr_lines += lines[file]
			nr_ran += ran[file]
		}
		if (!nr_lines)
			exit 1
		printf "%6.1f %% of %4d  all\n", 100 * nr_ran / nr_lines, nr_lines
	}' | sort -n
