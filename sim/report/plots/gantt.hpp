// Gantt charts: a timeline as rectangles at the resolution of a figure; two runs on one time axis.
#pragma once

#include "sim/report/plots/trace_view.hpp"
#include "sim/results/timeline.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport {

/// An activity (slice) in one lane (a row) of a Gantt chart: its dates and its role (such as a
/// computation), which gives the colour. Input of draw_in_columns(); unrelated to std::span.
struct Span {
  /// Start date in simulated seconds.
  double start_s;
  /// End date in simulated seconds, not before the start.
  double end_s;
  /// Role of the activity, such as a computation or a message with C, which gives its colour.
  SliceRole role;
};

/// A rectangle of one colour in a lane (a row) of a Gantt chart: from one date to another, in the
/// colour of an activity's role or of idle time. An element of DrawnLane::boxes.
struct GanttBox {
  /// Left edge, a date in simulated seconds.
  double start_s;
  /// Right edge, a date in simulated seconds.
  double end_s;
  /// Role of the activity that is shown, which gives the colour; nullopt: idle time.
  std::optional<SliceRole> role;
};

/// Content of one lane (a row) of a Gantt chart: coloured rectangles from left to right, and the
/// dates of separating lines. The result of draw_in_columns(); owns its lists.
struct DrawnLane {
  /// Rectangles from left to right, with edges in simulated seconds, covering the whole window (the
  /// range of dates shown), idle time included: each starts where the one before ends and has
  /// another role. Empty if the window is.
  std::vector<GanttBox> boxes;
  /// Dates in simulated seconds, ascending, at which one activity directly follows another of the
  /// same role and hence colour, both at least ten columns (about pixels) wide, so that a line must
  /// separate them.
  std::vector<double> seams_s;
};

/// One lane (a row) of a Gantt chart: its index in the timeline, and the rectangles and lines drawn
/// in it. Made by gantt_lanes().
struct GanttLane {
  /// Index of the lane in Timeline::lanes, from 0.
  std::size_t lane;
  /// Rectangles of the lane, and the dates, in simulated seconds, of the lines between long
  /// activities of one colour that follow each other directly.
  DrawnLane drawn;
};

/// Draws the activities of a lane (a row) of a Gantt chart during `window` in columns of equal
/// width, about `resolution_s` simulated seconds (the width of a pixel; must be positive, else it
/// may never return). `slices` must be ordered by date and not overlap; they are cut to the window,
/// and times without one are idle. An empty window gives a lane without boxes.
///
/// Each column has one colour: among the roles that occur in it, the one that is furthest behind
/// its share of the time so far. However short the slices are, each role and idle time thus get the
/// right area, to within a column. A boundary between two slices that last for several columns is
/// drawn at its date.
DrawnLane draw_in_columns(const std::vector<Span>& slices, const TimeWindow& window,
                          double resolution_s);

/// Draws the lanes (rows of a Gantt chart) of a complete timeline (not a piece of one) during
/// `window`: one list per group of lanes (such as a worker) that has slices (activities), from the
/// top of the chart, with all lanes of the group. The slices of each lane must be ordered by date
/// and not overlap. `resolution_s` is the width of a pixel in simulated seconds; must be positive,
/// else it may never return. In groups whose idle time has a name (LaneGroup::wait_label), the gaps
/// before slices get the role SliceRole::wait.
std::vector<std::vector<GanttLane>> gantt_lanes(const Timeline& timeline, const TimeWindow& window,
                                                double resolution_s);

/// Draws the timelines of two runs (complete, not pieces), at least one of which has slices
/// (activities), as a Gantt chart on one time axis, and writes it to `path`, whose ending (.svg,
/// .pdf, .png, .csv or .py) is its format. `from` and `to`, texts with dates in simulated seconds,
/// restrict the axis; nullopt: from 0, to the last date. `option` names the option that gave the
/// path, for errors. Blocks while Matplotlib draws; call it from a process with one thread. Throws
/// InputError if the ending is another one, the file cannot be written, there is no slice, a date
/// is no number >= 0, `from` is not before the end of the longer run, or `to` is not after `from`
/// (it may be after the end); std::runtime_error if Matplotlib is missing or fails. A file at
/// `path` is replaced only on success.
void draw_two_runs(const Timeline& a, const Timeline& b, const std::string& path,
                   const char* option, const std::optional<std::string>& from = {},
                   const std::optional<std::string>& to = {});

}  // namespace starport
