# SPDX-License-Identifier: GPL-3.0-or-later
# Charts side by side over named values: bars where a chart has one series, lines where it has several, which all charts
# share with one key below them. Follows common.gp.

share = 0.98 / contend_nr_panels
left_of(p) = 0.01 + (p - 1) * share + 0.05
right_of(p) = 0.01 + p * share - 0.01
set tmargin at screen 0.80
set bmargin at screen 0.29
set pointsize point_size
set grid ytics back linetype 1 linecolor rgb '#e4e4e4' linewidth 0.6
set boxwidth 0.85
set style fill solid 0.75 noborder

set multiplot
do for [p = 1:contend_nr_panels] {
	set lmargin at screen left_of(p)
	set rmargin at screen right_of(p)
	if (p > 1) { unset label }
	set label contend_chart_title[p] at graph 0, screen 0.835 left noenhanced font small_font
	set xlabel contend_chart_x_title[p] noenhanced font small_font
	set xrange [-0.6:contend_chart_nr_x[p] - 0.4]
	set xtics () rotate by 90 right noenhanced font small_font
	do for [i = 1:contend_chart_nr_x[p]] {
		set xtics add (contend_x_name[contend_chart_first_x[p] + i] i - 1)
	}
	set ytics font small_font
	unset logscale y
	set format y '%g'
	set yrange [0:*]
	if (contend_chart_y_log[p]) {
		set logscale y
		set yrange [0.7:*]
		set format y '%.0s%c'
	}
	# the key once, for all: gnuplot's own keeps to the width of one chart
	if (p == contend_key_chart) {
		do for [i = 1:contend_chart_nr_series[p]] {
			set label contend_series_name[i] at screen 0.24 + 0.15 * (i - 1), screen 0.04 left noenhanced offset 1, 0 \
				point pointtype shape_of(i) linecolor rgb color_of(i)
		}
	}
	if (contend_chart_nr_series[p] == 1) {
		plot contend_data index contend_chart_first[p] using 1:2 with boxes linecolor rgb hue(1) notitle
	} else {
		plot for [i = 1:contend_chart_nr_series[p]] contend_data index contend_chart_first[p] + i - 1 using 1:2 \
			with linespoints linewidth 1.6 linecolor rgb color_of(i) pointtype shape_of(i) notitle
	}
}
unset multiplot
unset output
