# Terminal, fonts, colours and marks of all figures. Run before the figure's script:
#
#   gnuplot -e "data='cost.csv'; output='cost.pdf'" style.gp bars.gp
#
# Settings, each with a default: data, output (.svg, .pdf or .png), width_cm, height_cm, title.
if (!exists("output")) output = 'figure.svg'
if (!exists("width_cm")) width_cm = 17.0
if (!exists("height_cm")) height_cm = 7.0
if (!exists("format")) format = output[strlen(output) - 2:*]
if (!exists("title")) title = ''
if (!exists("title_cm")) title_cm = 0.4  # height of the title
if (!exists("xlabel")) xlabel = ''
if (!exists("ylabel")) ylabel = ''
if (!exists("names_cm")) names_cm = 1.2  # room for the names of groups
if (!exists("logarithmic")) logarithmic = ''  # logarithmic axes: 'x', 'y' or 'xy'

set encoding utf8
set datafile separator comma
set datafile columnheaders

# Sizes are those of print: 8 pt, lines of 0.5 pt. An SVG counts in pixels of 1/96 inch; a PNG is made
# at 300 dots per inch.
set macros
font = "'Arial,8'"
inch = 1 / 2.54
dots(cm, per_inch) = int(cm * inch * per_inch + 0.5)
if (format eq 'svg') {
  set terminal svg size dots(width_cm, 96), dots(height_cm, 96) font @font \
    fontscale 96 / 72. linewidth 0.67 noenhanced background 'white'
}
if (format eq 'pdf') {
  set terminal pdfcairo size width_cm * inch, height_cm * inch font @font \
    fontscale 0.75 linewidth 1 noenhanced background 'white'
}
if (format eq 'png') {
  set terminal pngcairo size dots(width_cm, 300), dots(height_cm, 300) font @font \
    fontscale 300 / 96. linewidth 2 pointscale 3 noenhanced background 'white'
}
set output output

# By the number of a heuristic's style: the place of its name in `starport list`, the same in all
# figures; heuristics with parameters come after. The hues are close to those of Okabe and Ito.
# tests/report/colours_test.cpp computes how far apart any two are, in grey and to the colour-blind.
array colours[16] = ['#003a6e', '#ff923a', '#bd7138', '#007a58', '#e0da12', '#4ea4d4', '#9d2505', \
  '#1b1b1b', '#e8a9cc', '#94a074', '#546bee', '#8dcd9d', '#53636d', '#bc9d9d', '#c378a2', '#316e98']
array points[16] = [7, 4, 8, 9, 12, 5, 11, 6, 10, 13, 1, 2, 3, 14, 15, 8]
array dashes[16] = [1, 2, 4, 1, 1, 1, 1, 2, 4, 5, 2, 1, 4, 5, 1, 2]
style_of(i) = (heuristic_style[i] - 1) % 16 + 1

# @read_heuristics sets the heuristics of the data, in order, and their styles.
heuristics = 0
array heuristic[1000]
array heuristic_style[1000]
longest_name = 0
is_known(name) = heuristics > 0 && (sum [k = 1:heuristics] (heuristic[k] eq name ? 1 : 0)) > 0
# The last row of each heuristic; in data that are sorted by heuristic, first_row() is the first.
array last_row[1000]
noted = ''
note_heuristic(name, style) = (name eq noted ? (last_row[heuristics] = column(0)) : \
  (noted = name, note_new(name, style)))
note_new(name, style) = heuristics == 1000 || is_known(name) ? 0 : \
  (heuristics = heuristics + 1, last_row[heuristics] = column(0), \
   heuristic[heuristics] = name, heuristic_style[heuristics] = style, \
   longest_name = strlen(name) > longest_name ? strlen(name) : longest_name, 1)
# Short names are mostly in capitals, which are wider; long ones have parameters in lower case.
read_heuristics = \
  "stats data using (note_heuristic(strcol('heuristic'), int(column('style')))) nooutput; \
  letter_cm = longest_name > 12 ? 0.15 : 0.21"

# @rows_of_i selects the rows of the i-th heuristic in data that are sorted by heuristic.
first_row(i) = i == 1 ? 0 : last_row[i - 1] + 1
rows_of_i = "every ::first_row(i)::last_row[i]"

# @log_y sets a logarithmic axis for values from `lowest` to `highest`, with tics at 1, 2 and 5 over few
# decades, and at every tenth within a factor of 3.
log_tics = '1 2 5'
log_y = "set logscale y; set autoscale yfix; set offsets graph 0.04, graph 0.04, graph 0.04, graph 0.04; \
  if (highest > 300 * lowest) { log_tics = '1' }; \
  if (highest < 3 * lowest) { log_tics = '1 1.1 1.2 1.3 1.4 1.5 1.7 2 2.5 3 4 5 6 7 8 9' }; \
  set ytics (); do for [k = -12:12] { \
  do for [m in log_tics] { \
    set ytics add (sprintf('%.12g', m * 10.**k) m * 10.**k) } }"

# tic_step() is the smallest step, 1, 2 or 5 times a power of ten, at which labels have room.
round_up(x, power) = x <= power ? power : x <= 2 * power ? 2 * power : x <= 5 * power ? 5 * power : 10 * power
tic_step(span, room_cm, label_cm) = span > 0 ? \
  round_up(span * label_cm / room_cm, 10.0 ** floor(log10(span * label_cm / room_cm))) : 1
# @low_ytics sets fewer tics than gnuplot does in low figures. Needs the ends of the axis, `least` and
# `greatest`, and runs after the legend.
below_cm = 1.5  # of the axis
low_ytics = "plot_cm = height_cm - below_cm - (name_cm > 0 ? above_cm + 0.3 + 0.36 * legend_rows : 0.3 + title_cm); \
  if (plot_cm < 3.5 && greatest > least) { set ytics tic_step(greatest - least, plot_cm, 0.5) }"

# @over_time sets the axes of figures over time: lanes or strips from the top, names on their left.
over_time = "set xrange [from:to]; set yrange [height:0]; set border 1; unset ytics; unset grid; \
  set format x sprintf('%%.%df', decimals); set xtics tic; set lmargin at screen 1.2 / width_cm; \
  set bmargin at screen (1.35 + 0.35 * legend_rows) / height_cm; \
  set label xlabel at graph 0.5, screen (0.5 + 0.35 * legend_rows) / height_cm center"

# A title is centred in the figure, whatever is beside the plot.
if (title ne '') {
  set label 100 title at screen 0.5, screen 1 - 0.35 / height_cm center font ',9'
  set tmargin at screen 1 - (0.3 + title_cm) / height_cm
}
# @legend_above puts the legend above the plot, in as many columns as fit; @legend_beside beside the plot
# if there is room. Both run after @read_heuristics. gnuplot underestimates the width of names in capitals
# and overestimates that of long names.
name_cm = 0
legend_columns = 1
further_entries = 0  # entries other than heuristics
if (!exists("legend_rows")) legend_rows = 1
legend_above = "name_cm = 1 + letter_cm * longest_name; \
  legend_columns = name_cm < width_cm - 0.4 ? int((width_cm - 0.4) / name_cm) : 1; \
  legend_rows = (heuristics + further_entries + legend_columns - 1) / legend_columns; \
  above_cm = 0.2 + (title eq '' ? 0 : 0.15 + title_cm); \
  set key at screen 0.5, screen 1 - above_cm / height_cm center top horizontal Left reverse \
    maxcols legend_columns samplen 1 \
    width (longest_name > 12 ? -0.1 * longest_name : format eq 'svg' ? 3.5 : 2); \
  set tmargin at screen 1 - (above_cm + 0.3 + 0.36 * legend_rows) / height_cm"
legend_beside = "if (1.6 + letter_cm * longest_name < 0.4 * width_cm) { \
    set key outside right center vertical Left reverse maxrows 30 samplen 3 width 2 \
  } else { @legend_above }"

set border 3 lw 0.75
set tics nomirror out scale 0.5
set grid ytics lt 1 lw 0.5 lc rgb '#cccccc' dt solid back
set key outside top center horizontal Left reverse samplen 1 font ',8'
