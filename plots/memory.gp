# Memory use over time: a strip for each worker, whose height is the size of its memory.
#
#   starport plot trace.csv --figure memory -o memory.pdf
#
# Columns: kind, text, figure, x, y, bottom, top. Rows of kind held are the corners of polygons, separated
# by blank lines. Rows of kind held_at_times are polygons behind them, for memory that is in use part of
# the time and changes too fast to be drawn. A row of kind name is a strip, with text on its left and
# figure on its right.
# Settings beside those of style.gp: from, to (of the axis), tic, decimals, xlabel, height (of the
# strips, downwards from 0), legend_rows, names_cm (room for the names).
array shades[3] = ['#2a6fa8', '#9dc3e0', '#ececec']

@over_time
set lmargin at screen names_cm / width_cm
set rmargin at screen 1 - 3.0 / width_cm
set tmargin at screen 1 - (0.7 + title_cm) / height_cm
set label 'maximum' at graph 1, graph 1 left offset 0.6, 1
set key at screen 0.5, screen (0.175 * legend_rows + 0.175) / height_cm center center horizontal \
  maxrows legend_rows width 0

corner(kind) = strcol('kind') eq kind ? column('x') : NaN
strip(x) = strcol('kind') eq 'name' ? x : NaN
line = (height_cm - 2.75 - 0.35 * legend_rows) / height < 0.4 ? 0.5 : 1
plot data using (strip((from + to) / 2)):'y':(from):(to):'bottom':'top' \
    with boxxyerror fill solid noborder lc rgb shades[3] notitle, \
  data using (corner('held_at_times')):'y' \
    with filledcurves closed fill solid noborder lc rgb shades[2] notitle, \
  data using (corner('held')):'y' \
    with filledcurves closed fill solid noborder lc rgb shades[1] notitle, \
  data using (strip(from)):'top':(to - from):(0) \
    with vectors nohead lw line lc rgb '#d55e00' notitle, \
  data using (strip(from)):'y':(strcol('text')) with labels right offset -0.6, 0 notitle, \
  data using (strip(to)):'y':(strcol('figure')) with labels left offset 0.6, 0 notitle, \
  keyentry with boxes fill solid noborder lc rgb shades[1] title 'in use', \
  keyentry with boxes fill solid noborder lc rgb shades[2] title 'in use part of the time', \
  keyentry with lines lw 1 lc rgb '#d55e00' title 'size of the memory'
