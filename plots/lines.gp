# SPDX-License-Identifier: GPL-3.0-or-later
# What the figures with lines share: y axis, key, boundaries of the machine. Follows common.gp.

nr_bands = contend_bands && !text ? contend_nr_series : 0
scaled(value) = value / contend_divisor
# a text terminal tells series apart by letters and by what a line is made of, the others by colour, shape and dash
line_of(i) = text ? i : 1
published_shape_of(i) = text ? contend_nr_series + i : shape_of(contend_published_series[i]) - 1
published_size = 1.7 * point_size
key_text(name) = text ? ' ' . name : name

set pointsize point_size
set key outside below center horizontal Left reverse noenhanced samplen 2.5 width 1 height (text ? 0 : 1.2) maxrows 8
set grid ytics back linetype 1 linecolor rgb '#e4e4e4' linewidth 0.6
if (text) {
	unset grid
	set label contend_y_title at screen 0.02, screen 1 - 2.5 / height left noenhanced
} else {
	set ylabel contend_y_title noenhanced
}

if (contend_nr_x_names > 0) {
	set xtics ()
	do for [i = 1:contend_nr_x_names] { set xtics add (contend_x_name[i] i - 1) }
}

do for [i = 1:contend_nr_boundaries] {
	at = contend_boundary_x[i]
	if (contend_boundary_minor[i]) {
		set arrow from at, graph 0 to at, graph 1 nohead back linecolor rgb '#dddddd' linewidth 0.6
	} else {
		set arrow from at, graph 0 to at, graph 1 nohead back linecolor rgb '#909090' linewidth 0.8 dashtype (6, 4)
		set label contend_boundary_label[i] at graph contend_boundary_label_at[i], \
			screen label_y(contend_boundary_row[i]) center noenhanced font small_font textcolor rgb '#606060'
	}
}
