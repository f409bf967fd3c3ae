# What all figures have in common: terminal, fonts, colours, marks. Loaded before the figure's script:
#
#   gnuplot -e "data='cost.csv'; output='cost.pdf'" style.gp bars.gp
#
# Settings, each with a default: data, output (.svg, .pdf or .png), width_cm, height_cm, title.
if (!exists("output")) output = 'figure.svg'
if (!exists("width_cm")) width_cm = 17.0
if (!exists("height_cm")) height_cm = 7.0
if (!exists("format")) format = output[strlen(output) - 2:*]
if (!exists("title")) title = ''

set encoding utf8
set datafile separator comma
set datafile columnheaders

# Sizes are those of print: 8 pt, lines of 0.5 pt. An SVG counts in pixels of 1/96 inch; a PNG is made
# at 300 dots per inch.
set macros
font = "'Arial,8'"
inch = 1 / 2.54
if (format eq 'svg') {
  set terminal svg size width_cm * 96 * inch, height_cm * 96 * inch font @font \
    fontscale 96 / 72. linewidth 0.67 noenhanced background 'white'
}
if (format eq 'pdf') {
  set terminal pdfcairo size width_cm * inch, height_cm * inch font @font \
    fontscale 72 / 96. linewidth 1 noenhanced background 'white'
}
if (format eq 'png') {
  set terminal pngcairo size width_cm * 300 * inch, height_cm * 300 * inch font @font \
    fontscale 300 / 96. linewidth 2 pointscale 3 noenhanced background 'white'
}
set output output

# By the number of a heuristic's style: the place of its name in `starport list`, the same in all
# figures; heuristics with parameters come after. Colours of Okabe and Ito, told apart by the
# colour-blind; those that come close to each other in grey are hatched apart. Fill 3 is solid.
array colours[16] = ['#0060a0', '#e69f00', '#b8860b', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', \
  '#404040', '#999999', '#882255', '#005f45', '#ddaa33', '#6a3d9a', '#7fbf7b', '#000000', '#bb5566']
array fills[16] = [3, 5, 4, 3, 1, 3, 3, 3, 3, 5, 4, 3, 1, 5, 4, 3]
array points[16] = [7, 4, 8, 9, 12, 5, 11, 6, 10, 13, 1, 2, 3, 14, 15, 8]
array dashes[16] = [1, 2, 4, 1, 3, 1, 1, 2, 4, 5, 2, 3, 4, 5, 1, 2]
style_of(i) = (int(word(styles, i)) - 1) % 16 + 1

# The heuristics of the data, in order, and their styles.
names = ''
styles = ''
note_heuristic(name, style) = strstrt(names, '"' . name . '"') ? 0 : \
  (names = names . '"' . name . '" ', styles = styles . style . ' ', 1)
heuristic(i) = word(names, i)
read_heuristics = "stats data using (note_heuristic(strcol('heuristic'), strcol('style'))) nooutput"

if (title ne '') set title title font ',9'
set border 3 lw 0.75
set tics nomirror out scale 0.5
set grid ytics lw 0.5 lc rgb '#cccccc' dt solid back
set key outside top center horizontal Left reverse samplen 1.5 width 1 font ',8' maxrows 2
