// Converts a timeline to the rectangles of a Gantt chart, at the resolution of a figure.
#pragma once

#include "sim/report/plots/time_window.hpp"
#include "sim/results/timeline.hpp"

#include <optional>
#include <vector>

namespace starport {

/// A slice of a lane: its dates and its role.
struct Span {
  double start_s;
  double end_s;
  SliceRole role;
};

/// A rectangle of a lane in one colour.
struct GanttBox {
  double start_s;
  double end_s;
  std::optional<SliceRole> role;  ///< of the slice, gives the colour; nullopt: idle time
};

/// The rectangles of a lane: each starts where the one before ends.
struct DrawnLane {
  std::vector<GanttBox> boxes;
  std::vector<double> seams_s;  ///< dates at which a long slice follows another of the same role
};

/// A lane to be drawn: its index among the lanes of the timeline, and its rectangles.
struct GanttLane {
  std::size_t lane;
  DrawnLane drawn;
};

/// Draws the slices of a lane, ordered by date, during `window`, in columns of about `resolution_s`
/// seconds, the width of a pixel.
///
/// Each column has one colour: among the roles that occur in it, the one that is furthest behind
/// its share of the time so far. However thin slices are, each role and idle time thus get the
/// right area, to within a column. A boundary between two slices that last for several columns is
/// drawn at its date.
DrawnLane draw_in_columns(const std::vector<Span>& slices, const TimeWindow& window,
                          double resolution_s);

/// Draws the lanes of all groups that have slices, group by group from the top. In groups whose
/// idle time has a name (LaneGroup::waits), the gaps before slices are drawn as waiting.
std::vector<std::vector<GanttLane>> gantt_lanes(const Timeline& timeline, const TimeWindow& window,
                                                double resolution_s);

}  // namespace starport
