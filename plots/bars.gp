# Grouped bars: one group per instance, one bar per heuristic.
#
#   starport plot results.csv --figure cost -o cost.csv
#   gnuplot -e "data='cost.csv'; output='cost.svg'; ylabel='relative cost'" style.gp bars.gp
#
# Columns: position (of the group, from 1), section (the name of several adjacent groups), label,
# available (workers of the platform, drawn as a line across the group; may be empty), heuristic, style,
# value.
# Settings beside those of style.gp: xlabel, ylabel, reference (a value marked by a dashed line).
if (!exists("reference")) reference = NaN
@read_heuristics

# Groups and sections: where they start, how long their labels are.
groups = 0
longest = 0
sections = 0
section_lines = 0
array section_name[1000]
array section_start[1000]
lines_of(text) = 1 + sum [k = 1:strlen(text)] (text[k:k] eq "\n" ? 1 : 0)
start_section(position, name) = sections >= 1000 || name eq '' ? 0 : \
  (sections = sections + 1, section_name[sections] = name, section_start[sections] = position, \
   section_lines = lines_of(name) > section_lines ? lines_of(name) : section_lines)
note_group(position, section, label) = ( \
  groups = position > groups ? position : groups, \
  longest = strlen(label) > longest ? strlen(label) : longest, \
  sections == 0 || section ne section_name[sections] ? start_section(position, section) : 0, 0)
stats data using (note_group(column('position'), strcol('section'), strcol('label'))) nooutput
has_available = 0
stats data using (strcol('available') ne '' ? (has_available = 1) : 0) nooutput

# Labels of groups are turned when they would not fit side by side (a character takes 0.13 cm), and
# left out when they would not even then. Bars thinner than 0.04 cm have no border.
group_cm = (width_cm - 1.6) / groups
turned = longest * 0.13 > group_cm
crowded = group_cm < 0.27
bordered = 0.84 * group_cm / heuristics > 0.04
label_cm = crowded ? 0.2 : turned ? longest * 0.13 + 0.35 : 0.45
sections_cm = section_lines * 0.32
set bmargin at screen (label_cm + sections_cm + (xlabel eq '' ? 0 : 0.35) + 0.2) / height_cm
do for [k = 1:sections] {
  next = k < sections ? section_start[k + 1] : groups + 1
  set label section_name[k] at first (section_start[k] + next - 1) / 2., \
    screen (sections_cm + (xlabel eq '' ? 0 : 0.35)) / height_cm center font ',7.5'
  if (k > 1) {
    set arrow from first section_start[k] - 0.5, graph 0 to first section_start[k] - 0.5, graph 1 \
      nohead lw 0.75 lc rgb '#888888' back
  }
}
@legend_above
if (xlabel ne '') set label xlabel at graph 0.5, screen 0.25 / height_cm center
set ylabel ylabel

stats data using 'value' nooutput
least = 0
greatest = STATS_max
below_cm = label_cm + sections_cm + 0.55
@low_ytics
set xrange [0.5:groups + 0.5]
set yrange [0:*]
if (has_available) {
  set offsets 0, 0, graph 0.05, 0
  set autoscale yfixmax
}
set errorbars 0
set xtics scale 0 font ',7'
if (turned) set xtics rotate by 90 right
label_of(text) = crowded ? '' : text
set boxwidth 0.84 / heuristics absolute
place(i) = column('position') + (i - (heuristics + 1) / 2.) * 0.84 / heuristics
value_of(i) = strcol('heuristic') eq heuristic[i] ? column('value') : NaN
plot data using 'position':(NaN):xticlabels(label_of(strcol('label'))) with points notitle, \
  for [i = 1:heuristics] data using (place(i)):(value_of(i)) with boxes \
    lc rgb colours[style_of(i)] lw 0.5 \
    fill solid border lc rgb (bordered ? '#202020' : colours[style_of(i)]) \
    title heuristic[i], \
  for [i = 1:has_available] data using 'position':'available':(0.46) with xerrorbars \
    pt -1 lw 1.5 lc rgb 'black' title has_available ? 'available' : '', \
  reference with lines lw 1 dt 2 lc rgb 'black' notitle
