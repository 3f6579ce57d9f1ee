#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# README.md and docs/*.md show what their commands print (tests/support/documents.awk says how).
#	docs.sh update    run every command and write the output into the files; draw the figures of README.md again
#	docs.sh check     run all but the slow commands and fail with a diff when a file shows something else
set -u
cd "$(dirname "$0")/../.." || exit 1
mode=${1:-}
case $mode in update | check) ;; *) echo "usage: $0 update|check" >&2; exit 2 ;; esac

program=${CONTEND:-build/contend}
PATH=$(cd "$(dirname "$program")" && pwd):$PATH
export PATH NO_COLOR=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

for file in README.md docs/*.md; do
	[ "$mode" = update ] && slow=1 || slow=0
	awk -v directory="$work" -v slow="$slow" -f tests/support/documents.awk "$file" >"$work/new.md" || { status=1; continue; }
	if [ "$mode" = update ]; then
		cmp -s "$work/new.md" "$file" || cat "$work/new.md" >"$file"
	elif ! diff -u "$file" "$work/new.md"; then
		echo "$file is out of date: run make docs" >&2
		status=1
	fi
done
if [ "$mode" = update ] && [ $status -eq 0 ]; then
	contend plot "$work/results/refcount-epyc" -o docs/refcount-epyc.svg || status=1
	for name in vmalloc-workers vmalloc-workers-2s; do
		contend plot "$work/results/$name" --log -o docs/$name.svg || status=1
	done
fi
exit $status
