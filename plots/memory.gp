# What each worker holds, against its memory: a strip per worker, as high as m_i.
#
#   starport plot trace.csv --figure memory -o memory.pdf
#
# Columns: kind, text, x, y, least, most. Rows of kind held are the outline of what a worker holds,
# from the bottom y of its strip; a blank line ends it. Where that changes too fast to be drawn, least
# and most differ. Rows of kind worker are strips: y, least and most are the middle, the bottom and
# the top, text and x what stands on the left and on the right.
# Settings beside those of style.gp: from, to (of the axis), tic, decimals, xlabel, height (of the
# strips, downwards from 0).
array shades[3] = ['#2a6fa8', '#9dc3e0', '#ececec']

set xrange [from:to]
set yrange [height:0]
set border 1
set format x sprintf('%%.%df', decimals)
set xtics tic
unset ytics
unset grid
set lmargin at screen 1.2 / width_cm
set rmargin at screen 1 - 3.0 / width_cm
set tmargin at screen 1 - 1.1 / height_cm
set bmargin at screen 1.7 / height_cm
set label xlabel at graph 0.5, screen 0.85 / height_cm center
set label 'most held, of m_i' at graph 1, graph 1 left offset 0.6, 0.6
set key at screen 0.5, screen 0.35 / height_cm center center horizontal maxrows 1 width 0
if (title ne '') set title title offset 0, 0.8

held(what) = strcol('kind') eq 'held' ? column(what) : NaN
strip(value) = strcol('kind') eq 'worker' ? value : NaN
line = (height_cm - 2.8) / height < 0.4 ? 0.5 : 1
plot data using (strip((from + to) / 2)):'y':(from):(to):'least':'most' \
    with boxxyerror fill solid noborder lc rgb shades[3] notitle, \
  data using (held('x')):'y':'most' with filledcurves fill solid noborder lc rgb shades[2] notitle, \
  data using (held('x')):'y':'least' with filledcurves fill solid noborder lc rgb shades[1] notitle, \
  data using (strip(from)):'most':(to - from):(0) \
    with vectors nohead lw line lc rgb '#d55e00' notitle, \
  data using (strip(from)):'y':(strcol('text')) with labels right offset -0.6, 0 notitle, \
  data using (strip(to)):'y':(strcol('x')) with labels left offset 0.6, 0 notitle, \
  keyentry with boxes fill solid noborder lc rgb shades[1] title 'held', \
  keyentry with boxes fill solid noborder lc rgb shades[2] title 'held part of the time', \
  keyentry with lines lw 1 lc rgb '#d55e00' title 'memory m_i'
