# A table of ratios as a heat map: white where the ratio is 1, red above, blue below.
#
#   starport worst --table --heat-map worst.svg
#
# Columns: row and column (from 1, the first row at the top), row_name, column_name, ratio (above 0).
# Setting beside those of style.gp: left_cm, the room for the names of rows, above_cm, for those of columns.

rows = 0
columns = 0
greatest = 0
array row_name[1000]
array column_name[1000]
note(row, column, ratio) = (rows = row > rows ? row : rows, columns = column > columns ? column : columns, \
  greatest = abs(log(ratio)) > greatest ? abs(log(ratio)) : greatest, \
  row_name[row] = strcol('row_name'), column_name[column] = strcol('column_name'), 0)
stats data using (note(int(column('row')), int(column('column')), column('ratio'))) nooutput
if (greatest == 0) { greatest = 1 }
set xrange [0.5:columns + 0.5]
set yrange [rows + 0.5:0.5]
set lmargin at screen left_cm / width_cm
set rmargin at screen 1 - 0.2 / width_cm
set tmargin at screen 1 - above_cm / height_cm
set bmargin at screen 0.6 / height_cm
unset border
unset tics
unset grid
unset key
unset colorbox
set palette defined (-1 '#4ea4d4', 0 '#ffffff', 0.5 '#ff923a', 1 '#9d2505')
set cbrange [-greatest:greatest]
do for [k = 1:rows] { set label row_name[k] at first 0.42, first k right }
do for [k = 1:columns] { set label column_name[k] at first k - 0.2, first 0.4 left rotate by 40 }
set label xlabel at graph 0.5, screen 0.3 / height_cm center

dark(ratio) = log(ratio) > 0.7 * greatest
text(ratio) = ratio >= 999.5 ? sprintf('%.0e', ratio) : ratio >= 99.5 ? sprintf('%.0f', ratio) : \
  ratio >= 9.95 ? sprintf('%.1f', ratio) : sprintf('%.2f', ratio)
plot data using 'column':'row':(column('column') - 0.5):(column('column') + 0.5):(column('row') - 0.5):(column('row') + 0.5):(log(column('ratio'))) \
    with boxxyerror lc palette fill solid border rgb '#cccccc', \
  data using (dark(column('ratio')) ? NaN : column('column')):'row':(text(column('ratio'))) with labels tc rgb 'black', \
  data using (dark(column('ratio')) ? column('column') : NaN):'row':(text(column('ratio'))) with labels tc rgb 'white'
