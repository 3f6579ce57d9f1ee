# SPDX-License-Identifier: GPL-3.0-or-later
# The change against the baseline in percent, paired by replication, and a line at zero. Follows common.gp; lines.gp draws.

set yrange [* < 0:0 < *]
set arrow from graph 0, first 0 to graph 1, first 0 nohead back linecolor rgb '#303030' linewidth 1.2
