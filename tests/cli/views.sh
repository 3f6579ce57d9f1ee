# SPDX-License-Identifier: GPL-3.0-or-later
# compare, plot and reproduce: every format of a result set.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

write_experiment x.yaml
contend run x.yaml --no-plots

it "compare prints what run wrote into table.txt when asked why"
contend compare x --why
status_is 0
same_bytes .case/out results/x/table.txt

it "compare takes the directory, its result.json or the name under results"
contend compare results/x
cp .case/out by_directory
contend compare results/x/result.json
same_bytes by_directory .case/out
contend compare x
same_bytes by_directory .case/out

it "the cover letter has the columns and the boundary line of the list's tables"
contend compare x --format cover-letter
out_has "#threads | vanilla | patched | boost (%)"
out_has "/* Cross socket NUMA */"

it "mmtests, markdown, csv and json have their own marks"
contend compare x --format mmtests
status_is 0
out_has "Hmean"
contend compare x --format delta
status_is 0
out_has "| Metric (ops/s) | Variation (%) | Delta(%)  |"
contend compare x --format delta --metric latency --metric throughput
out_has "| latency (ns)       |"
contend compare x --format fastpath
status_is 0
out_has "| Benchmark     | Result Class "
out_has "| contend/pread | threads:"
contend compare x --format markdown
out_has "| threads | vanilla |"
contend compare x --format csv
out_has "threads,"
contend compare x --format json
[ "$(head -c 1 .case/out)" = "[" ] || complain "JSON that is no array"

it "--baseline turns the comparison round"
contend compare x --baseline patched
status_is 0
out_has "change: variant against patched"

it "--metric shows another metric, and several"
contend compare x --metric latency --metric cas_failures
status_is 0
out_has "latency in ns"
out_has "cas_failures"

it "an unknown metric lists what there is"
contend compare x --metric bogus
status_is 2
err_has "these results have no metric 'bogus'; known: throughput, latency"

it "an unknown baseline lists the variants"
contend compare x --baseline bogus
status_is 2
err_has "these results have no variant 'bogus'; known: vanilla, patched"

it "-o writes the table into a file and prints nothing"
contend compare x -o table.txt
status_is 0
out_is_empty
same_bytes table.txt by_directory

it "-o into a directory that is not there names it"
contend compare x -o nowhere/table.txt
status_is 1
err_has "nowhere/table.txt"

for format in svg png pdf txt; do
	it "plot writes .$format"
	contend plot x -o figure.$format
	status_is 0
	out_is_empty
	is_there figure.$format
done

it "the pictures are what their endings say"
file_has figure.svg "<svg"
file_has figure.pdf "%PDF"
file_has figure.png "PNG"

it "plot without -o draws on standard output, without colours into a file"
contend plot x
status_is 0
out_has "vanilla"
out_has "threads"
out_lacks "$(printf '\033')"

it "plot draws the change and any metric"
contend plot x --kind change -o change.svg
status_is 0
is_there change.svg
contend plot x --metric latency --machine machine -o latency.svg
status_is 0
is_there latency.svg

it "--log takes a logarithmic scale"
contend plot x --log -o log.svg
status_is 0
file_has log.svg ">1M<"

it "a heat map of one swept key says what it needs"
contend plot x --kind heatmap -o heat.svg
status_is 1
err_has "swept"
is_absent heat.svg

it "a heat map of two swept keys is drawn"
sed -i 's/^sweep: .*/sweep: {threads: [2, 8], machine.transfer.remote_ns: [150, 300]}/' x.yaml
contend run x.yaml -o two --no-plots
contend plot two --kind heatmap -o heat.svg
status_is 0
is_there heat.svg

it "a heat map is of the first variant beside the baseline, or of the one that is named"
sed -i 's/^  patched:/  other: {refcount: fetch-add}\n  patched:/' x.yaml
contend run x.yaml -o three --no-plots
contend plot three --kind heatmap -o first.svg
status_is 0
file_has first.svg ">throughput, other against vanilla (%)<"
contend plot three --kind heatmap --variant patched -o named.svg
status_is 0
file_has named.svg ">throughput, patched against vanilla (%)<"
contend plot three --kind heatmap --variant vanilla -o none.svg
status_is 1
err_has "the baseline 'vanilla' has no change against itself"
contend plot three --kind heatmap --variant patchd -o none.svg
status_is 2
err_has "these results have no variant 'patchd'; did you mean 'patched'?"
contend plot three --metric throughputs -o none.svg
status_is 2
err_has "these results have no metric 'throughputs'; did you mean 'throughput'?"
contend plot three two -o none.svg
status_is 2
err_has "one result set at a time; 'two' is one too many"
is_absent none.svg

it "an unknown ending lists the endings"
contend plot x -o figure.bmp
status_is 2
err_has ".svg, .png, .pdf or .txt"
is_absent figure.bmp

it "an unknown machine lists the machines"
contend plot x --machine bogus -o figure2.svg
status_is 2
err_has "these results have no machine 'bogus'; known: machine"
is_absent figure2.svg

# A published table of the small experiment; one cell set a parameter
write_experiment p.yaml
cat >p.csv <<'END'
# source: nobody, "a table for tests"
# unit: ops/s
# metric: throughput
# axis: threads
threads,vanilla,patched
1,1000000,1010000
4,2000000,2500000
8,1500000,2100000
END
cat >>p.yaml <<'END'
published: p.csv
published_used: [1/vanilla]
END

it "reproduce shows published and simulated numbers, the score and what is used"
contend reproduce p.yaml
status_is 0
out_has "mode: blind"
out_has "1000000*"
out_has "1500000"
out_has "score: RMS of log ratio"
out_has "over 5 cells"
is_absent results/p

it "reproduce as Markdown is a table"
contend reproduce p.yaml --format markdown
out_has "### p: a small test (mode: blind)"
out_has "| threads |"

it "reproduce as JSON has the members that others read"
contend reproduce p.yaml --format json --replications 2
status_is 0
for member in experiment mode split score rms_log change_mae_points signs_right signs_counted cells row column unit \
	published simulated ci95 used; do
	out_has "\"$member\":"
done
out_has '"mode": "blind"'
out_has '"split": null'

it "priors give a band"
cat >>p.yaml <<'END'
priors: {machine.transfer.remote_ns: [100, 300]}
END
contend reproduce p.yaml
status_is 0
out_has "band"
out_has "each of 1 unmeasured parameters"
contend reproduce p.yaml --format json
out_has '"band": ['

it "reproduce is independent of the number of workers"
contend reproduce p.yaml -j 1
cp .case/out one
contend reproduce p.yaml -j 3
same_bytes one .case/out

it "reproduce -o writes the results as run does"
contend reproduce p.yaml -o reproduced --quiet
status_is 0
is_there reproduced/p/samples.csv
is_there reproduced/p/throughput.svg

it "an experiment without a published table cannot be reproduced"
contend reproduce x.yaml
status_is 2
err_has "names none under"
out_is_empty

it "a published column that is no variant is found before anything runs"
sed -i 's/,patched/,pacthed/' p.csv
contend reproduce p.yaml
status_is 2
err_has "p.csv"
err_has "pacthed"
out_is_empty

cat >c.csv <<'CSV'
# source: a mail
# kind: change_pct
# axis: metric
metric,patched,variation
throughput,10.5,3.5
latency,-9.5,
CSV
sed '/^sweep:/,/^ /d; /^published/,$d' p.yaml >c.yaml
cat >>c.yaml <<'END'
threads: 4
published: c.csv
END

it "reproduce of published changes shows them beside the simulated ones with their interval"
contend reproduce c.yaml
status_is 0
out_has "change = change against vanilla in percent"
out_has "variation = standard deviation"
out_has "patched change %  variation %  simulated  95 % interval"
out_has "+10.5          3.5"
out_has "score: change off by"
contend reproduce c.yaml --format json
status_is 0
out_has '"rms_log": null'
out_has '"unit": "%"'
out_has '"variation": 3.5'

it "reproduce of index values shows them and the changes"
cat >i.csv <<'CSV'
# source: a mail
# kind: index
# base: vanilla
# metric: throughput
# axis: size
size,vanilla,patched
few,100,110
many,100,130
CSV
sed '/^threads/d; s/c.csv/i.csv/' c.yaml >i.yaml
echo 'sweep: {size: {few: {threads: 2}, many: {threads: 6}}}' >>i.yaml
contend reproduce i.yaml
status_is 0
out_has "throughput, where vanilla is 100"
out_has "size  vanilla  patched  simulated  patched change %  simulated  95 % interval"
contend reproduce i.yaml --format json
out_has '"unit": "index"'

it "a fit to anything but levels is refused"
contend fit i.yaml --vary workload.gap_ns=1..2
status_is 2
err_has "a fit needs levels of one metric"
