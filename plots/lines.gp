# A value against an axis, one line per heuristic, with the steady-state bound as reference. A point is
# the mean of repetitions; a bar goes from the least to the greatest.
#
#   starport plot results.csv --figure lines --x s -o lines.csv
#   gnuplot -e "data='lines.csv'; output='lines.svg'; xlabel='s'" style.gp lines.gp
#
# Columns: x, heuristic, style, value, least, greatest, bound (may be empty).
# Settings beside those of style.gp: xlabel, ylabel, logarithmic ('x', 'y' or 'xy').
if (!exists("xlabel")) xlabel = ''
if (!exists("ylabel")) ylabel = ''
if (!exists("logarithmic")) logarithmic = ''
@read_heuristics
has_bound = 0
stats data using (strcol('bound') ne '' ? (has_bound = 1) : 0) nooutput
stats data using (column('greatest') > column('least') ? 1 : 0) nooutput
has_ranges = STATS_max > 0

set xlabel xlabel
set ylabel ylabel
set offsets graph 0.03, graph 0.03, 0, 0
if (strstrt(logarithmic, 'x')) set logscale x
if (strstrt(logarithmic, 'y')) { set logscale y } else { set yrange [0:*] }
set key outside right center vertical Left reverse maxrows 30
value_of(i) = strcol('heuristic') eq heuristic(i) ? column('value') : NaN
set datafile missing NaN
plot for [i = 1:words(names) * has_ranges] data using 'x':(value_of(i)):'least':'greatest' \
    with yerrorbars pt -1 lw 0.75 lc rgb colours[style_of(i)] notitle, \
  for [i = 1:words(names)] data using 'x':(value_of(i)) with linespoints \
    lw 1.5 lc rgb colours[style_of(i)] dt dashes[style_of(i)] pt points[style_of(i)] ps 0.6 \
    title heuristic(i), \
  for [i = 1:has_bound] data using 'x':'bound' smooth unique with lines \
    lw 1.5 dt 2 lc rgb 'black' title 'bound'
