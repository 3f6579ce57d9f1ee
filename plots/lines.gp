# SPDX-License-Identifier: GPL-3.0-or-later
# Draws a figure with lines: one per series with its 95 % band, published points on top. Names along x have points with bars
# instead, as there is nothing between them. Several panels share one key. Follows common.gp and throughput.gp or change.gp.

scaled(value) = value / contend_divisor
bound(value, mean) = scaled(contend_y_log && value <= 0 ? mean : value)
# a text terminal tells series apart by letters and by what a line is made of, the others by colour, shape and dash
line_of(i) = text ? i : 1
published_shape_of(i) = text ? contend_nr_series + i : shape_of(contend_published_series[i]) - 1
published_size = 1.7 * point_size
key_text(name) = text ? ' ' . name : name

nr_in_panel = contend_nr_series / contend_nr_panels
has_key = strlen(contend_series_name[1]) > 0
# series beside each other at one name
beside(i) = contend_x_named ? ((i - 1) % nr_in_panel - 0.5 * (nr_in_panel - 1)) * 0.6 / nr_in_panel : 0

set pointsize point_size
set bars 0
set key outside below center horizontal Left reverse noenhanced samplen 2.5 width 1 height (text ? 0 : 1.2) maxrows 8
if (!has_key) { unset key }
set grid ytics back linetype 1 linecolor rgb '#e4e4e4' linewidth 0.6
if (text) {
	unset grid
	set label contend_y_title at screen 0.02, screen subtitle_y - 1.0 / height left noenhanced
} else {
	set ylabel contend_y_title noenhanced
}

do for [i = 1:contend_nr_boundaries] {
	at = contend_boundary_x[i]
	if (contend_boundary_minor[i]) {
		set arrow from at, graph 0 to at, graph 1 nohead back linecolor rgb '#dddddd' linewidth 0.6
	} else {
		set arrow from at, graph 0 to at, graph 1 nohead back linecolor rgb '#909090' linewidth 0.8 dashtype (6, 4)
	}
}

# where panel number p stands, in pixels; the key has the room below
panel_width = 1.0 * width / panel_columns
left_of(p) = (p - 1) % panel_columns * panel_width + 86
right_of(p) = left_of(p) + panel_width - 98
tick_room = 42 + (contend_ticks_slanted ? 4 * contend_tick_columns : 0)
first_top = 92.0 + 20 * title_rows + 16 * nr_label_rows
row_height = (height - 96.0 - 62 - 20 * title_rows) / panel_rows
top_of(p) = first_top + (p - 1) / panel_columns * row_height
bottom_of(p) = top_of(p) + row_height - 30 - 16 * nr_label_rows - tick_room

if (panels) { set multiplot }
do for [p = 1:contend_nr_panels] {
	if (panels) {
		set lmargin at screen left_of(p) / width
		set rmargin at screen right_of(p) / width
		top = 1 - top_of(p) / height
		set tmargin at screen top
		set bmargin at screen 1 - bottom_of(p) / height
		if (p > 1) { unset label }
		set label contend_panel_name[p] at graph 0, screen label_y(top, nr_label_rows) left noenhanced
		if ((p - 1) % panel_columns) { unset ylabel } else { set ylabel contend_y_title noenhanced }
		if (p > 1) {
			unset key
		} else {
			set key at screen 0.5, screen 8.0 / height center bottom horizontal maxrows auto
		}
	}
	do for [i = 1:contend_nr_boundaries] {
		if (!contend_boundary_minor[i]) {
			set label contend_boundary_label[i] at graph contend_boundary_label_at[i], \
				screen label_y(top, contend_boundary_row[i]) center noenhanced font small_font textcolor rgb '#606060'
		}
	}
	first = (p - 1) * nr_in_panel + 1
	last = p * nr_in_panel
	nr_bands = contend_bands && !text && !contend_x_named ? last : 0
	nr_bars = contend_bands && !text && contend_x_named ? last : 0
	last_line = contend_x_named ? 0 : last
	last_point = contend_x_named ? last : 0
	plot \
		for [i = first:nr_bands] contend_data index i - 1 using 1:(bound($3, $2)):(bound($4, $2)) \
			with filledcurves fillstyle transparent solid 0.2 noborder linecolor rgb color_of(i) notitle, \
		for [i = first:nr_bars] contend_data index i - 1 using ($1 + beside(i)):(bound($3, $2)):(0):(bound($4, $2) - bound($3, $2)) \
			with vectors nohead linewidth 1.4 linecolor rgb color_of(i) notitle, \
		for [i = first:last_line] contend_data index i - 1 using 1:(scaled($2)) \
			with linespoints linetype line_of(i) linewidth 1.6 linecolor rgb color_of(i) dashtype contend_series_dash[i] \
			pointtype shape_of(i) title key_text(contend_series_name[i]), \
		for [i = first:last_point] contend_data index i - 1 using ($1 + beside(i)):(scaled($2)) \
			with points linecolor rgb color_of(i) pointtype shape_of(i) title key_text(contend_series_name[i]), \
		for [i = 1:contend_nr_published] contend_data index contend_nr_series + i - 1 using 1:(scaled($2)) \
			with points pointtype published_shape_of(i) pointsize published_size \
			linecolor rgb color_of(contend_published_series[i]) title key_text(contend_published_name[i])
}
if (panels) { unset multiplot }
unset output
