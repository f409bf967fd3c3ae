# Gantt chart: the master's port, then the link of each worker above its computation. What is not
# filled is idle. A box lower than its lane stands for slices too thin to be drawn apart: it is as
# high as the share of the time that they fill.

# Told apart by hue and by lightness: in one lane, dark, light and medium.
set linetype 1 lc rgb "#1f3b73"
set linetype 2 lc rgb "#74b9e6"
set linetype 3 lc rgb "#d55e00"
set linetype 4 lc rgb "#2a9d78"
colour(kind) = kind eq "c_sent" ? 1 : kind eq "ab_sent" ? 2 : kind eq "c_returned" ? 3 : \
               kind eq "update" ? 4 : NaN
idle = "#e8e8e8"

set title figure_title offset 0, 1.3
set xrange [from:to]
set yrange [height:0]
set border 1 lc rgb "#404040"
set xtics nomirror out scale 0.5 tic
set format x sprintf("%%.%df", decimals)
set xlabel axis_label
unset ytics
set lmargin 6
set rmargin 3
set tmargin 4.5
set bmargin 5.5
set key at screen 0.5, screen 0 center bottom horizontal width 1 samplen 1.5 spacing 1.1

# The dates that matter, labelled on two lines since they may be close.
side(date) = date < from + 0.1 * (to - from) ? "left" : \
             date > to - 0.1 * (to - from) ? "right" : "center"
mark(date, name, line) = date >= from && date <= to ? \
  sprintf("set arrow from %.15g, graph 1.0 rto 0, graph -1.0 nohead front lw 1.2 lc rgb 'black' dt %s;", \
          date, name eq "bound" ? "(6, 4)" : "1") . \
  sprintf("set label '%s %.5g' at %.15g, graph 1 %s offset 0, %g front", \
          name, date, date, side(date), line) : ""
if (bound == bound) { eval mark(bound, "bound", 0.6) }
eval mark(makespan, "makespan", 1.6)

is(kind) = strcol(1) eq kind
# Slices that are wide enough have an edge of their own.
wide(start, end) = end - start > 0.005 * (to - from)
plot \
  data using (is("lane") ? ($3 + $4) / 2 : NaN):(($5 + $6) / 2):3:4:5:6 \
    with boxxyerror fs solid noborder lc rgb idle notitle, \
  data using (colour(strcol(1)) > 0 ? ($3 + $4) / 2 : NaN):(($5 + $6) / 2):3:4:5:6:(colour(strcol(1))) \
    with boxxyerror fs solid noborder lc variable notitle, \
  data using (colour(strcol(1)) > 0 && wide($3, $4) ? $3 : NaN):5:(0):($6 - $5) \
    with vectors nohead lc rgb "white" lw 0.6 notitle, \
  data using (is("port_waits") && !wide($3, $4) ? ($3 + $4) / 2 : NaN):(($5 + $6) / 2):3:4:5:6 \
    with boxxyerror fs solid noborder lc rgb "#c0c0c0" notitle, \
  data using (is("port_waits") && wide($3, $4) ? ($3 + $4) / 2 : NaN):(($5 + $6) / 2):3:4:5:6 \
    with boxxyerror fs pattern 4 noborder lc rgb "#404040" notitle, \
  data using (is("worker") ? from : NaN):(($5 + $6) / 2):2 with labels right offset -0.6, 0 notitle, \
  keyentry with boxes fs solid noborder lt 1 title "C sent", \
  keyentry with boxes fs solid noborder lt 2 title "A, B sent", \
  keyentry with boxes fs solid noborder lt 3 title "C returned", \
  keyentry with boxes fs solid noborder lt 4 title "computation", \
  keyentry with boxes fs pattern 4 noborder lc rgb "#404040" title "port waits", \
  keyentry with boxes fs solid noborder lc rgb idle title "idle"
