# SPDX-License-Identifier: GPL-3.0-or-later
# From the CSV of `contend compare` by test and threads: loops per second, holds of zone->lock per loop, share of the time
# that it is held, and share of the workers' time that they wait for it, of each variant.
BEGIN {
	line = "%-11s %7s"
	group = "  %9s %10s %6s %6s"
}
$1 == "machine" {
	print_machine()
	next
}
{
	machine = $1
	row = $2 "," $3
	if (!(row in seen)) {
		seen[row] = 1
		rows[++nr_rows] = row
	}
	if (!($4 in known)) {
		known[$4] = 1
		variants[++nr_variants] = $4
	}
	value[row, $4, $5] = $7
}
END { print_machine() }

function print_machine(    i, k, key, row, v)
{
	if (!nr_rows)
		return
	printf "%s\n" line, (nr_machines++ ? "\n" : "") machine, "", ""
	for (k = 1; k <= nr_variants; k++)
		printf group, variants[k], "zone locks", "held", "wait"
	printf "\n" line, "test", "workers"
	for (k = 1; k <= nr_variants; k++)
		printf group, "loops/s", "per loop", "%", "%"
	print ""
	for (i = 1; i <= nr_rows; i++) {
		row = rows[i]
		split(row, key, ",")
		printf line, key[1], key[2]
		for (k = 1; k <= nr_variants; k++) {
			v = variants[k]
			printf group, sprintf("%.0f", value[row, v, "throughput"]), \
				sprintf("%.2f", value[row, v, "zone_locks"] / value[row, v, "throughput"]), \
				sprintf("%.1f", value[row, v, "zone_lock_use_pct"]), sprintf("%.1f", value[row, v, "spin_pct"])
		}
		print ""
	}
	split("", seen)
	split("", known)
	split("", value)
	nr_rows = nr_variants = 0
}
