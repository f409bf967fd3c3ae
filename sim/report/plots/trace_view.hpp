// Parts shared by the figures of traces: which traces and dates are shown, the room for them, and
// the settings of their scripts.
#pragma once

#include "sim/report/plots/gnuplot.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/plots/time_window.hpp"
#include "sim/results/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport {

inline constexpr double kLine_pt = 9.5;     ///< height of a line of text
inline constexpr double kMargin_cm = 0.6;   ///< margin on the right of the lanes
inline constexpr double kHeading_cm = 0.6;  ///< height of the heading of a panel
inline constexpr double kPoint_cm = 2.54 / 72;

/// The traces of a figure, the dates it shows, and its measures.
struct TraceView {
  std::vector<Timeline> traces;   ///< at least one; a Gantt chart shows several as panels
  double end_s;                   ///< last date of all traces
  std::optional<double> bound_s;  ///< smallest bound of the traces; none if one of them has none
  TimeWindow window;              ///< the dates on the axis
  TimeAxis axis;
  std::string title;  ///< wrapped to the width
  double width_cm;
  double margins_cm;  ///< above and below the lanes
  std::size_t legend_rows;
  double group_pt;        ///< height of a group of lanes and the gap below it, in points
  std::size_t name_step;  ///< every `name_step`-th group has room for its name
};

/// Shortens the name of a group to the characters for which a figure has room.
std::string short_name(const std::string& name);

/// Returns the width of the margin for the names of the groups, on the left of the lanes.
double names_width_cm(const std::vector<Timeline>& traces);

/// Describes a run: "Het: makespan 19.2 s, 1.133 times the bound".
std::string makespan_text(const Timeline& trace, const std::optional<double>& bound_s);

/// Reads the traces that --heuristics names from the request's file; the option may be missing if
/// the file holds one trace. `kind` is the name of the figure, for errors. Throws InputError.
TraceView read_trace_view(const char* kind, const PlotRequest& request);

/// Divides the height between the legend, the headings of panels and the groups of lanes.
void share_height(TraceView& view, const PlotRequest& request, std::size_t legend_rows);

/// Throws InputError if --size leaves no room for the lanes beside a margin of `right_cm` on their
/// right.
void check_size(const TraceView& view, const PlotRequest& request, double right_cm);

/// Makes a drawing with the settings that both scripts read. `height` is the height of all lanes in
/// the unit of one lane, `lane_pt` the height of a lane in points.
Drawing make_drawing(const TraceView& view, const PlotRequest& request, double height,
                     double lane_pt);

/// Calls `draw(resolution_s)` with the finest resolution, from half a point to some four, at which
/// the figure stays below 60,000 shapes (some megabytes). Half a point is a pixel at 144 dots per
/// inch. `draw` returns a range of parts, `count` the number of shapes of a part. Returns the parts
/// and the resolution in seconds.
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
