#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No object named as an argument has mutable globals: its .data and .bss are empty.
set -u
[ $# -gt 0 ] || { echo "usage: $0 OBJECT..." >&2; exit 2; }

size -A "$@" | awk '
	/ :$/ { object = $1; nr_objects++ }
	# .data.rel.ro, which is not listed, holds const tables of pointers
	$1 ~ /^\.(t?data|t?bss|data\.rel|data\.rel\.local)$/ && $2 > 0 {
		print object " " $1 ": " $2 " bytes of mutable globals"
		bad = 1
	}
	END { exit bad || !nr_objects }'
