# Gantt chart: shared lanes, such as the master's port, then the lanes of each group, such as the link of a
# worker above its computation. Several heuristics have a panel each.
#
#   starport plot trace.csv --figure gantt -o chart.pdf
#
# Columns: kind, text, x0, x1, y0, y1. Each row is a rectangle. Its kind is one of the roles below, idle or
# blank (after the end of a run that is shorter than another panel's); or name (the place of a group's
# name), seam (where a slice of the same role follows), heading (the place of a panel's heading), makespan
# (a mark through the lanes of a panel). The rectangles of a lane follow each other, in whole columns of
# half a point or more where slices are shorter.
# Settings beside those of style.gp: from, to (of the axis), until (the end of the lanes), overlap (of
# the rectangles), tic, decimals, xlabel, height (of the lanes, downwards from 0), legend_rows,
# names_cm (room for the names), marks and mark_names (dates, such as the makespan), bound (NaN:
# none), roles and their names in the legend, panels (how many; default 1).
if (!exists("panels")) panels = 1

# The colours differ in hue and in lightness, also in grey.
white = 16777215
colour(role) = role eq 'send_c' ? 0x1f3b73 : role eq 'send_operands' ? 0x86c5ee : \
  role eq 'send_all' ? 0x5380b1 : role eq 'return_c' ? 0xf0790e : role eq 'compute' ? 0x16704f : \
  role eq 'reduce' ? 0x83329b : role eq 'steal' ? 0xd77fa8 : role eq 'lost' ? 0x8d1c1c : \
  role eq 'wait' ? 0xf2d349 : role eq 'blank' ? white : 0xececec

@over_time
set lmargin at screen names_cm / width_cm
set rmargin at screen 1 - 0.6 / width_cm
set tmargin at screen 1 - (1.0 + title_cm) / height_cm
set key at screen 0.5, screen (0.175 * legend_rows + 0.175) / height_cm center center horizontal \
  maxrows legend_rows width -1 samplen 1.2

# Marked dates. Their labels are on two lines, since the dates may be close.
near(date) = (date - from) / (to - from)
side(date) = near(date) < 0.1 ? 'left' : near(date) > 0.9 ? 'right' : 'center'
# The lines differ in width: the SVG terminal draws lines of equal colour and width with the same dashes.
mark(date, name, dash, width, line) = date >= from && date <= to ? sprintf( \
  "set arrow from %.15g, graph 1 rto 0, graph -1 nohead front lw %g lc rgb 'black' dt %s; " . \
  "set label '%s %.5g' at %.15g, graph 1 %s offset 0, %g", \
  date, width, dash, name, date, date, side(date), line) : ''
if (bound == bound) { eval mark(bound, 'bound', '(8, 5)', 1.25, 0.5) }
do for [k = 1:words(marks)] {
  eval mark(word(marks, k) + 0., word(mark_names, k), 'solid', 1.5, k == 1 ? 1.4 : 0.5)
}

is(kind) = strcol('kind') eq kind
y = '((column("y0") + column("y1")) / 2)'
# Each rectangle is drawn a little too wide and then covered by the next one. If a viewer widens a thin
# shape to a pixel, the boundary moves, but the next shape does not become narrower.
further(x) = x + overlap < until ? x + overlap : until
is_box(kind) = kind ne 'name' && kind ne 'seam' && kind ne 'heading' && kind ne 'makespan'
box_x0(skip) = is_box(strcol('kind')) ? column('x0') : NaN
plot data using (box_x0(0)):@y:'x0':(further(column('x1'))):'y0':'y1':(colour(strcol('kind'))) \
    with boxxyerror fill solid noborder lc rgb variable notitle, \
  data using (is('seam') ? column('x0') : NaN):'y0':(0):(0.25 * (column('y1') - column('y0'))) \
    with vectors nohead lw 0.35 lc rgb 'white' notitle, \
  data using (is('name') ? from : NaN):@y:(strcol('text')) \
    with labels right offset -0.6, 0 notitle, \
  for [k = 1:(panels > 1)] data using (is('heading') ? from : NaN):@y:(strcol('text')) \
    with labels left notitle, \
  for [k = 1:(panels > 1)] data using \
      (is('makespan') ? column('x0') : NaN):'y0':(0):(column('y1') - column('y0')) \
    with vectors nohead lw 1.5 lc rgb 'black' notitle, \
  for [k = 1:words(roles)] keyentry with boxes fill solid noborder lc rgb colour(word(roles, k)) \
    title word(names, k), \
  keyentry with boxes fill solid noborder lc rgb colour('idle') title 'idle'
