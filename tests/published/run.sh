# SPDX-License-Identifier: GPL-3.0-or-later
# Every experiment with a published table is reproduced and held against tolerances.csv. The check program beside this
# script does that and prints TAP of its own after that of the cases here.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

published=$source_dir/tests/published
check=${CHECK_PUBLISHED:-$(dirname "$program")/tests/published/check}

# Names of the experiments that have a published table
experiments() {
	grep -l '^published:' "$source_dir"/configs/experiments/*.yaml | while read -r file; do
		basename "$file" .yaml
	done
}

# reproduce FILE OPTION...: as JSON into FILE
reproduce() {
	json=$1
	shift
	contend reproduce --format json --quiet "$@"
	status_is 0
	err_is_empty
	cp .case/out "$json"
}

# As many replications as they say: a sign near zero needs them. Few keep the others under a minute.
it "the experiments about refcounts are reproduced"
# shellcheck disable=SC2046 # one word per experiment
reproduce refcounts.json $(experiments | grep '^refcount-')

# Kernel builds are a tenth as long as their experiments say: what they do is stationary much later.
it "the kernel builds are reproduced, shortened"
# shellcheck disable=SC2046
reproduce builds.json --replications 2 --set run.warmup=200ms --set run.duration=200ms $(experiments | grep '^batched-')

it "one benchmark of free-high is reproduced, shortened"
reproduce free-high.json --replications 3 --set benchmark=netperf-sctp --set run.warmup=20ms --set run.duration=20ms free-high

it "all others are reproduced"
# shellcheck disable=SC2046
reproduce others.json --replications 3 $(experiments | grep -v '^refcount-\|^batched-\|^free-high$')

it "every experiment of the tolerances has a published table"
grep -v '^#' "$published/tolerances.csv" | cut -d, -f1 | sed 1d | sort -u >named
experiments | sort >there
same_bytes named there

# notices SENTENCE SED-COMMAND FILE: the spoilt file fails the case of that sentence
notices() {
	sed "$2" "$3" >spoilt
	if [ "$3" = others.json ]; then
		"$check" "$published/tolerances.csv" spoilt >verdict
	else
		"$check" spoilt others.json >verdict
	fi && complain "it passed: $2"
	grep -q "^not ok.*$1" verdict || complain "no case of '$1' failed: $2"
}

it "the check notices what is wrong, so that its silence says something"
notices "has the members" 's/"used"/"scored"/' others.json
notices "has the members" 's/"unit": ".*"/"unit": 1/' others.json
notices "is blind" 's/"blind"/"fitted"/' others.json
notices "holds its mean" 's/"simulated": [1-9]/&1/' others.json
notices "set no parameter" 's/"used": true/"used": false/' others.json
notices "ratio_error_pct cas-loop" 's/loop,30,/loop,1,/' "$published/tolerances.csv"
notices "signs_counted" 's/^\(atomics-i7-6700hq\),error_pct fetch-add,20/\1,signs_counted,99/' "$published/tolerances.csv"

finish_case
"$check" "$published/tolerances.csv" refcounts.json builds.json free-high.json others.json
