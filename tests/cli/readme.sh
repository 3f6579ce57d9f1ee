# SPDX-License-Identifier: GPL-3.0-or-later
# Every command that README.md and docs/*.md tell the reader to run works; those that take minutes are left to make docs.
set -u
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
program=${CONTEND:-$source_dir/build/contend}
PATH=$(dirname "$program"):$PATH
export PATH NO_COLOR=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

cat "$source_dir/README.md" "$source_dir"/docs/*.md >"$work/all.md"
awk -v directory="$work" -v tap=1 -v slow=0 -f "$source_dir/tests/support/documents.awk" "$work/all.md"
