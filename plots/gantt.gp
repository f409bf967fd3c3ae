# Gantt chart: what is shared by all, as the master's port is, then the lanes of each group, such as the
# link of a worker above its computation. What is not filled is idle.
#
#   starport plot trace.csv --figure gantt -o chart.pdf
#
# Columns: kind, text, x0, x1, y0, y1. A row is a rectangle: a lane's background (kind lane), the place
# of a group's name (name), or one of the roles below, where the text tells a `slice` from a `group` of
# slices too thin to be drawn apart, which is lower than its lane as it leaves that idle.
# Settings beside those of style.gp: from, to (of the axis), tic, decimals, xlabel, height (of the
# lanes, downwards from 0), makespan, bound (NaN: none), names_cm (their room),
# roles and their names in the legend.

# Told apart by hue and by lightness.
colour(role) = role eq 'send_c' ? '#1f3b73' : role eq 'send_operands' ? '#86c5ee' : \
  role eq 'send_all' ? '#5380b1' : role eq 'return_c' ? '#e36f1e' : role eq 'compute' ? '#16704f' : \
  role eq 'reduce' ? '#8a4fa3' : role eq 'steal' ? '#d77fa8' : role eq 'lost' ? '#8d1c1c' : '#f7e380'
idle = '#e6e6e6'

@over_time
set lmargin at screen names_cm / width_cm
set rmargin at screen 1 - 0.6 / width_cm
set tmargin at screen 1 - 1.4 / height_cm
set key at screen 0.5, screen 0.35 / height_cm center center horizontal maxrows 1 width -1 samplen 1.2
if (title ne '') set title title offset 0, 1.2

# The dates that matter, labelled on two lines since they may be close.
near(date) = (date - from) / (to - from)
side(date) = near(date) < 0.1 ? 'left' : near(date) > 0.9 ? 'right' : 'center'
mark(date, name, dash, line) = date >= from && date <= to ? sprintf( \
  "set arrow from %.15g, graph 1 rto 0, graph -1 nohead front lw 1.5 lc rgb 'black' dt %s; " . \
  "set label '%s %.5g' at %.15g, graph 1 %s offset 0, %g", \
  date, dash, name, date, date, side(date), line) : ''
if (bound == bound) { eval mark(bound, 'bound', '(8, 5)', 0.5) }
eval mark(makespan, 'makespan', '1', 1.4)

is(kind) = strcol('kind') eq kind
x(wanted) = wanted ? (column('x0') + column('x1')) / 2 : NaN
y = '((column("y0") + column("y1")) / 2)'
# Slices that are wide enough are told apart where they touch.
edged(kind) = is(kind) && strcol('text') eq 'slice' && \
  column('x1') - column('x0') > 0.004 * (to - from) ? column('x0') : NaN
plot data using (x(is('lane'))):@y:'x0':'x1':'y0':'y1' \
    with boxxyerror fill solid noborder lc rgb idle notitle, \
  for [k = 1:words(roles)] data using (x(is(word(roles, k)))):@y:'x0':'x1':'y0':'y1' \
    with boxxyerror fill solid noborder lc rgb colour(word(roles, k)) notitle, \
  for [k = 1:words(roles)] data using (edged(word(roles, k))):'y0':(0):(column('y1') - column('y0')) \
    with vectors nohead lw 0.5 lc rgb 'white' notitle, \
  data using (is('name') ? from : NaN):@y:(strcol('text')) \
    with labels right offset -0.6, 0 notitle, \
  for [k = 1:words(roles)] keyentry with boxes fill solid noborder lc rgb colour(word(roles, k)) \
    title word(names, k), \
  keyentry with boxes fill solid noborder lc rgb idle title 'idle'
