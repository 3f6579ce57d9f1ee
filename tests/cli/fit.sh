# SPDX-License-Identifier: GPL-3.0-or-later
# fit: values are found again, -j and unused cells change nothing, and every mistake has its message.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

write_experiment truth.yaml
sed -i 's/^sweep: .*/sweep: {threads: [1, 2, 4, 6, 8]}/; s/duration: 50us/duration: 300us/' truth.yaml

# published TABLE: what the last result set says, as somebody would publish it
published() {
	cat <<-'END'
		# source: nobody, "simulated with known values"
		# unit: ops/s
		# metric: throughput
		# axis: threads
		threads,vanilla,patched
	END
	awk -F, '$4 == "throughput" { value[$3, $2] = $6 }
		END { for (t = 1; t <= 8; t++) if ((t, "vanilla") in value) print t "," value[t, "vanilla"] "," value[t, "patched"] }' \
		"$1/summary.csv"
}

contend run truth.yaml --set machine.transfer.remote_ns=240 --set workload.private_ns=400 \
	--set machine.line.migratory_reads=any --no-plots -q -o truth
published truth >table.csv
{
	cat truth.yaml
	echo "published: table.csv"
	echo "priors: {machine.transfer.remote_ns: [100, 300], workload.private_ns: [100, 1000]}"
} >x.yaml
choice=machine.line.migratory_reads=none..any

it "values that made a table are found again from it"
contend fit x.yaml --vary machine.transfer.remote_ns,workload.private_ns,$choice --evaluations 250 --no-profile -o found.yaml
status_is 0
err_is_empty
file_has found.yaml "migratory_reads: any"
near() {
	awk -v key="$1:" -v value="$2" '$1 == key { found = 1; if ($2 < 0.95 * value || $2 > 1.05 * value) { print $2; exit 1 } }
		END { if (!found) exit 1 }' found.yaml || complain "$1 is not near $2: $(tr '\n' ' ' <found.yaml)"
}
near remote_ns 240
near private_ns 400

it "the table has start, value, unit and range of each key, and the scores"
out_has "x fitted to threads 1, 2, 4, 6, 8 of vanilla, patched"
out_has "machine.transfer.remote_ns      180"
out_has "100..300"
out_has "none..any"
out_has "RMS before"

it "the overlay says where it comes from"
file_has found.yaml "# Written by contend"
file_has found.yaml "contend fit x.yaml --vary machine.transfer.remote_ns=100..300,workload.private_ns=100..1000,$choice"
file_has found.yaml "--evaluations 250 --seed 1 --no-profile"
file_has found.yaml "used are threads 1, 2, 4, 6, 8 of vanilla, patched"

it "run and reproduce take the overlay"
contend reproduce x.yaml --overlay found.yaml
status_is 0
out_has "score: RMS of log ratio 0.0"
contend run x.yaml --overlay found.yaml --no-plots -q -o with
status_is 0
file_has with/result.json "migratory_reads: any"

it "the number of workers changes no byte"
contend fit x.yaml --rows odd --evaluations 40 -j 1 -o one.yaml
cp .case/out one
contend fit x.yaml --rows odd --evaluations 40 -j 3 -o three.yaml
same_bytes one .case/out
same_bytes one.yaml three.yaml

it "another seed searches elsewhere"
contend fit x.yaml --rows odd --evaluations 40 --seed 2 --no-profile -o two.yaml
status_is 0
! grep -v '^#' two.yaml | cmp -s - one.yaml || complain "the same values"

it "cells that are not used have no influence"
awk -F, -v OFS=, '/^[0-9]/ && ++nr % 2 == 0 { $2 *= 3; $3 /= 5 } { print }' table.csv >other.csv
! cmp -s table.csv other.csv || complain "nothing was altered"
sed 's/table.csv/other.csv/' x.yaml >y.yaml
contend fit y.yaml --rows odd --evaluations 40 --no-profile -o other.yaml
grep -v '^#' one.yaml >one.values
grep -v '^#' other.yaml >other.values
same_bytes one.values other.values

it "odd and even rows are those of the table by position, and lists name values of the axis"
contend fit x.yaml --rows even --columns patched --evaluations 5 --no-profile
out_has "fitted to threads 2, 6 of patched"
contend fit x.yaml --rows 8,1 --evaluations 5 --no-profile
out_has "fitted to threads 1, 8 of vanilla, patched"

it "a value that moves the score is determined, one that does nothing is not"
contend fit x.yaml --vary machine.transfer.remote_ns,workload.private_ns,machine.memory.local_ns=50..200 --evaluations 150 \
	--set machine.line.migratory_reads=any \
	-o profile.yaml
status_is 0
grep '^machine.memory.local_ns' .case/out | grep -q 'not determined (50..200)' || complain "local_ns: $(cat .case/out)"
grep '^machine.transfer.remote_ns' .case/out | grep -q 'not determined' && complain "remote_ns: $(cat .case/out)"
file_has profile.yaml "# machine.memory.local_ns: not determined (50..200)"
out_has "determined: where the value may be"

it "a choice that is wrong is excluded"
contend fit x.yaml --vary machine.transfer.remote_ns,workload.private_ns,$choice --evaluations 150
status_is 0
grep '^machine.line.migratory_reads' .case/out | grep -q ' any *$' || complain "$(cat .case/out)"

it "several experiments share the values"
sed 's/table.csv/table2.csv/; s/filesystem: tmpfs/filesystem: pagecache/' x.yaml >z.yaml
cp table.csv table2.csv
contend fit x.yaml z.yaml --vary machine.transfer.remote_ns --evaluations 5 --no-profile
status_is 0
out_has "x fitted to"
out_has "z fitted to"

it "a value can be one experiment's own, and then each has its file"
contend fit x.yaml z.yaml --vary workload.private_ns,x:machine.transfer.remote_ns,z:machine.transfer.remote_ns=150..160 \
	--evaluations 20 --no-profile -o own.yaml
status_is 0
out_has "x:machine.transfer.remote_ns"
is_absent own.yaml
grep '^ *private_ns' own.x.yaml >x.private
grep '^ *private_ns' own.z.yaml >z.private
same_bytes x.private z.private
awk '$1 == "remote_ns:" { exit $2 < 150 || $2 > 160 }' own.z.yaml || complain "out of its range: $(cat own.z.yaml)"
contend run z.yaml --overlay own.z.yaml --no-plots -q
status_is 0
contend fit x.yaml z.yaml --evaluations 20 --no-profile \
	--vary workload.private_ns=100..1000,x:machine.transfer.remote_ns=100..300,z:machine.transfer.remote_ns=150..160 -o again.yaml
same_bytes own.x.yaml again.x.yaml

# refused MESSAGE ARGUMENT...
refused() {
	message=$1
	shift
	contend fit "$@" -o refused.yaml
	status_is 2
	err_has "$message"
	out_is_empty
	is_absent refused.yaml
}

it "an unknown key is named with the nearest one"
refused "--vary machine.transfer.remot_ns: unknown key 'machine.transfer.remot_ns'; did you mean 'machine.transfer.remote_ns'?" \
	x.yaml --vary machine.transfer.remot_ns

it "a key that is swept cannot be varied"
refused "'threads' is swept: it cannot be varied" x.yaml --vary threads

it "a policy's name has no range"
refused "'refcount' is no number and no choice of a list" x.yaml --vary refcount

it "a key that no variant has is an error"
refused "no variant takes 'workload.operation'" x.yaml --vary workload.operation

it "a key twice, or none, is an error"
refused "is varied twice" x.yaml --vary workload.private_ns,workload.private_ns=1..2
refused "a key is empty" x.yaml --vary workload.private_ns,

refused "no experiment of this fit is called 'xx'; did you mean" x.yaml --vary xx:workload.private_ns
refused "is varied twice" x.yaml --vary workload.private_ns,x:workload.private_ns

it "a range must be two ends in order, within what is legal"
refused "a range is KEY=LOW..HIGH" x.yaml --vary workload.private_ns=5
refused "a range is KEY=LOW..HIGH" x.yaml --vary workload.private_ns=..5
refused "the range of 'workload.private_ns' is empty: 6 is not below 5" x.yaml --vary workload.private_ns=6..5
refused "private_ns: must be between 0 and" x.yaml --vary workload.private_ns=-1..5
refused "private_ns: 'few' is not a number" x.yaml --vary workload.private_ns=few..5

it "a choice must be of the list, and a range of choices have two"
refused "unknown value 'some'; known: none, cluster, any" x.yaml --vary machine.line.migratory_reads=none..some
refused "is empty: any is not below any" x.yaml --vary machine.line.migratory_reads=any..any

it "rows and columns must be in the table"
refused "no row of a published table that is simulated is called '3'; known: 1, 2, 4, 6, 8" x.yaml --rows 1,3
refused "did you mean 'patched'?" x.yaml --columns pacthed

it "an experiment without a table, or without anything to vary, cannot be fitted"
refused "has no table to fit to" truth.yaml --vary workload.private_ns
grep -v priors x.yaml >w.yaml
refused "nothing to vary" w.yaml

it "a file that cannot be written is found before anything runs"
contend fit x.yaml -o nowhere/found.yaml
status_is 2
err_has "nowhere/found.yaml"
out_is_empty

it "without an experiment, --help is pointed to"
contend fit
status_is 2
err_has "name an experiment with a published table"
