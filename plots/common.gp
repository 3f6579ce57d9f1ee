# SPDX-License-Identifier: GPL-3.0-or-later
# The frame of every figure: terminal, colours, title, x axis, boundaries.
# Takes the variables contend_* that `contend` writes before it (sim/io/plot_script.c);
# all that came from a user is in single-quoted strings, and noenhanced keeps '_' and '^' as they are.

reset
set encoding utf8
text = contend_format eq 'text'

# panels stand in rows, each as high as a small figure
panels = contend_nr_panels > 1
panel_columns = contend_panel_columns
panel_rows = (contend_nr_panels + panel_columns - 1) / panel_columns
width = panel_columns > 2 ? 1100 : 800
height = text ? contend_text_rows : panels ? 222 + 330 * panel_rows : 500

if (contend_format eq 'svg') {
	set terminal svg size width,height noenhanced background rgb 'white' font 'sans-serif,13' linewidth 1.2
}
if (contend_format eq 'png') {
	set terminal pngcairo size width,height noenhanced background rgb 'white' font 'sans,9.75' linewidth 1.2
}
if (contend_format eq 'pdf') {
	set terminal pdfcairo size width/96.0*1in,height/96.0*1in noenhanced background rgb 'white' font 'sans,9.75' fontscale 0.78 linewidth 1.2
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

# rows above the plot, from the top: lines of the title, subtitle, labels of boundaries
title_rows = contend_nr_title_lines - 1
title_y(line) = text ? 1 - (line - 0.5) / height : 1 - (20.0 * line) / height
subtitle_y = text ? 1 - (1.5 + title_rows) / height : 1 - (41.0 + 20 * title_rows) / height
label_y(top, row) = top + (text ? 1.0 + row : 10.0 + 16 * row) / height
nr_label_rows = contend_kind eq 'heatmap' ? 0 : contend_nr_boundary_rows
top = 1 - (text ? 3.5 + title_rows + nr_label_rows : 62.0 + 20 * title_rows + 16 * nr_label_rows) / height
set tmargin at screen top
if (text) {
	do for [i = 1:contend_nr_title_lines] { set label contend_title[i] at screen 0.02, title_y(i) left noenhanced }
	set label contend_subtitle at screen 0.02, subtitle_y left noenhanced
} else {
	do for [i = 1:contend_nr_title_lines] {
		set label contend_title[i] at graph 0, screen title_y(i) left noenhanced font title_font
	}
	set label contend_subtitle at graph 0, screen subtitle_y left noenhanced font small_font textcolor rgb '#606060'
}

set border 3 linecolor rgb '#606060'
set tics nomirror out scale 0.6 textcolor rgb '#303030'
if (text) { set tics in }
set xtics noenhanced
set xtics ()
do for [i = 1:contend_nr_ticks] { set xtics add (contend_tick_text[i] contend_tick_x[i]) }
if (contend_ticks_slanted) { set xtics rotate by 35 right }
set ytics noenhanced
set xlabel contend_x_title noenhanced
if (contend_x_log) { set logscale x 2 }
set xrange [contend_x_min:contend_x_max]
