# SPDX-License-Identifier: GPL-3.0-or-later
# Small experiments whose samples and tables are known byte by byte. Every tests/golden/*.yaml is a case, and so is
# policy.yaml.in with every policy that the program lists. With UPDATE=1 (make golden-update) what the program prints now
# becomes what is expected.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

golden=$source_dir/tests/golden
expected=$golden/expected

# Lines "AXIS POLICY" of all that is registered
policies() {
	"$program" list policies | awk '{ sub(":", "", $1); print $1, $2 }'
}

cp -R "$golden"/*.yaml "$golden/machines" "$source_dir/tests/data/traces" .
policies | while read -r axis policy; do
	sed "s/@AXIS@/$axis/; s/@POLICY@/$policy/" "$golden/policy.yaml.in" >"$axis-$policy.yaml"
done
cases=$(for file in *.yaml; do echo "${file%.yaml}"; done)

# expect NAME DIRECTORY: the results there are those of expected/NAME
expect() {
	same_bytes "$2/samples.csv" "$expected/$1.csv"
	same_bytes "$2/table.txt" "$expected/$1.txt"
}

it "every golden experiment runs"
contend run ./*.yaml -o two -j 2 --no-plots
status_is 0
[ "$status" -eq 0 ] || exit 1

if [ "${UPDATE:-}" ]; then
	rm -rf "$expected"
	mkdir "$expected"
	for name in $cases; do
		cp "two/$name/samples.csv" "$expected/$name.csv"
		cp "two/$name/table.txt" "$expected/$name.txt"
	done
fi

for name in $cases; do
	it "$name prints the samples and the table that are expected"
	expect "$name" "two/$name"
done

it "one worker prints the same bytes as two"
contend run tmpfs.yaml two-axes.yaml -o one -j 1 --no-plots
status_is 0
expect tmpfs one/tmpfs
expect two-axes one/two-axes

it "the policies that are listed, each of which is a case, are of both axes"
policies >listed
file_has listed "refcount cas"
file_has listed "folio_lock sleep"

it "every workload that is listed has a case"
"$program" list workloads | while read -r workload _; do
	grep -q "name: ${workload}[,}]" ./*.yaml || echo "$workload"
done >missing
[ ! -s missing ] || complain "no case of $(tr '\n' ' ' <missing)"

it "every expected file belongs to a case"
for file in "$expected"/*; do
	name=$(basename "$file")
	[ -f "${name%.*}.yaml" ] || complain "$file"
done

it "no sample has more than nine digits"
digits=$(cat "$expected"/*.csv | awk -F, '
	{ value = $(NF - 1); gsub(/[.-]|e.*/, "", value); sub(/^0*/, "", value); sub(/0*$/, "", value) }
	FNR > 1 && length(value) > longest { longest = length(value) }
	END { print longest + 0 }')
if [ "$digits" -gt 9 ] || [ "$digits" -lt 5 ]; then
	complain "the longest has $digits"
fi
