# SPDX-License-Identifier: GPL-3.0-or-later
# contend run: what it prints and writes, that -j changes nothing, and what happens when the outside world fails.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

files="samples.csv summary.csv result.json table.txt"

it "run prints the table and writes results and figures"
write_experiment x.yaml
contend run x.yaml
status_is 0
out_has "vanilla"
out_has "patched"
out_has "throughput in ops/s"
for file in $files throughput.svg throughput.gp throughput.dat change.svg; do
	is_there "results/x/$file"
done
err_has "results in results/x"
err_has "figure results/x/throughput.svg"

it "no progress line is drawn where standard error is no terminal"
! grep -q "$(printf '\r')" .case/err || complain "a carriage return on standard error"

# on_terminal COMMAND...: with standard error on a terminal
on_terminal() {
	with_command script -qec "$*" /dev/null
}

it "a progress line with runs and percent is drawn on a terminal, in no colour under NO_COLOR"
on_terminal "$program" run x.yaml -o terminal --no-plots
out_has "/12 runs, "
out_lacks "$(printf '\033[32m')"

it "the progress line is coloured without NO_COLOR, and not drawn with --quiet"
on_terminal env -u NO_COLOR "$program" run x.yaml -o terminal --no-plots
out_has "$(printf '\033[32m')"
on_terminal "$program" run x.yaml -o terminal --no-plots --quiet
out_lacks "/12 runs, "

it "a second run writes the same bytes"
contend run x.yaml -o again
for file in $files; do
	same_bytes "results/x/$file" "again/$file"
done

it "one worker and three give the same bytes"
contend run x.yaml -o one -j 1 --no-plots
contend run x.yaml -o three -j 3 --no-plots
for file in $files; do
	same_bytes "one/$file" "three/$file"
done

it "--no-plots draws nothing"
status_is 0
is_absent three/throughput.svg

it "--quiet says nothing on standard error"
contend run x.yaml -o quiet --quiet
status_is 0
err_is_empty

it "samples.csv has a line per metric of each of the 12 runs"
[ "$(grep -c ',throughput,' one/samples.csv)" -eq 12 ] || complain "$(grep -c ',throughput,' one/samples.csv) lines"

it "--set on a swept key leaves one point"
contend run x.yaml -o set --no-plots --set threads=4
status_is 0
[ "$(grep -c ',throughput,' set/samples.csv)" -eq 4 ] || complain "$(grep -c ',throughput,' set/samples.csv) lines"

it "--set of a latency changes the numbers and nothing else"
contend run x.yaml -o slow --no-plots --set machine.transfer.remote_ns=900
status_is 0
! cmp -s one/samples.csv slow/samples.csv || complain "the samples are the same"
[ "$(wc -l <one/samples.csv)" -eq "$(wc -l <slow/samples.csv)" ] || complain "other lines"

it "--why adds what explains the table"
contend run x.yaml -o why --no-plots --why
status_is 0
out_has "cas failures"

for format in cover-letter mmtests delta fastpath markdown csv json; do
	it "--format $format prints that table alone on standard output"
	contend run x.yaml -o formats --no-plots --format $format
	status_is 0
	cp .case/out printed
	contend compare formats --format $format
	same_bytes printed .case/out
done

it "several experiments write a directory each and print a table each"
cp x.yaml y.yaml
sed -i 's/a small test/the other test/' y.yaml
contend run x.yaml y.yaml -o both --no-plots
status_is 0
is_there both/x/samples.csv
is_there both/y/samples.csv
out_has "a small test"
out_has "the other test"

it "titles and variant names with quotes, backticks and underscores reach table and figure unharmed"
write_experiment odd.yaml
sed -i "1s/.*/title: 'it''s \"quoted\" \`touch pwned\` \$(touch pwned) a_b^c {x} %s \\\\n'/; s/patched:/\"pa_t'c\`touch pwned\`h\":/" odd.yaml
contend run odd.yaml -o odd
status_is 0
out_has "it's \"quoted\" \`touch pwned\` \$(touch pwned) a_b^c {x} %s \\n"
out_has "pa_t'c\`touch pwned\`h"
is_there odd/throughput.svg
file_has odd/throughput.svg "touch pwned"
is_absent pwned
is_absent odd/pwned

it "a machine's, a variant's and the file's own name with quotes, backticks and underscores reach every kind of figure unharmed"
write_experiment x.yaml
cp x.yaml "it's_\`touch pwned\`_\"odd\".yaml"
cp machine.yaml "mach_ine'\`touch pwned\`.yaml"
sed -i "s/machine.yaml/\"mach_ine'\`touch pwned\`.yaml\"/; s/patched:/\"pat_ched'\`touch pwned\`\":/; s/^sweep: .*/sweep: {threads: [2, 8], machine.transfer.remote_ns: [150, 300]}/" ./*odd*.yaml
contend run "it's_\`touch pwned\`_\"odd\".yaml" -o odd_names
status_is 0
for kind in change heatmap throughput; do
	for format in svg png pdf txt; do
		contend plot odd_names --kind $kind -o "odd_names/a'b\`touch pwned\`_c.$format"
		status_is 0
		is_there "odd_names/a'b\`touch pwned\`_c.$format"
	done
done
file_has "odd_names/a'b\`touch pwned\`_c.svg" "pat_ched'\`touch p..."
contend compare odd_names
out_has "mach_ine'\`touch pwned\`"
is_absent pwned
is_absent odd_names/pwned

it "without gnuplot the tables still come, with a warning"
mkdir -p bin
contend_without_gnuplot() {
	with_command env PATH="$work/bin" "$program" "$@"
}
contend_without_gnuplot run x.yaml -o nognuplot
status_is 0
err_has "warning"
err_has "gnuplot"
out_has "patched"
for file in $files; do
	same_bytes "one/$file" "nognuplot/$file"
done
is_absent nognuplot/throughput.svg

it "plot without gnuplot says what to install and fails"
contend_without_gnuplot plot one -o one.svg
status_is 1
err_has "gnuplot"
is_absent one.svg

it "a directory that cannot be made is found before anything runs"
: >afile
contend run x.yaml -o afile/out
status_is 2
err_has "'afile'"
err_has "Not a directory"
out_is_empty

it "a file in the place of the directory is found before anything runs"
contend run x.yaml -o afile
status_is 2
err_has "afile"
out_is_empty

it "a directory of somebody else is found before anything runs"
mkdir closed
if [ "$(id -u)" -eq 0 ]; then
	with_command setpriv --reuid=65534 --regid=65534 --clear-groups "$program" run x.yaml -o closed
else
	chmod a-w closed
	contend run x.yaml -o closed
fi
status_is 2
err_has "closed"
err_has "Permission denied"
out_is_empty
[ -z "$(ls -A closed)" ] || complain "closed is not empty"

it "an experiment that may not be read says so"
cp x.yaml secret.yaml
chmod 0 secret.yaml
if [ "$(id -u)" -eq 0 ]; then
	with_command setpriv --reuid=65534 --regid=65534 --clear-groups "$program" check secret.yaml
else
	contend check secret.yaml
fi
status_is 2
err_has "secret.yaml"
err_has "Permission denied"
out_is_empty

it "\$CONTEND_CONFIGS is where names are looked for"
mkdir -p own/experiments own/machines
cp x.yaml machine.yaml own/experiments
with_command env CONTEND_CONFIGS="$work/own" "$program" check x
status_is 0
with_command env CONTEND_CONFIGS="$work/own" "$program" run refcount-epyc
status_is 2
err_has "unknown experiment 'refcount-epyc'"

it "the experiments of the source tree are found by name"
contend check demo refcount-haswell
status_is 0
