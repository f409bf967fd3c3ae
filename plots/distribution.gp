# The distribution of a value over the instances: median, quartiles, whiskers of at most 1.5 times the
# distance between the quartiles, and the instances beyond.
#
#   starport plot results.csv --figure distribution -o distribution.csv
#   gnuplot -e "data='distribution.csv'; output='distribution.svg'" style.gp distribution.gp
#
# Columns: heuristic, style, value.
# Settings beside those of style.gp: ylabel, logarithmic ('y').
if (!exists("ylabel")) ylabel = ''
if (!exists("logarithmic")) logarithmic = ''
@read_heuristics

set ylabel ylabel
set xrange [0.5:words(names) + 0.5]
set xtics () scale 0
do for [i = 1:words(names)] { set xtics add (heuristic(i) i) }
if (logarithmic eq 'y') set logscale y
unset key
set style boxplot outliers pointtype 6
set style data boxplot
set boxwidth 0.5
set pointsize 0.4
value_of(i) = strcol('heuristic') eq heuristic(i) ? column('value') : NaN
plot for [i = 1:words(names)] data using (i):(value_of(i)) \
  fill pattern fills[style_of(i)] border lc rgb '#202020' lw 1 lc rgb colours[style_of(i)]
