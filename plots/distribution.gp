# The distribution of a value over the instances as box plots: median, quartiles, whiskers of at most 1.5
# times the interquartile range, and outliers.
#
#   starport plot results.csv --figure distribution -o distribution.csv
#   gnuplot -e "data='distribution.csv'; output='distribution.svg'" style.gp distribution.gp
#
# Columns: heuristic, style, value.
# Settings beside those of style.gp: ylabel, logarithmic ('y').
@read_heuristics

set ylabel ylabel
set xrange [0.5:heuristics + 0.5]
set xtics () scale 0
if (longest_name * letter_cm > (width_cm - 1.6) / heuristics) {
  set xtics rotate by 90 right
  set bmargin at screen (letter_cm * longest_name + 0.3) / height_cm
}
set offsets 0, 0, graph 0.04, graph 0.04
set autoscale yfix
stats data using 'value' nooutput
lowest = STATS_min
highest = STATS_max
if (logarithmic eq 'y') { @log_y } else { least = lowest; greatest = highest; @low_ytics }
unset key
set style boxplot outliers pointtype 6
set boxwidth 0.5
set pointsize 0.4
plot for [i = 1:heuristics] data every ::first_row(i)::first_row(i) using (i):(NaN):xticlabels(heuristic[i]) with points, \
  for [i = 1:heuristics] data @rows_of_i using (i):'value' with boxplot \
    lc rgb colours[style_of(i)] lw 1 fill solid 0.65 border lc rgb '#202020'
