# SPDX-License-Identifier: GPL-3.0-or-later
# Sweeps in shards: by hand, by GNU parallel, by mpiexec, by what a job array says. What merge makes of them is what one
# process writes, byte by byte.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

write_experiment x.yaml
contend run x.yaml -o whole --quiet
mv .case/out table
adaptive="--set run.replications.min=3 --set run.replications.max=9 --set run.replications.until=3%"
# shellcheck disable=SC2086 # several words
contend run x.yaml -o whole-adaptive --quiet $adaptive

# same_files DIR DIR: the same files with the same bytes, but for the shards
same_files() {
	diff -r -x 'shard-*' "$1" "$2" >.case/diff 2>&1 || complain "$1 and $2 differ: $(head -n 5 .case/diff | tr '\n' '~')"
}

# contend run of shard I/N for all I: run_shards N ARGUMENT...
run_shards() {
	of=$1
	shift
	for shard in $(seq "$of"); do
		contend run x.yaml --shard "$shard/$of" --quiet "$@"
		status_is 0
		out_is_empty
	done
}

for of in 2 3 7; do
	it "$of shards put together are the whole"
	run_shards "$of" -o "in-$of"
	contend merge "in-$of"
	status_is 0
	same_bytes table .case/out
	same_files whole "in-$of"

	it "$of shards of a sweep with adaptive replications put together are the whole"
	# shellcheck disable=SC2086 # several words
	run_shards "$of" -o "adaptive-$of" $adaptive
	contend merge "adaptive-$of" -o "adaptive-of-$of" --quiet
	status_is 0
	same_files whole-adaptive "adaptive-of-$of"
done

it "each run is made by one shard"
[ "$(cat in-3/shard-*/samples.csv | grep -c ',throughput,')" -eq 12 ] || complain "not 12 runs in three shards"

it "a shard has its samples and nothing that needs the others"
is_there in-3/shard-2-of-3/samples.csv
is_absent in-3/shard-2-of-3/table.txt
is_absent in-3/shard-2-of-3/summary.csv
is_absent in-3/shard-2-of-3/throughput.svg

it "more shards than runs: those without a share have an empty one"
run_shards 13 -o in-13
contend merge in-13
status_is 0
same_files whole in-13

it "merge takes the shards from anywhere and in any order"
mkdir elsewhere
cp -r in-3/shard-1-of-3 elsewhere/first
contend merge in-3/shard-3-of-3 elsewhere/first in-3/shard-2-of-3 -o put-together
status_is 0
same_files whole put-together

it "merge prints the formats of run"
contend run x.yaml -o csv --no-plots --format csv
mv .case/out csv-of-run
contend merge in-3 --format csv --no-plots
same_bytes csv-of-run .case/out

it "a missing shard is named"
contend merge in-3/shard-1-of-3 in-3/shard-3-of-3 -o nothing
status_is 2
err_has "shard 2/3 is missing"
is_absent nothing

it "a shard that is there twice is named with both places"
contend merge in-3 elsewhere/first -o nothing
status_is 2
err_has "shard 1/3 is there twice: 'in-3/shard-1-of-3' and 'elsewhere/first'"

it "a shard of another configuration is named"
contend run x.yaml -o foreign --shard 2/3 --set run.seed=5
contend merge in-3/shard-1-of-3 foreign/shard-2-of-3 in-3/shard-3-of-3 -o nothing
status_is 2
err_has "'foreign/shard-2-of-3' is of another sweep than the shards before it: another configuration"

it "a shard of another number of shards is named"
contend merge in-3/shard-1-of-3 in-2/shard-2-of-2 -o nothing
status_is 2
err_has "'in-2/shard-2-of-2' is one of 2 shards, the ones before it are of 3"

it "a shard whose numbers another one has, too, is named"
cp -r in-3 forged
sed 's/"index": 1/"index": 2/' forged/shard-1-of-3/result.json >forged/shard-2-of-3/result.json
cp forged/shard-1-of-3/samples.csv forged/shard-2-of-3/samples.csv
contend merge forged -o nothing
status_is 2
err_has "'forged/shard-2-of-3' has runs that another shard has, too"

it "a whole is no shard, and a directory without results neither"
contend merge whole -o nothing
status_is 2
err_has "'whole' is no shard: it is a whole"
contend merge elsewhere -o nothing
status_is 2
err_has "there is no shard in 'elsewhere': it has no result.json"

it "shards named one by one need a place for the whole"
contend merge in-2/shard-1-of-2 in-2/shard-2-of-2
status_is 2
err_has "say with -o where the whole goes"

it "compare and plot send the user of a shard to merge"
for command in compare plot; do
	contend $command in-3/shard-1-of-3
	status_is 2
	err_has "is shard 1 of 3: put the shards together with \`contend merge\`"
done

it "runs that a shard lacks are counted, and the rest is put together"
cp -r in-2 holes
sed -i '/,patched,8,0,/d' holes/shard-1-of-2/samples.csv holes/shard-2-of-2/samples.csv
contend merge holes -o with-holes --no-plots
status_is 1
err_has "1 run is missing; the rest is put together"
out_has "patched at threads 8: 1 of 2 replications"

# wrong_shard TEXT MESSAGE
wrong_shard() {
	it "--shard $1 is refused"
	contend run x.yaml -o nothing --shard "$1"
	status_is 2
	err_has "$2"
	is_absent nothing
}

wrong_shard 0/3 "the first is 1/3, the last 3/3"
wrong_shard 4/3 "the first is 1/3, the last 3/3"
wrong_shard 1/0 "there are 1 to 100000 shards"
wrong_shard 1 "a shard is I/N, e.g. 2/4, not '1'"
wrong_shard -1/3 "a shard is I/N"
wrong_shard 1/3x "a shard is I/N"
wrong_shard 99999999999999999999/3 "a shard is I/N"

it "--shard 1/1 is the whole"
contend run x.yaml -o one --shard 1/1 --quiet
status_is 0
same_files whole one

# in_environment SHARD VARIABLE=VALUE...: what a run makes there, "whole" or the name of a shard's directory
in_environment() {
	wanted=$1
	shift
	it "$* is $wanted"
	rm -rf env
	with_command env "$@" "$program" run x.yaml -o env --no-plots
	status_is 0
	case $wanted in
	whole) is_there env/result.json ;;
	*)
		is_there "env/$wanted/result.json"
		err_has "contend: shard $(echo "$wanted" | sed 's/shard-\(.*\)-of-\(.*\)/\1\/\2/'), as ${1%%=*} and "
		;;
	esac
}

in_environment shard-1-of-4 SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=0
in_environment shard-4-of-4 SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=1
in_environment shard-3-of-4 SLURM_ARRAY_TASK_ID=20 SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_STEP=5
in_environment shard-3-of-4 PMI_RANK=2 PMI_SIZE=4
in_environment shard-1-of-2 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2
in_environment whole SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=1 SLURM_ARRAY_TASK_MIN=7
in_environment whole PMI_RANK=0 PMI_SIZE=1 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1
in_environment shard-2-of-2 OMPI_COMM_WORLD_RANK=1 PMI_RANK=1 PMI_SIZE=2 OMPI_COMM_WORLD_SIZE=2

# wrong_environment MESSAGE VARIABLE=VALUE...
wrong_environment() {
	message=$1
	shift
	it "$* is refused"
	with_command env "$@" "$program" run x.yaml -o nothing
	status_is 2
	err_has "$message"
	is_absent nothing
}

wrong_environment "PMI_RANK is 'two', no whole number" PMI_RANK=two PMI_SIZE=4
wrong_environment "PMI_RANK is '', no whole number" PMI_RANK= PMI_SIZE=4
wrong_environment "PMI_RANK is 4, which is no share of 4" PMI_RANK=4 PMI_SIZE=4
wrong_environment "PMI_RANK is set, but PMI_SIZE is not" PMI_RANK=1
wrong_environment "OMPI_COMM_WORLD_SIZE is set, but OMPI_COMM_WORLD_RANK is not" OMPI_COMM_WORLD_SIZE=1
wrong_environment "SLURM_ARRAY_TASK_COUNT is 0: there are 1 to 100000 shards" \
	SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=0 SLURM_ARRAY_TASK_MIN=1
wrong_environment "SLURM_ARRAY_TASK_ID is 7, which is no share of 3" \
	SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1
wrong_environment "say shard 1/2, PMI_RANK and PMI_SIZE say 1/4: choose with --shard I/N" \
	SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=1 PMI_RANK=0 PMI_SIZE=4

it "--shard is stronger than the environment"
with_command env PMI_RANK=two PMI_SIZE=4 "$program" run x.yaml -o given --shard 1/2 --no-plots
status_is 0
is_there given/shard-1-of-2/result.json

it "GNU parallel: a shard per job"
if command -v parallel >/dev/null; then
	with_command parallel -j 2 "$program" run x.yaml -o by-parallel -j 1 --shard '{}/4' ::: 1 2 3 4
	status_is 0
	contend merge by-parallel
	status_is 0
	same_files whole by-parallel
else
	skip "GNU parallel is not installed"
fi

it "mpiexec: a shard per rank, without a word on the command line"
if command -v mpiexec >/dev/null; then
	# Open MPI refuses root, and more ranks than cores, unless it is told
	with_command env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
		mpiexec -n 3 "$program" run x.yaml -o by-mpi -j 1
	status_is 0
	out_is_empty
	err_has "contend: shard 3/3, as OMPI_COMM_WORLD_RANK and OMPI_COMM_WORLD_SIZE say"
	contend merge by-mpi
	status_is 0
	same_files whole by-mpi
else
	skip "mpiexec is not installed"
fi
