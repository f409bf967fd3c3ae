// A timeline as the rectangles of a Gantt chart.
#pragma once

#include "sim/report/plots/time_window.hpp"
#include "sim/results/timeline.hpp"

#include <optional>
#include <vector>

namespace starport {

/// What goes on during some time, in one lane.
struct Span {
  double start_s;
  double end_s;
  SliceRole role;
};

/// A stretch of a lane that is drawn in one colour.
struct GanttBox {
  double start_s;
  double end_s;
  std::optional<SliceRole> role;  ///< none: idle
};

/// A lane as it is drawn: boxes that follow each other, and the dates at which a long slice follows
/// another of its role.
struct DrawnLane {
  std::vector<GanttBox> boxes;
  std::vector<double> seams_s;
};

struct GanttLane {
  std::size_t lane;
  DrawnLane drawn;
};

/// The slices of a lane, in order, as they are drawn during `window`, in columns of some
/// `resolution_s`, about a pixel.
///
/// A column has one colour: that of whatever went on during it and is furthest behind its share of
/// the time so far. So however thin slices are, each role and idle time get the area that is
/// theirs, to a column; where both sides of a date last for columns, the boundary stands at the
/// date itself.
DrawnLane in_columns(const std::vector<Span>& slices, const TimeWindow& window,
                     double resolution_s);

/// The lanes of the groups that take part, group by group from the top. Where a group waits, what
/// separates its slices is one more of them.
std::vector<std::vector<GanttLane>> gantt_lanes(const Timeline& timeline, const TimeWindow& window,
                                                double resolution_s);

}  // namespace starport
