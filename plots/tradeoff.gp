# One value of each heuristic against another: a dot at the means and a rectangle over the ranges, as
# ICPP'18 (section 5.2) draws communication and time. A panel for each problem.
#
#   starport plot results.csv --figure tradeoff -o tradeoff.csv
#   gnuplot -e "data='tradeoff.csv'; output='tradeoff.svg'; xlabel='x'; ylabel='y'" style.gp tradeoff.gp
#
# Columns: panel, name (of the panel), heuristic, style, x, x_least, x_greatest, y, y_least, y_greatest.
# Settings beside those of style.gp: xlabel, ylabel.
if (!exists("xlabel")) xlabel = ''
if (!exists("ylabel")) ylabel = ''
@read_heuristics
stats data using 'panel' nooutput
panels = int(STATS_max)
array panel_name[panels]
note_panel(p, name) = (panel_name[p] = name, 1)
stats data using (note_panel(int(column('panel')), strcol('name'))) nooutput

across = panels > 1 ? 2 : 1
down = (panels + across - 1) / across
columns = 2 * (1.2 + letter_cm * longest_name) < width_cm ? 2 : 1
legend_cm = 0.4 * ((heuristics + columns - 1) / columns)
legend = legend_cm / height_cm
top = title ne '' ? (title_cm + 0.2) / height_cm : 0
height = (1 - legend - top) / down
set datafile missing NaN
set style fill transparent solid 0.25 border
set offsets graph 0.08, graph 0.08, graph 0.08, graph 0.08
set xtics autofreq
set grid xtics ytics lt 1 lw 0.5 lc rgb '#cccccc' dt solid back
colour(i) = colours[style_of(i)]
of(i, p, name) = column('panel') == p && strcol('heuristic') eq heuristic[i] ? column(name) : NaN
unset key
unset tmargin
set multiplot
do for [p = 1:panels] {
  set origin ((p - 1) % across) / (1.0 * across), legend + (down - 1 - (p - 1) / across) * height
  set size 1.0 / across, height
  set xlabel (p > panels - across ? xlabel : '')
  set ylabel (p % across == 1 || across == 1 ? ylabel : '')
  of_panel(name) = column('panel') == p ? column(name) : NaN
  stats data using (of_panel('x_least')):(of_panel('y_least')) nooutput
  x_least = STATS_min_x
  y_least = STATS_min_y
  stats data using (of_panel('x_greatest')):(of_panel('y_greatest')) nooutput
  set xtics tic_step(1.16 * (STATS_max_x - x_least), width_cm / across - 2.2, 1.3)
  set ytics tic_step(1.16 * (STATS_max_y - y_least), height * height_cm - 1.6, 0.5)
  if (panel_name[p] ne '') { set title panel_name[p] font ',8' offset 0, -0.7 }
  plot for [i = 1:heuristics] data using \
      (of(i, p, 'x')):'y':'x_least':'x_greatest':'y_least':'y_greatest' \
      with boxxyerror lw 0.75 lc rgb colour(i) notitle, \
    for [i = 1:heuristics] data using (of(i, p, 'x')):'y' with points \
      lc rgb colour(i) pt points[style_of(i)] ps 0.6 notitle
  unset label 100
}
set origin 0, 0
set size 1, legend
set margins 0, 0, 0, 0
unset title
unset border
unset tics
unset xlabel
unset ylabel
set offsets 0, 0, 0, 0
set key at screen 0.5, legend * 0.97 center top horizontal Left reverse samplen 1 maxcols columns font ',8'
set yrange [0:1]
set xrange [0:1]
plot for [i = 1:heuristics] NaN with points lc rgb colour(i) pt points[style_of(i)] ps 0.6 \
  title heuristic[i]
unset multiplot
