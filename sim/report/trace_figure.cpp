#include "sim/report/trace_figure.hpp"

#include "sim/report/gantt.hpp"
#include "sim/report/memory_strips.hpp"
#include "sim/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport {
namespace {

constexpr double kLine_pt = 9.5;  ///< a line of text

/// Height on paper of one worker: comfortable for a few, thin for a hundred, and no figure taller
/// than 60 cm.
double worker_height_pt(std::size_t workers) {
  const auto p = static_cast<double>(workers);
  return std::clamp(480 / p, std::min(6.5, 1700 / p), 30.0);
}

/// With the margins that both scripts keep.
double paper_cm(double lanes_pt) { return 3.1 + lanes_pt * 2.54 / 72; }

/// Every how many workers a name has room.
std::size_t name_step(double worker_pt) {
  std::size_t step = 1;
  for (std::size_t i = 0; static_cast<double>(step) * worker_pt < kLine_pt; ++i) {
    step = step / (i % 3 == 1 ? 2 : 1) * (i % 3 == 1 ? 5 : 2);  // 1, 2, 5, 10, 20, 50, ...
  }
  return step;
}

/// Draws with the finest resolution, from a quarter of a point to some two points, at which
/// the figure does not take too many megabytes. `draw` takes seconds, `count` counts what it gives.
template <class Draw, class Count>
auto drawn(const TimeWindow& window, const Draw& draw, const Count& count) {
  constexpr std::size_t most = 60'000;
  for (int columns = 1600;; columns /= 2) {
    auto parts = draw(window.length_s() / columns);
    std::size_t total = 0;
    for (const auto& part : parts) total += count(part);
    if (total <= most || columns <= 200) return parts;
  }
}

/// What both figures say about the trace.
TraceFigure figure_of(const TraceFile& trace, const TimeWindow& window) {
  const TimeAxis axis = time_axis(window);
  std::string title = fmt::format("{}: makespan {:.5g} s", trace.heuristic, trace.makespan_s);
  if (trace.bound_s) {
    title += fmt::format(", {:.3f} times the bound", trace.makespan_s / *trace.bound_s);
  }
  return {.csv = "",
          .title = title,
          .axis = axis,
          .from = window.from_s / axis.unit_s,
          .to = window.to_s / axis.unit_s,
          .makespan = trace.makespan_s / axis.unit_s,
          .bound = trace.bound_s ? *trace.bound_s / axis.unit_s
                                 : std::numeric_limits<double>::quiet_NaN(),
          .height = 0,
          .height_cm = 0};
}

}  // namespace

TraceFigure gantt_figure(const TraceFile& trace, const TimeWindow& window) {
  constexpr double gap = 0.5;  // under a worker's two lanes
  const double worker_pt = worker_height_pt(trace.m_blocks.size());
  const double lane_pt = worker_pt / (2 + gap);
  const std::size_t named = name_step(worker_pt);
  TraceFigure figure = figure_of(trace, window);
  figure.csv = "kind,text,x0,x1,y0,y1\n";
  const auto rectangle = [&](const char* kind, const std::string& text, double start_s,
                             double end_s, double top, double bottom) {
    figure.csv +=
        fmt::format("{},{},{:.12g},{:.12g},{:.6g},{:.6g}\n", kind, text,
                    start_s / figure.axis.unit_s, end_s / figure.axis.unit_s, top, bottom);
  };
  const auto lanes = drawn(
      window, [&](double resolution_s) { return gantt_lanes(trace, window, resolution_s); },
      [](const GanttLane& lane) { return lane.boxes.size(); });
  std::size_t worker = 0;
  for (const GanttLane& lane : lanes) {
    const bool port = lane.worker == 0;
    const double top = figure.height;
    const double height = port ? std::max(1.0, 1.4 * kLine_pt / lane_pt) : 1;
    rectangle("lane", "", window.from_s, std::min(window.to_s, trace.end_s), top, top + height);
    for (const GanttBox& box : lane.boxes) {
      rectangle(to_string(box.kind), box.alone ? "slice" : "group", box.start_s, box.end_s,
                top + height * (1 - box.top), top + height * (1 - box.bottom));
    }
    if (port) {
      rectangle("worker", "port", 0, 0, top, top + height);
    } else if (!lane.computation && worker++ % named == 0) {
      rectangle("worker", fmt::format("P{}", lane.worker), 0, 0, top, top + 2);
    }
    figure.height = top + height + (lane.computation || port ? gap : 0);
  }
  figure.height_cm = paper_cm(figure.height * lane_pt);
  return figure;
}

TraceFigure memory_figure(const TraceFile& trace, const TimeWindow& window) {
  constexpr double gap = 0.3;  // between strips
  const double worker_pt = worker_height_pt(trace.m_blocks.size());
  const std::size_t named = name_step(worker_pt);
  TraceFigure figure = figure_of(trace, window);
  const double unit_s = figure.axis.unit_s;
  const auto strips = drawn(
      window, [&](double resolution_s) { return memory_strips(trace, window, resolution_s); },
      [](const MemoryStrip& strip) { return strip.pieces.size(); });
  std::string names;
  std::size_t worker = 0;
  figure.csv = "kind,text,x,y,least,most\n";
  for (const MemoryStrip& strip : strips) {
    const double bottom = figure.height + 1;
    const auto m = static_cast<double>(strip.m_blocks);
    const auto share = [&](std::int64_t blocks) { return static_cast<double>(blocks) / m; };
    for (std::size_t i = 0; i < strip.pieces.size(); ++i) {
      const auto& [start_s, least, most] = strip.pieces[i];
      const bool last = i + 1 == strip.pieces.size();
      for (const double date_s : {start_s, last ? window.to_s : strip.pieces[i + 1].start_s}) {
        figure.csv += fmt::format("held,,{:.12g},{:.6g},{:.6g},{:.6g}\n", date_s / unit_s, bottom,
                                  bottom - share(least), bottom - share(most));
      }
    }
    figure.csv += "\n";
    const bool has_name = worker++ % named == 0;
    names += fmt::format(
        "worker,{},{},{:.6g},{:.6g},{:.6g}\n", has_name ? fmt::format("P{}", strip.worker) : "",
        has_name ? fmt::format("{:.1f}% of {}", 100 * share(strip.most_blocks), strip.m_blocks)
                 : "",
        bottom - 0.5, bottom, bottom - 1);
    figure.height = bottom + gap;
  }
  figure.csv += names;
  figure.height_cm = paper_cm(figure.height / (1 + gap) * worker_pt);
  return figure;
}

}  // namespace starport
