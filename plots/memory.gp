# What each worker holds, against its memory: one strip per worker, whose top is m_i. Where that
# changes too fast to be drawn, the darker part is held all the time and the lighter one at times.

set title figure_title
set xrange [from:to]
set yrange [height:0]
set border 1 lc rgb "#404040"
set xtics nomirror out scale 0.5 tic
set format x sprintf("%%.%df", decimals)
set xlabel axis_label
unset ytics
set lmargin 6
set rmargin 16
set tmargin 3
set bmargin 5.5
set key at screen 0.5, screen 0 center bottom horizontal maxrows 1 width -3 samplen 1.5

is(kind) = strcol(1) eq kind
line = height_pt / height < 12 ? 0.5 : 1
plot \
  data index 1 using ((from + to) / 2):4:(from):(to):5:6 \
    with boxxyerror fs solid noborder lc rgb "#ececec" notitle, \
  data index 0 using (is("held") ? $3 : NaN):4:6 with filledcurves fs solid noborder lc rgb "#a6cee3" \
    notitle, \
  data index 0 using (is("held") ? $3 : NaN):4:5 with filledcurves fs solid noborder lc rgb "#2a6fa8" \
    notitle, \
  data index 1 using (from):6:(to - from):(0) with vectors nohead lw line lc rgb "#d55e00" notitle, \
  data index 1 using (from):4:2 with labels right offset -0.6, 0 notitle, \
  data index 1 using (to):4:3 with labels left offset 0.6, 0 notitle, \
  keyentry with boxes fs solid noborder lc rgb "#2a6fa8" title "held", \
  keyentry with boxes fs solid noborder lc rgb "#a6cee3" title "held at times", \
  keyentry with lines lw 1 lc rgb "#d55e00" title "memory m_i"
