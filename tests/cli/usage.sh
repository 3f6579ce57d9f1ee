# SPDX-License-Identifier: GPL-3.0-or-later
# Wrong and right ways to call the program: help, version, hints, exit statuses.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

it "--help lists every command"
contend --help
status_is 0
for command in run replay merge fit compare plot reproduce check list explain machine trace; do
	out_has "  $command "
done
err_is_empty

it "--version names program and version"
contend --version
status_is 0
out_has "contend "

it "no command prints the help on standard error and fails"
contend
status_is 2
out_is_empty
err_has "Usage: contend COMMAND"

it "an unknown command is named with the nearest one"
contend rnu
status_is 2
err_has "unknown command 'rnu'; did you mean 'run'?"
out_is_empty

it "an unknown option before the command is an error"
contend --verbose
status_is 2
err_has "unknown option '--verbose'"

for command in run replay merge fit compare plot reproduce check list explain machine trace; do
	it "$command --help shows usage and an example"
	contend $command --help
	status_is 0
	out_has "Usage: contend $command"
	out_has "Example: contend $command"
	err_is_empty

	it "$command refuses an unknown option"
	contend $command --bogus
	status_is 2
	err_has "contend $command: unrecognized option '--bogus'"
	out_is_empty
done

# without_arguments COMMAND MESSAGE
without_arguments() {
	it "$1 without arguments says what to name"
	contend "$1"
	status_is 2
	err_has "$2"
	out_is_empty
}
without_arguments run "name an experiment or its file"
without_arguments compare "name the directory of the results"
without_arguments plot "name the directory of the results"
without_arguments check "name at least one file"
without_arguments explain "explain what?"
without_arguments machine "say show or check"
without_arguments trace "say import, info, head or verify"

# bad_option SENTENCE MESSAGE ARGUMENTS...
bad_option() {
	it "$1"
	message=$2
	shift 2
	contend "$@"
	status_is 2
	err_has "$message"
	out_is_empty
}
bad_option "-j 0 is no number of workers" "-j needs a whole number from 1 to 1024, not '0'" run demo -j 0
bad_option "-j many is no number of workers" "-j needs a whole number from 1 to 1024, not 'many'" run demo -j many
bad_option "an unknown engine is named" "unknown engine 'fats'" run demo --engine fats
bad_option "an unknown table format lists the formats" "unknown format 'txt'" run demo --format txt
bad_option "an unknown report format lists the formats" "unknown format 'jsn'; did you mean 'json'?" reproduce --format jsn
bad_option "an unknown kind of plot is named" "unknown kind 'heatmp'; did you mean 'heatmap'?" plot x --kind heatmp
bad_option "an unknown kind of list is named" "unknown kind 'machine'; did you mean 'machines'?" list machine
bad_option "an unknown machine action is named" "unknown action 'draw'" machine draw epyc-9654-2s
bad_option "an unknown trace action is named" "unknown action 'inof'; did you mean 'info'?" trace inof x
bad_option "results that are not there say where they are made" "name the directory that \`contend run\` wrote" compare nope
bad_option "an unknown name to explain has a hint" "did you mean 'fetch-add'?" explain fetchadd
bad_option "an unknown machine has a hint" "did you mean 'epyc-9654-2s'?" machine show epyc-9654
bad_option "a program reads one table at a time" "name one experiment" run demo refcount-epyc --format csv
bad_option "one experiment twice would write one result" "two experiments are named 'demo'" run demo demo

it "list shows every kind"
contend list
status_is 0
out_has "refcount: fetch-add"
out_has "epyc-9654-2s"
out_has "pread"
out_has "refcount-haswell"

it "every name that list shows can be explained"
for kind in machines workloads; do
	"$program" list $kind | cut -d' ' -f1 >names
	while read -r name; do
		contend explain "$name"
		status_is 0
	done <names
done
"$program" list policies | awk '{ print $2 }' >names
while read -r name; do
	contend explain "$name"
	status_is 0
	out_has "mirrors"
done <names

it "a section of parameters is explained with units, defaults and ranges"
contend explain transfer
status_is 0
out_has "socket_ns"
out_has "required"
out_has "between sockets"

it "one parameter is explained by its short and by its full name"
for name in socket_ns transfer.socket_ns machine.transfer.socket_ns; do
	contend explain $name
	status_is 0
	out_has "machine.transfer.socket_ns"
	out_lacks "cluster_ns"
done
contend explain memory.socket_ns
status_is 2

it "a parameter of a workload or a policy is explained by its name, of all that have it"
contend explain pgd_order
status_is 0
out_has "kbuild: pgd_order (parameter of a workload)"
contend explain pause_ns
out_has "zone_lock: ticket: pause_ns (parameter of a policy)"
out_has "zone_lock: cna: pause_ns (parameter of a policy)"

it "a name that is like none points to the list"
contend explain zzzzzzzz
status_is 2
err_has "nothing is named 'zzzzzzzz'; \`contend list\` shows"

it "a parameter of two sections is explained twice"
contend explain remote_ns
out_has "machine.transfer.remote_ns"
out_has "machine.memory.remote_ns"

it "a metric is explained with its unit"
contend explain throughput
out_has "ops/s"

it "machine show draws sockets, clusters and siblings"
contend machine show epyc-9654-2s
status_is 0
out_has "= 384 CPUs"
out_has "L3 cluster 0    CPUs 0-7  SMT siblings 192-199"
out_has "remote_ns"

it "machine show draws a machine some of whose cores are off"
contend machine show epyc-9d85-1s
status_is 0
out_has "less 2 core(s) per socket = 316 CPUs"
out_has "L3 cluster 7    CPUs 112-127  SMT siblings 270-285"
out_has "L3 cluster 9    CPUs 143-157  SMT siblings 301-315"

it "machine show of 768 CPUs fits on two screens"
contend machine show epyc-9965-2s
status_is 0
out_has "= 768 CPUs"
[ "$(wc -l <"$work/.case/out")" -le 60 ] || complain "$(wc -l <"$work/.case/out") lines"

it "every machine and experiment that is shipped is right"
contend check "$source_dir"/configs/machines/*.yaml "$source_dir"/configs/experiments/*.yaml "$source_dir/configs/demo.yaml"
status_is 0
err_is_empty

it "a full disk behind standard output is an error"
with_command sh -c "'$program' list >/dev/full"
status_is 1
err_has "cannot write to standard output: No space left on device"

it "a closed standard output is an error"
with_command sh -c "'$program' list >&-"
status_is 1
err_has "cannot write to standard output"

it "a reader that is gone is an error"
with_command sh -c "{ sleep 1; '$program' list; echo \$? >status; } | true"
[ "$(cat status)" = 1 ] || complain "exit status $(cat status), not 1"
err_has "cannot write to standard output: Broken pipe"
