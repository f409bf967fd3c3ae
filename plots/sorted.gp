# The values of all instances in increasing order, for each heuristic separately: bars, or lines if there
# would be too many bars.
#
#   starport plot results.csv --figure sorted -o sorted.csv
#   gnuplot -e "data='sorted.csv'; output='sorted.svg'; ylabel='relative cost'" style.gp sorted.gp
#
# Columns: rank (from 1), heuristic, style, value.
# Settings beside those of style.gp: xlabel, ylabel, logarithmic ('y').
@read_heuristics
stats data using 'rank':'value' nooutput
ranks = STATS_max_x
lowest = STATS_min_y
highest = STATS_max_y

set xlabel xlabel
set ylabel ylabel
set autoscale xfix
set offsets graph 0.03, graph 0.03, graph 0.03, 0
# A tic for each rank, or for every n-th (1, 2 or 5 times a power of ten) if their labels need more room.
beside_cm = 1.6 + letter_cm * longest_name < 0.4 * width_cm ? 1.6 + letter_cm * longest_name : 0
label_cm = 0.35 + 0.16 * strlen(sprintf('%d', ranks))
rank_step = tic_step(ranks, width_cm - 1.6 - beside_cm, label_cm)
set xtics rank_step < 1 ? 1 : rank_step
if (logarithmic eq 'y') { @log_y }
@legend_beside
bars = ranks * heuristics <= 120
if (bars && logarithmic ne 'y') { set yrange [0:*] }
if (logarithmic ne 'y') { least = bars ? 0 : lowest; greatest = highest; @low_ytics }
bar_width = 0.8 / heuristics
place(i) = column('rank') + (i - 0.5 * (heuristics + 1)) * bar_width
set style fill solid 1.0 border rgb 'black'
if (bars) {
  plot for [i = 1:heuristics] data @rows_of_i using (place(i)):'value':(bar_width) with boxes \
    lw 0.25 fc rgb colours[style_of(i)] title heuristic[i]
} else {
  plot for [i = 1:heuristics] data @rows_of_i using 'rank':'value' with linespoints \
    lw 1.5 lc rgb colours[style_of(i)] dt dashes[style_of(i)] pt points[style_of(i)] ps 0.5 \
    pointinterval (ranks > 60 ? int(ranks / 20) : 1) title heuristic[i]
}
