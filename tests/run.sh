#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Run the suites named as arguments and count their cases: test programs (those of tests/fuzz over the corpus and every
# configuration there is) and scripts. All of them print TAP ("ok 1 - a sentence"). The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1

limit_s=${TEST_LIMIT_S:-900} # a suite that hangs is a failure, not a hang
passed=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 130' INT TERM

# tally WHAT: ok, bad, skipped or planned cases of the log. cmocka writes a skipped case as "not ok 3 # SKIP name".
tally() {
	awk -v what="$1" '
		/^1\.\.[0-9]+$/ { nr["planned"] += substr($0, 4) }
		/^(not )?ok .*# SKIP/ { nr["skipped"]++; next }
		/^ok / { nr["ok"]++ }
		/^not ok / { nr["bad"]++ }
		END { print nr[what] + 0 }' "$log"
}

# run_suite NAME COMMAND...
run_suite() {
	name=$1
	shift
	CMOCKA_MESSAGE_OUTPUT=TAP timeout "$limit_s" "$@" >"$log" 2>&1
	status=$?
	good=$(tally ok)
	bad=$(tally bad)
	skipped=$(tally skipped)
	planned=$(tally planned)
	if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ $((good + skipped)) -ne "$planned" ]; }; then
		bad=1 # it died, or stopped before its last case
		echo "exit status $status, $((good + skipped)) of $planned cases came" >>"$log"
	fi
	printf '%-32s %4d passed, %d failed' "$name" "$good" "$bad"
	[ "$skipped" -eq 0 ] || printf ', %d skipped' "$skipped"
	echo
	sed -n 's/^\(not \)*ok.*# SKIP/    skipped:/p' "$log"
	[ "$bad" -eq 0 ] || sed '/^ok/d; s/^/    /' "$log"
	passed=$((passed + good))
	failed=$((failed + bad))
}

for suite in "$@"; do
	name=${suite#*tests/}
	case $name in
	*.sh) run_suite "${name%.sh}" sh "$suite" ;;
	fuzz/*) run_suite "$name" "$suite" tests/fuzz/corpus/* tests/data/config configs/experiments configs/machines ;;
	*) run_suite "$name" "$suite" ;;
	esac
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
