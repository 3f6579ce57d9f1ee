#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every #include of ours points to a layer that the including one may see, and SimGrid is seen by one file alone.
set -u
cd "$(dirname "$0")/../.." || exit 1

grep -rnE '^#include ["<]((sim|models|tests|simgrid|xbt)/[^">]*)[">]' sim models --include='*.[ch]' |
	sed -E 's/^([^:]+):([0-9]+):#include ["<]([^">]+)[">]/\1 \2 \3/' |
	awk '
	# The layer of a path: its folder, but models/registry.*, models/config*.* and models/run.* are layers of their own.
	function layer(path, parts) {
		split(path, parts, "/")
		if (parts[1] != "models" || path ~ /^models\/[a-z]+\//)
			return parts[1] "/" parts[2]
		return path ~ /^models\/registry/ ? "models/registry" : "models/top"
	}
	function allow(from, to, list, nr, i) {
		nr = split(to, list, " ")
		for (i = 1; i <= nr; i++)
			may[from, list[i]] = 1
		may[from, from] = 1
		known[from] = 1
	}
	BEGIN {
		hardware = "sim/util sim/engine"
		kernel = hardware " models/hardware"
		plug_in = kernel " models/kernel"
		registry = plug_in " models/policies models/workloads"
		top = registry " models/registry sim/stats sim/io"
		allow("sim/util", "")
		allow("sim/engine", "sim/util")
		allow("sim/stats", "sim/util")
		allow("sim/io", "sim/util sim/stats")
		allow("sim/trace", "sim/util")
		allow("models/hardware", hardware)
		allow("models/kernel", kernel)
		allow("models/policies", plug_in)
		allow("models/workloads", plug_in " sim/trace")
		allow("models/registry", registry)
		allow("models/top", top)
		allow("sim/cli", top " models/top sim/trace")
	}
	$3 ~ /^(simgrid|xbt)\// {
		if ($1 != "sim/engine/engine_simgrid.c") {
			print $1 ":" $2 ": only sim/engine/engine_simgrid.c may include " $3
			bad = 1
		}
		next
	}
	{ nr_seen++ }
	!known[layer($1)] {
		print $1 ":" $2 ": " layer($1) " is no known layer; see the table in tests/lint/layers.sh"
		bad = 1
		next
	}
	!may[layer($1), layer($3)] {
		print $1 ":" $2 ": " layer($1) " may not include " $3
		bad = 1
	}
	END { exit bad || nr_seen < 100 }'
