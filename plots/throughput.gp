# SPDX-License-Identifier: GPL-3.0-or-later
# The values of a metric, from 0 or on a logarithmic scale. Follows common.gp; lines.gp draws.

if (contend_y_log) {
	set logscale y 10
	set format y '%.0s%c'
} else {
	set yrange [0:*]
}
