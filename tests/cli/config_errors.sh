# SPDX-License-Identifier: GPL-3.0-or-later
# Every mistake in an experiment or machine file: position, message, hint, exit status 2, and nothing is written.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

# mistake SENTENCE FILE SED-COMMAND MESSAGE: spoil one file of a good pair and run it
mistake() {
	it "$1"
	write_experiment x.yaml
	sed -i "$3" "$2"
	contend run x.yaml -o out
	status_is 2
	err_has "$4"
	out_is_empty
	is_absent out
}

it "the pair that the cases below spoil is good"
write_experiment x.yaml
contend check x.yaml machine.yaml
status_is 0
out_has "x.yaml: ok (experiment, 2 variants x 3 points x 2 replications = 12 runs)"
out_has "machine.yaml: ok (machine, 8 CPUs, 8 cores, 4 clusters, 2 nodes)"
err_is_empty

mistake "an unknown key is named with the nearest known one" x.yaml 's/^workload/wrkload/' \
	"x.yaml:3:1: unknown key 'wrkload'; did you mean 'workload'?"
mistake "a missing workload is named" x.yaml '/^workload/d' "workload"
mistake "a time without a unit shows how one is written" x.yaml 's/warmup: 10us/warmup: 10/' \
	"x.yaml:9:15: warmup: '10' needs a unit, e.g. 10ms"
mistake "an unknown unit lists the units of time" x.yaml 's/warmup: 10us/warmup: 10parsec/' \
	"x.yaml:9:15: warmup: 'parsec' is no unit of time; use ps, ns, us, ms or s"
mistake "a unit that the key has already is an error" machine.yaml 's/core_ns: 10/core_ns: 10ns/' \
	"machine.yaml:3:21: core_ns: the key already names the unit (ns); write 10"
mistake "a size without a unit shows how one is written" machine.yaml 's/per_node: 1GiB/per_node: 1/' \
	"machine.yaml:5:20: per_node: '1' needs a unit, e.g. 1GiB"
mistake "a negative latency is out of range" machine.yaml 's/cluster_ns: 30/cluster_ns: -30/' \
	"machine.yaml:3:37: cluster_ns: must be between 1 and"
mistake "a machine without sockets is out of range" machine.yaml 's/sockets: 2/sockets: 0/' \
	"machine.yaml:2:21: sockets: must be between 1 and"
mistake "a missing required key is named with what it means" machine.yaml 's/cluster_ns: 30, //' \
	"machine's transfer has no 'cluster_ns' (between cores of one L3 cluster)"
mistake "more threads than CPUs name both numbers" x.yaml 's/4, 8\]/4, 9]/' \
	"x.yaml:8:25: 9 threads, but machine 'machine' has 8 CPUs"
mistake "a sweep over an unknown key is named with the nearest one" x.yaml 's/{threads: .*/{machine.transfer.sokcet_ns: [1, 2]}/' \
	"unknown key 'machine.transfer.sokcet_ns'; did you mean 'machine.transfer.socket_ns'?"
mistake "two variants of one name point at the first one" x.yaml 's/patched:/vanilla:/' \
	"x.yaml:6:3: duplicate key 'vanilla'; it is already at line 5, column 3"
mistake "a baseline that is no variant is named with the nearest one" x.yaml 's/^baseline: vanilla/baseline: vanila/' \
	"x.yaml:7:11: unknown variant 'vanila'; did you mean 'vanilla'?"
mistake "an unknown policy is named with the nearest one" x.yaml 's/refcount: cas/refcount: csa/' \
	"x.yaml:5:23: unknown refcount policy 'csa'; did you mean 'cas'?"
mistake "an unknown workload is named with the nearest one" x.yaml 's/name: pread/name: preed/' \
	"x.yaml:3:18: unknown workload 'preed'; did you mean 'pread'?"
mistake "an unknown value of a choice lists the values" x.yaml 's/filesystem: tmpfs/filesystem: ext4/' \
	"filesystem: unknown value 'ext4'; known: tmpfs, pagecache"
mistake "a machine file that is not there is named with the reason" x.yaml 's/machine.yaml/nomachine.yaml/' \
	"x.yaml:2:10: machine file 'nomachine.yaml': No such file or directory"
mistake "a published table that is not there is named with the reason" x.yaml '1i published: nope.csv' \
	"published table 'nope.csv': No such file or directory"
mistake "a machine that extends itself is a circle" machine.yaml '1i extends: machine.yaml' \
	"'extends' goes in a circle: machine.yaml -> machine.yaml"
mistake "a CPU that the machine lacks is out of range" x.yaml '1i placement: [0, 1, 99]' \
	"CPU 99 is out of range: machine 'machine' has CPUs 0 to 7"
mistake "a node that the machine lacks is out of range" x.yaml '1i page_node: 7' \
	"node 7 is out of range: machine 'machine' has nodes 0 to 1"
mistake "no replication at all is out of range" x.yaml 's/replications: 2/replications: 0/' \
	"replications: must be between 1 and 10000"
mistake "YAML that does not parse says where" x.yaml 's/variants:/variants: [/' "x.yaml:6:3: "
mistake "a tab as indentation says so" x.yaml 's/^  vanilla/\tvanilla/' "indent with spaces, not with tabs"

it "the offending line is shown with a mark below the column"
write_experiment x.yaml
sed -i 's/^baseline: vanilla/baseline: vanila/' x.yaml
contend check x.yaml
status_is 2
err_has "     7 | baseline: vanila"
err_has "       |           ^"

it "a circle through two machine files shows the chain"
write_experiment x.yaml
printf 'extends: b.yaml\n' >machine.yaml
printf 'extends: machine.yaml\n' >b.yaml
contend check machine.yaml
status_is 2
err_has "machine.yaml -> b.yaml -> machine.yaml"

it "check goes on after a bad file and fails in the end"
write_experiment x.yaml
contend check nowhere.yaml x.yaml
status_is 2
err_has "nowhere.yaml"
out_has "x.yaml: ok"

it "--set of an unknown key names the option and the nearest key"
write_experiment x.yaml
contend run x.yaml -o out --set machine.transfer.sokcet_ns=4
status_is 2
err_has "--set machine.transfer.sokcet_ns=4"
err_has "did you mean 'machine.transfer.socket_ns'?"
is_absent out

it "--set without a value says what it lacks"
contend run x.yaml -o out --set threads
status_is 2
err_has "--set threads"
is_absent out

it "--set out of range names the option"
contend run x.yaml -o out --set machine.transfer.socket_ns=-4
status_is 2
err_has "--set machine.transfer.socket_ns=-4"
is_absent out

it "an unknown experiment is named with the nearest one"
contend run refcount-epic
status_is 2
err_has "unknown experiment 'refcount-epic'; did you mean 'refcount-epyc'?"

it "an unknown experiment that is like none points to the list"
contend check nosuch
status_is 2
err_has "unknown experiment 'nosuch'; \`contend list experiments\` names them"

it "machine check warns of latencies that do not grow with distance"
write_machine far.yaml
sed -i 's/cluster_ns: 30/cluster_ns: 300/' far.yaml
contend machine check far.yaml
err_has "latencies do not grow with distance"

it "machine check warns of caches that do not grow from level to level"
write_machine flat.yaml
echo 'cache: {l2: 32KiB}' >>flat.yaml
contend machine check flat.yaml
err_has "cache: sizes or latencies do not grow"
