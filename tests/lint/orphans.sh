#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every policy and workload has its line in the registry, every plot script and published table is used, every tests/ folder is known.
set -u
cd "$(dirname "$0")/../.." || exit 1
status=0

# orphan FILE REASON
orphan() {
	echo "$1: $2"
	status=1
}

for file in models/policies/*.c models/workloads/*.c; do
	symbol=$(sed -nE 's/^const struct [a-z_]+ ([a-z_0-9]+) = \{$/\1/p' "$file")
	[ -z "$symbol" ] && [ -f "${file%_*}.c" ] && continue # a part of that plug-in
	[ -n "$symbol" ] || { orphan "$file" "ends in no descriptor"; continue; }
	grep -q "X($symbol, \"" models/registry.c || orphan "$file" "$symbol has no line in models/registry.c"
	name=$(basename "$file" .c)
	[ "$symbol" = "$name" ] || [ "$symbol" = "workload_$name" ] || orphan "$file" "defines $symbol, not $name"
done

for file in plots/*.gp; do
	name=$(basename "$file" .gp)
	grep -qrF "$name" sim models plots --include='*.c' --include='*.gp' --exclude="$name.gp" || orphan "$file" "no code uses it"
done

for file in results/published/*.csv; do
	grep -qrF "$(basename "$file")" configs tests || orphan "$file" "no experiment or test uses it"
done

for folder in tests/*/; do
	case $folder in
	tests/bench/ | tests/cli/ | tests/data/ | tests/fuzz/ | tests/golden/ | tests/lint/ | tests/property/ | \
		tests/published/ | tests/support/ | tests/unit/) ;;
	*) orphan "$folder" "make check knows no such folder" ;;
	esac
done
exit $status
