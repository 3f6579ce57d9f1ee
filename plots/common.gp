# SPDX-License-Identifier: GPL-3.0-or-later
# The frame of every figure: terminal, colours, title, x axis, boundaries.
# Takes the variables contend_* that `contend` writes before it (sim/io/plot_script.c);
# all that came from a user is in single-quoted strings, and noenhanced keeps '_' and '^' as they are.

reset
set encoding utf8
text = contend_format eq 'text'
height = text ? contend_text_rows : 500

if (contend_format eq 'svg') {
	set terminal svg size 800,500 noenhanced background rgb 'white' font 'sans-serif,13' linewidth 1.2
}
if (contend_format eq 'png') {
	set terminal pngcairo size 800,500 noenhanced background rgb 'white' font 'sans,9.75' linewidth 1.2
}
if (contend_format eq 'pdf') {
	set terminal pdfcairo size 8.333in,5.208in noenhanced background rgb 'white' font 'sans,9.75' fontscale 0.78 linewidth 1.2
}
if (text && contend_text_color) { set terminal dumb noenhanced size contend_text_columns,contend_text_rows ansi }
if (text && !contend_text_color) { set terminal dumb noenhanced size contend_text_columns,contend_text_rows mono }
title_font = contend_format eq 'svg' ? ',16' : ',12'
small_font = contend_format eq 'svg' ? ',12' : ',9'
point_size = contend_format eq 'svg' ? 0.65 : 1.0
set output contend_output

# Okabe and Ito: told apart with any kind of colour vision
palette_names = '#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000'
hue(color) = word(palette_names, color)
# filled shapes; each has its hollow twin at the number before
shape(point) = int(word('7 5 9 13 11 15', point))
color_of(i) = hue(contend_series_color[i])
shape_of(i) = text ? i : shape(contend_series_point[i])

# rows above the plot, from the top: title, subtitle, labels of boundaries
title_y = text ? 1 - 0.5 / height : 1 - 20.0 / height
subtitle_y = text ? 1 - 1.5 / height : 1 - 41.0 / height
label_y(row) = top + (text ? 1.0 + row : 10.0 + 16 * row) / height
nr_label_rows = contend_kind eq 'heatmap' ? 0 : contend_nr_boundary_rows
top = 1 - (text ? 3.5 + nr_label_rows : 62.0 + 16 * nr_label_rows) / height
set tmargin at screen top
if (text) {
	set label contend_title at screen 0.02, title_y left noenhanced
	set label contend_subtitle at screen 0.02, subtitle_y left noenhanced
} else {
	set label contend_title at graph 0, screen title_y left noenhanced font title_font
	set label contend_subtitle at graph 0, screen subtitle_y left noenhanced font small_font textcolor rgb '#606060'
}

set border 3 linecolor rgb '#606060'
set tics nomirror out scale 0.6 textcolor rgb '#303030'
if (text) { set tics in }
set xtics noenhanced
set ytics noenhanced
set xlabel contend_x_title noenhanced
if (contend_x_log) { set logscale x 2 }
set xrange [contend_x_min:contend_x_max]
