// Parts shared by the figures of traces: which traces and dates are shown, and how finely.
#pragma once

#include "sim/report/plots/drawing.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/results/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

/// A range of dates of a run that a chart shows, from `from_s` to `to_s`, in simulated seconds
/// since the start of the run.
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

/// Content of a plot of traces: one or several timelines of runs, the range of dates on the axis,
/// and a title. Made by read_trace_view(); owns its timelines.
struct TraceView {
  /// Timelines that are shown, at least one, in the order of the option --heuristics; a Gantt chart
  /// shows several as panels below each other.
  std::vector<Timeline> traces;
  /// Last end of an activity in all traces, in simulated seconds; 0 without any.
  double end_s;
  /// Lower bound on the makespan of every trace, the smallest of theirs, in simulated seconds;
  /// nullopt if one of them has none.
  std::optional<double> bound_s;
  /// Range of dates, in simulated seconds, that the time axis shows; by default from 0 to `end_s`
  /// or the bound, whichever is later.
  TimeWindow window;
  /// Title of the plot: PlotRequest::title or, if that is empty and there is one timeline, its name
  /// and makespan (makespan_text()); empty: none.
  std::string title;
};

/// Describes a run in one line without a newline: "Het: makespan 19.2 s, 1.133 times the bound".
/// `bound_s` is a lower bound on the makespan in seconds; nullopt leaves the last part out.
std::string makespan_text(const Timeline& trace, const std::optional<double>& bound_s);

/// Reads the traces (timelines of runs) of the heuristics that the option --heuristics names, in
/// its order, separated by commas (those in square brackets belong to a name), from the request's
/// only file; the option may be missing if the file holds one trace. `kind` is the name of the kind
/// of plot, for errors. Throws InputError if there is not exactly one file, the file is no trace,
/// an option is wrong, or no activity ends after 0 and there is no bound.
TraceView read_trace_view(const char* kind, const PlotRequest& request);

/// Draws a plot of traces as finely as the size of its file allows. Calls `draw(resolution_s)`,
/// which returns a range of parts of the plot (such as the lanes of each trace) for pixels of
/// `resolution_s` simulated seconds. Pixels are half a point (1/144 inch) wide at first, and twice
/// as wide at each further call, until all parts together have at most 60,000 shapes (some
/// megabytes) or a pixel is four points wide. `count(part)` returns the number of shapes of a part.
/// `width_cm` is the width of the plot (0: 17). Returns a pair by value: the last parts, and their
/// resolution in simulated seconds.
template <class Draw, class Count>
auto draw_at_finest_resolution(const TraceView& view, double width_cm, const Draw& draw,
                               const Count& count) {
  constexpr std::size_t most = 60'000;
  constexpr double beside_cm = 2.5;  // about what the names of lanes take
  constexpr double point_cm = 2.54 / 72;
  const double width_pt = std::max((width_cm > 0 ? width_cm : 17) - beside_cm, 1.0) / point_cm;
  for (double column_pt = 0.5;; column_pt *= 2) {
    const double resolution_s = view.window.length_s() * column_pt / width_pt;
    std::pair result(draw(resolution_s), resolution_s);
    std::size_t total = 0;
    for (const auto& part : result.first) total += count(part);
    if (total <= most || column_pt >= 4) return result;
  }
}

}  // namespace starport
