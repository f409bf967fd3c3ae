// A timeline as the rectangles of a Gantt chart.
#pragma once

#include "sim/report/plots/time_window.hpp"
#include "sim/study/timeline.hpp"

#include <vector>

namespace starport {

/// What goes on during some time, in one lane.
struct Span {
  double start_s;
  double end_s;
  SliceRole role;
};

/// A rectangle in a lane, whose height is 1.
struct GanttBox {
  double start_s;
  double end_s;
  double bottom;
  double top;
  SliceRole role;
  bool alone;  ///< one slice, not several drawn together
};

struct GanttLane {
  std::size_t lane;
  std::vector<GanttBox> boxes;
};

/// The slices of a lane, in order, as boxes, none of which ends before `window` or starts after it.
///
/// Slices shorter than `resolution_s`, about a pixel, are drawn together as long as no more than
/// that separates them, until the group is as wide; the next one then joins on. Its roles are
/// stacked, each as high as its share of the group's time: idle time is what remains empty above. A
/// lone slice is at least half a pixel wide, a group at least a fifth of the lane high, so that
/// they are seen.
std::vector<GanttBox> condense(const std::vector<Span>& slices, const TimeWindow& window,
                               double resolution_s);

/// The lanes of the groups that take part, group by group from the top. Where a group waits, what
/// separates its slices is one more of them.
std::vector<std::vector<GanttLane>> gantt_lanes(const Timeline& timeline, const TimeWindow& window,
                                                double resolution_s);

}  // namespace starport
