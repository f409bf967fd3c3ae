// Figures of one trace: the data and the values that their gnuplot scripts read.
#pragma once

#include "sim/report/time_window.hpp"
#include "sim/report/trace_file.hpp"

#include <string>

namespace starport {

/// Dates are in the unit of the axis. Heights count in lanes (gantt) or strips (memory), downwards
/// from the top.
struct TraceFigure {
  std::string csv;  ///< as the script says
  std::string title;
  TimeAxis axis;
  double from;
  double to;
  double makespan;
  double bound;      ///< NaN where there is none
  double height;     ///< of all lanes or strips
  double height_cm;  ///< of the figure on paper
};

/// For plots/gantt.gp: the rectangles `kind,text,x0,x1,y0,y1`. The kind is one of slices, or `lane`
/// (the background of one), or `worker` (whose name goes beside it).
TraceFigure gantt_figure(const TraceFile& trace, const TimeWindow& window);

/// For plots/memory.gp: the points `kind,text,x,y,least,most`. The kind is `held` (an outline per
/// worker, from the strip's bottom y; a blank line ends it), or `worker` (a strip with its name and
/// its figures).
TraceFigure memory_figure(const TraceFile& trace, const TimeWindow& window);

}  // namespace starport
