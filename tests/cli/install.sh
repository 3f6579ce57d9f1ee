# SPDX-License-Identifier: GPL-3.0-or-later
# make install: what lies in DESTDIR and that the installed program needs nothing of the source tree.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"
# shellcheck source=tests/support/tree.sh
. "$source_dir/tests/support/tree.sh"

it "make install puts program, configs, plots and published tables under PREFIX"
make_tree install PREFIX="$work/prefix"
status_is 0
is_there prefix/bin/contend
is_there prefix/share/contend/configs/demo.yaml
is_there prefix/share/contend/configs/machines/epyc-9654-2s.yaml
is_there prefix/share/contend/plots/common.gp
is_there prefix/share/contend/results/published/refcount-epyc.csv

it "DESTDIR goes before PREFIX and is not part of what the program looks for"
make_tree install PREFIX=/usr/local DESTDIR="$work/staged"
status_is 0
is_there staged/usr/local/bin/contend
with_command grep -c "$work/staged" staged/usr/local/bin/contend
status_is 1

rm -rf tree # as on a machine that never had it
program=$work/prefix/bin/contend

it "the installed program lists what was installed with it, without the source tree"
contend list
status_is 0
out_has "epyc-9654-2s"
out_has "refcount-haswell"

it "it runs an installed experiment and draws its figures"
contend run demo --set run.replications=1 --set threads=2 -o out
status_is 0
is_there out/table.txt
is_there out/throughput.svg

it "results of an installed experiment say nothing of where the program is, and are shown from anywhere"
contend run refcount-haswell --set run.replications=1 --set threads=2 --set run.duration=100us -o published
status_is 0
file_has published/result.json '"published": "results/published/refcount-haswell.csv"'
[ "$(grep -c "$work" published/result.json)" -eq 0 ] || complain "$(grep "$work" published/result.json)"
mkdir elsewhere
contend plot published -o elsewhere/figure.svg
status_is 0
err_is_empty
