// What the figures of a trace share: the trace, the part of it that is shown, and the room for it.
#pragma once

#include "sim/report/plots/gnuplot.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/plots/time_window.hpp"
#include "sim/results/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace starport {

inline constexpr double kLine_pt = 9.5;    ///< a line of text
inline constexpr double kMargin_cm = 0.6;  ///< on the right of the lanes
inline constexpr double kPoint_cm = 2.54 / 72;

/// The trace asked for, the part of it to show, and the room that there is.
struct TraceView {
  Timeline trace;
  double end_s;  ///< its last date
  TimeWindow window;
  TimeAxis axis;
  std::string title;
  double width_cm;
  double margins_cm;  ///< above and below the lanes
  std::size_t legend_rows;
  double group_pt;    ///< height of a group's lanes on paper, with the gap below them
  std::size_t named;  ///< every how many groups a name has room
};

/// As much of a name as has room beside a figure.
std::string short_name(const std::string& name);

/// The margin for the names of the groups; on the other side it is kMargin_cm.
double names_cm(const Timeline& trace);

TraceView view_of(const char* kind, const PlotRequest& request);

/// The room for the lanes of the groups, beside a legend of some rows.
void share_height(TraceView& view, const PlotRequest& request, std::size_t legend_rows);

/// Refuses a size that leaves no room for the lanes beside `right_cm` on their right.
void check_size(const TraceView& view, const PlotRequest& request, double right_cm);

/// What both figures tell their scripts. `height` is that of all lanes, `lane_pt` that of one.
Drawing drawing_of(const TraceView& view, const PlotRequest& request, double height,
                   double lane_pt);

/// Draws with the finest resolution, from half a point to some four, at which the figure does not
/// take too many megabytes. Half a point is a pixel where a page is shown at 144 dots per inch.
/// `draw` takes seconds, `count` counts what it gives.
template <class Draw, class Count>
auto condensed(const TraceView& view, const Draw& draw, const Count& count) {
  constexpr std::size_t most = 60'000;
  const double width_pt =
      std::max(view.width_cm - names_cm(view.trace) - kMargin_cm, 1.0) / kPoint_cm;
  for (double column_pt = 0.5;; column_pt *= 2) {
    const double resolution_s = view.window.length_s() * column_pt / width_pt;
    std::pair result(draw(resolution_s), resolution_s);
    std::size_t total = 0;
    for (const auto& part : result.first) total += count(part);
    if (total <= most || column_pt >= 4) return result;
  }
}

}  // namespace starport
