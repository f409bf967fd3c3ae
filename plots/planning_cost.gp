# What planning and running each heuristic costs, against the number of workers for 10^6 transfers (left)
# and against the number of transfers for 1000 workers (right).
#
#   gnuplot -d -e "data='cost.csv'; output='cost.svg'" style.gp planning_cost.gp
#
# Columns, those of experiments/benchmark: heuristic, style, workers, p, asked, cpu_s.
# Settings beside those of style.gp: workers ('different' or '20 kinds').
if (!exists("workers")) workers = 'different'
@read_heuristics

set logscale xy
set format x '10^{%L}'
set format y '10^{%L}'
set termoption enhanced
set datafile missing NaN
set grid xtics ytics lt 1 lw 0.5 lc rgb '#cccccc' dt solid back
is_of(i) = strcol('heuristic') eq heuristic[i] && strcol('workers') eq workers
against_p(i) = is_of(i) && column('asked') == 1e6 ? column('cpu_s') : NaN
against_transfers(i) = is_of(i) && column('p') == 1000 ? column('cpu_s') : NaN

set multiplot layout 1, 2
set yrange [1e-4:1e3]
set ylabel 'CPU time, s'
set xlabel 'workers, for about 10⁶ transfers'
unset key
plot for [i = 1:heuristics] data using 'p':(against_p(i)) smooth unique with linespoints \
  lw 1.5 lc rgb colours[style_of(i)] dt dashes[style_of(i)] pt points[style_of(i)] ps 0.6 notitle
set xlabel 'transfers asked for, over 1000 workers'
set key outside right center vertical Left reverse samplen 3 width 2
plot for [i = 1:heuristics] data using 'asked':(against_transfers(i)) smooth unique with linespoints \
  lw 1.5 lc rgb colours[style_of(i)] dt dashes[style_of(i)] pt points[style_of(i)] ps 0.6 \
  title heuristic[i]
unset multiplot
