# SPDX-License-Identifier: GPL-3.0-or-later
# The change of one variant against the baseline over two swept values: blue is a loss, orange a gain, white none, grey
# a run that failed. Cells stand side by side whatever the distance of their values. Follows common.gp.

nr_x = contend_nr_x
nr_y = contend_nr_series
stats contend_data using 3 nooutput
largest = STATS_max > -STATS_min ? STATS_max : -STATS_min
largest = largest > 1 ? largest : 1

set border 0
set tics scale 0
set yrange [-0.5:nr_y - 0.5]
set ylabel contend_y_title noenhanced
set rmargin at screen 0.86
set ytics ()
every_y = 1 + (nr_y - 1) / (text ? contend_text_rows - 9 : 20)
do for [i = 1:nr_y:every_y] { set ytics add (contend_series_name[i] i - 1) }
set cbrange [-largest:largest]
set cbtics noenhanced
set cblabel contend_z_title noenhanced offset 1.2,0
set palette defined (-1 '#0072B2', 0 '#ffffff', 1 '#E66100')
unset key

if (text) {
	unset colorbox
	unset cblabel
	set rmargin
	set label contend_z_title at screen 0.02, screen 1 - 2.5 / height left noenhanced
	number_format = '%+.0f'
} else {
	number_format = '%+.1f'
}

# a run without a value has no replications in column 6
done_y(y, nr_done) = nr_done > 0 ? y : NaN
failed_y(y, nr_done) = nr_done > 0 ? NaN : y
numbered = nr_x * nr_y <= 200
number_of(mean, low, high) = sprintf(low <= 0 && high >= 0 && low < high ? '(' . number_format . ')' : number_format, mean)
number_color(mean) = mean < -0.7 * largest ? 0xffffff : 0x202020

plot \
	for [i = 1:(text ? 0 : 1)] contend_data using 1:(done_y($2, $6)):(0.48):(0.47):3 \
		with boxxyerror fillcolor palette fillstyle solid noborder, \
	for [i = 1:(text ? 0 : 1)] contend_data using 1:(failed_y($2, $6)):(0.48):(0.47) \
		with boxxyerror fillcolor rgb '#bdbdbd' fillstyle solid noborder, \
	for [i = 1:(numbered ? 1 : 0)] contend_data using 1:(done_y($2, $6)):(number_of($3, $4, $5)):(number_color($3)) \
		with labels noenhanced font small_font textcolor rgb variable, \
	for [i = 1:(numbered ? 1 : 0)] contend_data using 1:(failed_y($2, $6)):('failed') \
		with labels noenhanced font small_font textcolor rgb '#202020'
unset output
