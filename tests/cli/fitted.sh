# SPDX-License-Identifier: GPL-3.0-or-later
# reproduce --fitted: which cells values come from, which are shown and scored, and when kept values are good.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

# experiment NAME REMOTE_NS PRIVATE_NS: an experiment whose table is its own simulation with those values
experiment() {
	write_experiment "$1.yaml"
	sed -i 's/^sweep: .*/sweep: {threads: [1, 2, 4, 6, 8]}/; s/duration: 50us/duration: 200us/' "$1.yaml"
	contend run "$1.yaml" --set machine.transfer.remote_ns="$2" --set workload.gap_ns=6 --set workload.private_ns="$3" \
		--no-plots -q -o truth
	{
		printf '# source: nobody, "simulated"\n# unit: ops/s\n# metric: throughput\n# axis: threads\n'
		echo "threads,vanilla,patched"
		awk -F, '$4 == "throughput" { value[$3, $2] = $6 }
			END { for (t = 1; t <= 8; t++) if ((t, "vanilla") in value) print t "," value[t, "vanilla"] "," value[t, "patched"] }' \
			truth/summary.csv
	} >"$1.csv"
	cat >>"$1.yaml" <<-END
		published: $1.csv
		published_used: [1/vanilla]
		fit:
		  vary:
		    machine.transfer.remote_ns: [100, 300]
		    workload.gap_ns: [1, 9]
		    workload.private_ns: [200, 1000]
		  other_machine: {experiment: $4.yaml, carries: [workload.gap_ns], own: [workload.private_ns]}
	END
}

touch b.yaml # a.yaml names it before it is there
experiment a 240 400 b
experiment b 180 500 a

fitted() {
	contend reproduce a.yaml --fitted --evaluations 100 "$@"
}

it "both splits are made, say what they come from and show only cells that were not used"
fitted --fits fits
status_is 0
cp .case/out both
out_has "a: a small test (mode: fitted, split: alternate rows)"
out_has "fitted to a, threads 1, 4, 8 of vanilla, patched; cells that set a value are neither shown nor scored"
out_has "over 4 cells"
out_has "a: a small test (mode: fitted, split: other machine)"
out_has "fitted to b, threads 1, 2, 4, 6, 8 of vanilla, patched"
out_has "over 9 cells"
shown() {
	awk -v wanted="$1" '/mode: fitted/ { on = index($0, wanted) } on && /^ *[0-9]+ / { printf "%s ", $1 }' both
}
[ "$(shown "alternate rows")" = "2 6 " ] || complain "rows shown: $(shown "alternate rows")"
[ "$(shown "other machine")" = "1 2 4 6 8 " ] || complain "rows shown: $(shown "other machine")"
grep -q '^ *1  *used ' both || complain "the used cell is shown"

it "without kept values they are looked for, and that is said"
err_has "fits/a.alternate-rows.yaml: no fitted values there; fitting again"
err_has "fits/a.other-machine.yaml: no fitted values there; fitting again"

it "values that made the tables are found, this machine's own too"
near() {
	awk -v key="$2:" -v value="$3" '$1 == key { found = 1; if ($2 < 0.85 * value || $2 > 1.15 * value) exit 1 } END { if (!found) exit 1 }' \
		"fits/a.$1.yaml" || complain "$2 is not near $3: $(tr '\n' ' ' <"fits/a.$1.yaml")"
}
near alternate-rows remote_ns 240
near other-machine private_ns 400
! grep -q remote_ns fits/a.other-machine.yaml || complain "a latency was carried over"

it "kept values are taken, in silence, whatever else is asked"
fitted --fits fits
status_is 0
err_is_empty
same_bytes both .case/out
fitted --fits fits --replications 1
err_is_empty

it "--refit finds the same values again, and so does any number of workers"
cp -r fits before
fitted --fits fits --refit -j 3
for split in alternate-rows other-machine; do
	same_bytes before/a.$split.yaml fits/a.$split.yaml
done
same_bytes both .case/out

# stale WHAT: the values of alternate rows are not those that a fit would give now
stale() {
	fitted --fits fits --replications 1
	grep -q "alternate-rows.yaml: these values are of another configuration, table or model" .case/err || complain "not noticed: $1"
	cp before/* fits/
}

it "values are found again when something that they depend on has changed"
sed -i 's/remote_ns: 2/remote_ns: 1/' fits/a.alternate-rows.yaml
stale "the values themselves"
cp a.csv kept.csv
sed -i 's/^4,./&1/' a.csv
stale "a used cell"
cp kept.csv a.csv
cp a.yaml kept.yaml
sed -i 's/gap_ns: \[1, 9\]/gap_ns: [1, 8]/' a.yaml
stale "a range"
cp kept.yaml a.yaml
cp machine.yaml kept.yaml
sed -i 's/socket_ns: 90/socket_ns: 91/' machine.yaml
stale "the machine"
cp kept.yaml machine.yaml
fitted --fits fits --set page_node=1
err_has "these values are of another configuration"
cp before/* fits/

it "--kept fails instead"
fitted --fits fits --kept --replications 1
status_is 0
sed 's/socket_ns: 90/socket_ns: 91/' machine.yaml >kept.yaml
cp machine.yaml good.yaml
cp kept.yaml machine.yaml
fitted --fits fits --kept
status_is 1
err_has "fits/a.alternate-rows.yaml: these values are of another configuration, table or model"
out_is_empty
cp good.yaml machine.yaml

it "cells that are not used have no influence on the values"
sed -i 's/^\([26]\),.*/\1,7777777,99999999/' a.csv
fitted --fits fits --replications 1
! grep -q alternate-rows .case/err || complain "fitted again: $(cat .case/err)"
fitted --fits altered --refit
same_bytes before/a.alternate-rows.yaml altered/a.alternate-rows.yaml
same_bytes before/a.other-machine.yaml altered/a.other-machine.yaml
cp kept.csv a.csv

it "the score is over cells that are not used, by the program's own account"
fitted --fits fits --format json
status_is 0
for member in '"mode": "fitted"' '"split": "alternate rows"' '"split": "other machine"' '"fitted_values": {' '"workload.gap_ns": "'; do
	out_has "$member"
done
awk '
	/"rms_log"/ { split($2, part, ","); said[++nr] = part[1] }
	/"row"/ { published = simulated = 0 }
	/"published"/ && !published { split($2, part, ","); published = part[1] }
	/"simulated"/ && !simulated { split($2, part, ","); simulated = part[1] }
	/"used": false/ { sum[nr] += log(simulated / published) ^ 2; cells[nr]++ }
	/"used": true/ { used[nr]++ }
	END {
		for (i = 1; i <= nr; i++) {
			off = sqrt(sum[i] / cells[i]) / said[i] - 1
			if (off > 1e-6 || off < -1e-6)
				exit 1
		}
		exit nr != 2 || used[1] != 6 || used[2] != 1 || cells[1] != 4 || cells[2] != 9
	}' .case/out || complain "the scores are of other cells: $(tr -d ' \n' <.case/out | head -c 600)"

it "-o keeps the splits apart"
fitted --fits fits -o out -q
is_there out/a.alternate-rows/samples.csv
is_there out/a.other-machine/result.json
file_has out/a.other-machine/result.json "private_ns"

it "Markdown has the split in its heading"
fitted --fits fits --format markdown
out_has "### a: a small test (mode: fitted, split: alternate rows)"

it "blind is what it was: nothing of a fit is in it"
contend reproduce a.yaml
out_has "mode: blind"
out_has "over 9 cells"
out_lacks "fitted to a"

it "an experiment that says nothing of a fit cannot be fitted"
sed '/^fit:/,$d' a.yaml >plain.yaml
contend reproduce plain.yaml --fitted
status_is 2
err_has "plain.yaml does not say what to fit: its file has no \`fit:\` section"
out_is_empty

it "values that cannot be kept are an error"
echo >file
fitted --fits file/fits
status_is 1
err_has "file/fits"
