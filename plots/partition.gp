# A partition of the square among processors, or the three faces of the cube that meet in (0, 0, 0),
# unfolded: j upwards, i to the right, k to the left and downwards.
#
#   starport partition --speeds 1,1,4,9 -o partition.svg
#
# Columns: kind, colour (1 to 16), text, x0, x1, y0, y1. A row is a rectangle of a processor (kind zone), a
# line between two (edge), a text in a zone (name) or beside a face (axis).
# Setting beside those of style.gp: faces, 1 or 3.

# 1: the text on this colour is white, 0: black.
array dark[16] = [1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1]

low = faces == 3 ? -1 : 0
set xrange [low - 0.09:1.09]
set yrange [low - 0.09:1.09]
set size ratio -1
unset border
unset tics
unset grid
unset key
set lmargin at screen 0
set rmargin at screen 1
set bmargin at screen 0
set tmargin at screen 1 - 0.6 / height_cm
if (title ne '') set title title offset 0, -0.4

is(kind) = strcol('kind') eq kind
colour(k) = is('zone') && int(column('colour')) == k
on(light) = is('name') && dark[int(column('colour'))] != light
x = '((column("x0") + column("x1")) / 2)'
y = '((column("y0") + column("y1")) / 2)'
plot for [k = 1:16] data using (colour(k) ? @x : NaN):@y:'x0':'x1':'y0':'y1' \
    with boxxyerror lc rgb colours[k] fill solid border rgb colours[k], \
  data using (is('edge') ? column('x0') : NaN):'y0':(column('x1') - column('x0')):(column('y1') - column('y0')) \
    with vectors nohead lw 0.8 lc rgb 'black', \
  data using (on(0) ? column('x0') : NaN):'y0':(strcol('text')) with labels center tc rgb 'white', \
  data using (on(1) ? column('x0') : NaN):'y0':(strcol('text')) with labels center tc rgb 'black', \
  data using (is('axis') ? column('x0') : NaN):'y0':(strcol('text')) with labels center
