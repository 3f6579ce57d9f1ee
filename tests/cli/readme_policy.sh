# SPDX-License-Identifier: GPL-3.0-or-later
# The policy that README.md shows is complete: with its file and its line in the registry the program builds and runs it.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/tree.sh
. "$source_dir/tests/support/tree.sh"

# The text of the block of README.md that opens with ```c PATH
block_of() {
	awk -v opening="\`\`\`c $1" '$0 == "```" { inside = 0 } inside; $0 == opening { inside = 1 }' "$source_dir/README.md"
}

policy=models/policies/refcount_cas_backoff.c
block_of "$policy" >"tree/$policy"
line=$(block_of models/registry.c)

it "README.md shows a policy and its line in the registry"
is_there "tree/$policy"
[ -n "$line" ] || complain "README.md has no block of models/registry.c"

it "the program builds with them, without a warning"
awk -v line="$(printf '%s' "$line" | sed 's/\\/\\\\/g')" '{ print } /X\(refcount_cas, / { print line }' \
	"$source_dir/models/registry.c" >tree/models/registry.c
make_tree all
status_is 0
err_is_empty

it "a variant can choose the policy and set its parameters"
write_experiment experiment.yaml
sed -i 's/patched: .*/backoff: {refcount: {name: cas-backoff, longest_ns: 400}}/' experiment.yaml
program=$work/tree/build/contend
contend run experiment.yaml -o out --no-plots
status_is 0
out_has "backoff"

it "explain knows its parameters"
contend explain cas-backoff
status_is 0
out_has "longest_ns"
