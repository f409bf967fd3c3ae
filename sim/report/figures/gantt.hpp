// A trace as the rectangles of a Gantt chart: the master's port or its two ports on top, then each
// worker's link above its computation.
#pragma once

#include "sim/report/figures/time_window.hpp"
#include "sim/report/trace_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

enum class SliceKind : std::uint8_t { c_sent, ab_sent, c_returned, update, port_waits };
inline constexpr int kSliceKinds = 5;
const char* to_string(SliceKind kind);

/// What goes on during some time, in one lane.
struct Slice {
  double start_s;
  double end_s;
  SliceKind kind;
};

/// A rectangle in a lane, whose height is 1.
struct GanttBox {
  double start_s;
  double end_s;
  double bottom;
  double top;
  SliceKind kind;
  bool alone;  ///< one slice, not several drawn together
};

struct GanttLane {
  std::int64_t worker;  ///< from 1; 0 for a port
  bool computation;     ///< else transfers
  const char* port;     ///< its name: "port", or "sends" and "returns"; empty for a worker
  std::vector<GanttBox> boxes;
};

/// The slices of a lane, in order, as boxes, none of which ends before `window` or starts after it.
///
/// Slices shorter than `resolution_s`, about a pixel, are drawn together as long as no more than
/// that separates them, until the group is as wide; the next one then joins on. Its kinds are
/// stacked, each as high as its share of the group's time: idle time is what remains empty above. A
/// lone slice is at least half a pixel wide, a group at least a fifth of the lane high, so that
/// they are seen.
std::vector<GanttBox> condense(const std::vector<Slice>& slices, const TimeWindow& window,
                               double resolution_s);

/// The lanes from the top, of the workers that take part in the trace. Of many ports there are
/// none: each is a worker's link.
std::vector<GanttLane> gantt_lanes(const TraceFile& trace, const TimeWindow& window,
                                   double resolution_s);

}  // namespace starport
