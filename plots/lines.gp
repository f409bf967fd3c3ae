# A value against an axis, one line per heuristic, with a bound as reference. A point is the mean of
# repetitions; a bar goes from the least to the greatest.
#
#   starport plot results.csv --figure lines --x s -o lines.csv
#   gnuplot -e "data='lines.csv'; output='lines.svg'; xlabel='s'" style.gp lines.gp
#
# Columns: x, bound (may be empty), heuristic, style, value, least, greatest.
# Settings beside those of style.gp: xlabel, ylabel, logarithmic ('x', 'y' or 'xy'), band (1: draw the
# range from least to greatest as an area, not as bars), binned (1: x are means of bins), bound_name.
if (!exists("band")) band = 0
if (!exists("binned")) binned = 0
if (!exists("bound_name")) bound_name = 'bound'
@read_heuristics
has_bound = 0
stats data using (has_bound = has_bound || strcol('bound') ne '', \
  column('greatest') > column('least') ? 1 : 0) nooutput
has_ranges = STATS_max > 0

set xlabel xlabel
set ylabel ylabel
set offsets graph 0.04, graph 0.04, 0, 0
set autoscale xfix
least = has_bound ? 'bound' : 'least'
stats data using (column(least)) nooutput
lowest = STATS_min
stats data using 'x':'greatest' nooutput
highest = STATS_max_y
x_least = STATS_min_x
x_greatest = STATS_max_x
if (strstrt(logarithmic, 'y')) { @log_y } else { set yrange [0:*] }
if (strstrt(logarithmic, 'x')) set logscale x

# Up to eight values of x have a tic each, unless they are too close.
x_count = 0
array x_values[8]
first(x) = x_count == 0 || x > x_values[x_count] ? 1 : 0
note_x(x) = x_count < 8 && first(x) ? (x_count = x_count + 1, x_values[x_count] = x) : 0
i = 1
stats data @rows_of_i using (note_x(column('x'))) nooutput
position_of(x) = strstrt(logarithmic, 'x') ? log(x) : x
crowded = x_count < 2 || x_values[x_count] < x_greatest
do for [k = 2:x_count] {
  gap = position_of(x_values[k]) - position_of(x_values[k - 1])
  crowded = crowded || gap < 0.08 * (position_of(x_greatest) - position_of(x_least))
}
# Large values have a common SI prefix: 132M.
power = x_greatest >= 1e5 ? int(log10(x_greatest) / 3) : 0
unit = word("'' k M G T P", 1 + (power > 5 ? 0 : power))
unit = power == 0 || power > 5 ? '' : unit
scale = unit eq '' ? 1 : 10.0 ** (3 * power)
if (!crowded && !binned) {
  set xtics ()
  do for [k = 1:x_count] { set xtics add (sprintf('%.6g%s', x_values[k] / scale, unit) x_values[k]) }
  unset mxtics
} else {
  if (unit ne '') { set format x '%.0s%c' }
}
further_entries = has_bound
@legend_beside
if (!strstrt(logarithmic, 'y')) { least = 0; greatest = highest; @low_ytics }
has_bars = has_ranges && !band
plot for [i = 1:heuristics * band] data @rows_of_i using 'x':'least':'greatest' \
    with filledcurves fs transparent solid 0.2 noborder lc rgb colours[style_of(i)] notitle, \
  for [i = 1:heuristics * has_bars] data @rows_of_i using 'x':'value':'least':'greatest' \
    with yerrorbars pt -1 lw 0.75 lc rgb colours[style_of(i)] notitle, \
  for [i = 1:heuristics] data @rows_of_i using 'x':'value' with linespoints \
    lw 1.5 lc rgb colours[style_of(i)] dt dashes[style_of(i)] pt points[style_of(i)] ps 0.6 \
    title heuristic[i], \
  for [i = 1:has_bound] data using 'x':'bound' smooth unique with lines \
    lw 1.5 dt 2 lc rgb 'black' title bound_name
