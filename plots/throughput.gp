# SPDX-License-Identifier: GPL-3.0-or-later
# The values of a metric against the swept value: one line per series with its 95 % band, published points on top.
# Follows common.gp and lines.gp.

set yrange [0:*]

plot \
	for [i = 1:nr_bands] contend_data index i - 1 using 1:(scaled($3)):(scaled($4)) \
		with filledcurves fillstyle transparent solid 0.2 noborder linecolor rgb color_of(i) notitle, \
	for [i = 1:contend_nr_series] contend_data index i - 1 using 1:(scaled($2)) \
		with linespoints linetype line_of(i) linewidth 1.6 linecolor rgb color_of(i) dashtype contend_series_dash[i] \
		pointtype shape_of(i) title key_text(contend_series_name[i]), \
	for [i = 1:contend_nr_published] contend_data index contend_nr_series + i - 1 using 1:(scaled($2)) \
		with points pointtype published_shape_of(i) pointsize published_size \
		linecolor rgb color_of(contend_published_series[i]) title key_text(contend_published_name[i])
unset output
