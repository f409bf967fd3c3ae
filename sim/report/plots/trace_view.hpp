// Parts shared by the figures of traces: which traces and dates are shown, the room for them, the
// unit of the time axis, and the settings of their scripts.
#pragma once

#include "sim/report/plots/gnuplot.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/results/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// A range of dates of a run, in simulated seconds since its start.
struct TimeWindow {
  /// First date of the range, in simulated seconds since the start of the run.
  double from_s;
  /// Last date of the range, in simulated seconds since the start of the run; later than the first.
  double to_s;

  /// Returns the length of the range of dates in simulated seconds.
  double length_s() const { return to_s - from_s; }
};

/// Parses the values of the options --from and --to, dates in simulated seconds between which a
/// trace is shown; nullopt means 0 and `end_s`, the last date of the trace. The range may end after
/// `end_s`. Throws InputError, naming the option, if one is no number >= 0, if the range starts at
/// `end_s` or later, or if it is shorter than 1e-9 of `end_s`. Requires end_s > 0 (undefined
/// behaviour otherwise).
TimeWindow time_window(const std::optional<std::string>& from, const std::optional<std::string>& to,
                       double end_s);

/// The unit and the tics (labelled marks) of the time axis of a plot, chosen by time_axis().
struct TimeAxis {
  /// Length of the unit of the time axis in seconds: 0.001 for ms.
  double unit_s;
  /// Name of the unit of the time axis: "s", "ms", "µs", "ns" or a power of ten of the second, such
  /// as "10⁶ s" (UTF-8).
  std::string unit;
  /// Caption of the time axis: "time (ms)".
  std::string label;
  /// Distance between the tics (labelled marks) of the time axis, in `unit`: 1, 2 or 5 times a
  /// power of ten.
  double tic;
  /// Number of decimals that the labels of the tics (marks of the time axis) need.
  int decimals;
};
/// Chooses the unit and the tics (labelled marks) of a time axis that shows the dates of `window`
/// on `width_cm` centimetres. Requires a window of positive length that ends after 0 (not checked).
TimeAxis time_axis(const TimeWindow& window, double width_cm = 15);

/// Height of a line of text in a plot of a trace, in points (1/72 inch).
inline constexpr double kLine_pt = 9.5;
/// Width of the margin on the right of the lanes (rows) of a plot of a trace, in cm.
inline constexpr double kMargin_cm = 0.6;
/// Height in cm of the heading of a panel, the part of a plot that shows one of several traces.
inline constexpr double kHeading_cm = 0.6;
/// Length of a point (1/72 inch) in cm.
inline constexpr double kPoint_cm = 2.54 / 72;

/// The traces (timelines of runs) that a plot shows, the dates on its axis, and its measures.
/// read_trace_view() fills in all but the heights, which share_height() adds.
struct TraceView {
  /// The timelines that are shown, at least one; a Gantt chart shows several as panels below each
  /// other.
  std::vector<Timeline> traces;
  /// Last end of an activity in all traces, in simulated seconds.
  double end_s;
  /// Smallest lower bound on the makespan of the traces, in seconds; nullopt if one of them has
  /// none.
  std::optional<double> bound_s;
  /// Range of dates, in simulated seconds, that the time axis shows; by default from 0 to `end_s`
  /// or the bound, whichever is later.
  TimeWindow window;
  /// Unit and tics (labelled marks) of the time axis.
  TimeAxis axis;
  /// Title of the plot, broken into lines that fit its width; empty: none.
  std::string title;
  /// Width of the plot in cm.
  double width_cm;
  /// Height in cm of what is above and below the lanes (rows of activities) of the plot, the legend
  /// and the title included. Set by share_height().
  double margins_cm;
  /// Number of rows of the plot's legend, at least 1. Set by share_height().
  std::size_t legend_rows;
  /// Height of a group of lanes (such as a worker) and the gap below it, in points (1/72 inch). Set
  /// by share_height().
  double group_pt;
  /// Distance between groups of lanes (workers) whose name is shown, counted in groups: every
  /// `name_step`-th one has room for it. Set by share_height(); 1 before.
  std::size_t name_step;
};

/// Returns the name of a group of lanes (such as a worker) for a plot, cut to 26 characters if it
/// is longer: its first 23 characters and "...".
std::string short_name(const std::string& name);

/// Returns the width in cm of the margin on the left of the lanes that the names of all groups of
/// lanes (such as workers) in the traces need, each shortened by short_name(); at least 1.2.
double names_width_cm(const std::vector<Timeline>& traces);

/// Describes a run in one line without a newline: "Het: makespan 19.2 s, 1.133 times the bound".
/// `bound_s` is a lower bound on the makespan in seconds; nullopt leaves the last part out.
std::string makespan_text(const Timeline& trace, const std::optional<double>& bound_s);

/// Reads the traces (timelines of runs) of the heuristics that the option --heuristics names from
/// the request's only file; the option may be missing if the file holds one trace. `kind` is the
/// name of the kind of plot, for errors. The heights of the result are not set: call share_height()
/// next. Throws InputError if there are several files, the file is no trace, an option is wrong, or
/// no activity ends after 0 and there is no bound.
TraceView read_trace_view(const char* kind, const PlotRequest& request);

/// Divides the height of a plot of traces between the legend of `legend_rows` rows (at least 1),
/// the headings of panels and the groups of lanes (such as workers); sets legend_rows, margins_cm,
/// group_pt and name_step of `view`. Call it before check_size() and make_drawing().
void share_height(TraceView& view, const PlotRequest& request, std::size_t legend_rows);

/// Throws InputError if the option --size leaves no room for the lanes (rows of activities) of the
/// plot beside a margin of `right_cm` centimetres on their right; else does nothing. Requires that
/// share_height() has been called.
void check_size(const TraceView& view, const PlotRequest& request, double right_cm);

/// Makes a drawing with the title, the size and the settings that the scripts of Gantt charts and
/// memory plots read; the caller sets its script and data. `height` is the height of all lanes and
/// gaps in the chart, in heights of a lane; `lane_pt` is that of a lane in points (1/72 inch).
/// Marks the request's dates, else the bound, if there is one, and the makespan of a single trace.
/// Requires that share_height() has been called.
Drawing make_drawing(const TraceView& view, const PlotRequest& request, double height,
                     double lane_pt);

/// Draws the parts of a plot of traces (such as the lanes of each) as finely as the size of its
/// file allows. Calls `draw(resolution_s)`, which returns a range of parts for a pixel of
/// `resolution_s` simulated seconds, first for half a point (1/144 inch), then for twice that and
/// so on, four times at most, until the parts have at most 60,000 shapes (some megabytes) or a
/// pixel is four points wide. `count` returns the number of shapes of a part. Returns a pair by
/// value: the parts and their resolution in seconds.
template <class Draw, class Count>
auto draw_at_finest_resolution(const TraceView& view, const Draw& draw, const Count& count) {
  constexpr std::size_t most = 60'000;
  const double width_pt =
      std::max(view.width_cm - names_width_cm(view.traces) - kMargin_cm, 1.0) / kPoint_cm;
  for (double column_pt = 0.5;; column_pt *= 2) {
    const double resolution_s = view.window.length_s() * column_pt / width_pt;
    std::pair result(draw(resolution_s), resolution_s);
    std::size_t total = 0;
    for (const auto& part : result.first) total += count(part);
    if (total <= most || column_pt >= 4) return result;
  }
}

}  // namespace starport
