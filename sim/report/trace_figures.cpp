#include "sim/report/trace_figures.hpp"

#include "plots/scripts.hpp"
#include "sim/model/error.hpp"
#include "sim/report/gantt.hpp"
#include "sim/report/memory_strips.hpp"
#include "sim/report/time_window.hpp"
#include "sim/report/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace starport {
namespace {

constexpr double kLine_pt = 9.5;     ///< a line of text
constexpr double kMargins_cm = 3.1;  ///< above and below the lanes, as both scripts have them
constexpr double kPoint_cm = 2.54 / 72;

/// The trace asked for, the part of it to show, and the room that there is.
struct TraceView {
  TraceFile trace;
  TimeWindow window;
  TimeAxis axis;
  double worker_pt;   ///< height of a worker's lanes on paper, with the gap below them
  std::size_t named;  ///< every how many workers a name has room
};

std::optional<std::string> option(const FigureRequest& request, const char* name) {
  const auto found = request.options.find(name);
  return found == request.options.end() ? std::nullopt : std::optional(found->second);
}

/// Comfortable for a few workers, thin for a hundred, and no figure taller than 60 cm.
double worker_height_pt(const FigureRequest& request, double workers) {
  if (request.height_cm > 0) {
    return std::max(request.height_cm - kMargins_cm, 1.0) / kPoint_cm / workers;
  }
  return std::clamp(480 / workers, std::min(6.5, 1700 / workers), 30.0);
}

std::size_t name_step(double worker_pt) {
  std::size_t step = 1;
  for (int i = 0; static_cast<double>(step) * worker_pt < kLine_pt; ++i) {
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;  // 1, 2, 5, 10, 20, 50, ...
  }
  return step;
}

TraceView view_of(const FigureKind& kind, const FigureRequest& request) {
  if (request.files.size() != 1) {
    throw InputError("--figure " + kind.name, "one trace",
                     fmt::format("{} files", request.files.size()));
  }
  TraceView view{.trace = read_trace(request.files.front(), option(request, "heuristic")),
                 .window = {},
                 .axis = {},
                 .worker_pt = 0,
                 .named = 1};
  const double end_s = std::max(view.trace.end_s, view.trace.bound_s.value_or(0));
  view.window = time_window(option(request, "from"), option(request, "to"), end_s);
  view.axis = time_axis(view.window);
  view.worker_pt = worker_height_pt(request, static_cast<double>(view.trace.m_blocks.size()));
  view.named = name_step(view.worker_pt);
  return view;
}

/// What both figures tell their scripts. `height` is that of all lanes, `lane_pt` that of one.
Drawing drawing_of(const TraceView& view, const FigureRequest& request, double height,
                   double lane_pt) {
  const auto& [trace, window, axis, worker_pt, named] = view;
  std::string title = fmt::format("{}: makespan {:.5g} s", trace.heuristic, trace.makespan_s);
  if (trace.bound_s) {
    title += fmt::format(", {:.3f} times the bound", trace.makespan_s / *trace.bound_s);
  }
  const auto number = [](double value) { return fmt::format("{:#.15g}", value); };
  return {.script = {},
          .data = {},
          .title = request.title.empty() ? title : request.title,
          .width_cm = request.width_cm > 0 ? request.width_cm : 17,
          .height_cm = request.height_cm > 0 ? request.height_cm
                                             : kMargins_cm + height * lane_pt * kPoint_cm,
          .settings = {{"from", number(window.from_s / axis.unit_s)},
                       {"to", number(window.to_s / axis.unit_s)},
                       {"tic", number(axis.tic)},
                       {"decimals", fmt::format("{}", axis.decimals)},
                       {"xlabel", gnuplot_text(axis.label)},
                       {"height", number(height)},
                       {"makespan", number(trace.makespan_s / axis.unit_s)},
                       {"bound", trace.bound_s ? number(*trace.bound_s / axis.unit_s) : "NaN"}},
          .remark = {}};
}

/// Draws with the finest resolution, from a quarter of a point to some two points, at which the
/// figure does not take too many megabytes. `draw` takes seconds, `count` counts what it gives.
template <class Draw, class Count>
auto condensed(const TimeWindow& window, const Draw& draw, const Count& count) {
  constexpr std::size_t most = 60'000;
  for (int columns = 1600;; columns /= 2) {
    auto parts = draw(window.length_s() / columns);
    std::size_t total = 0;
    for (const auto& part : parts) total += count(part);
    if (total <= most || columns <= 200) return parts;
  }
}

}  // namespace

Drawing draw_gantt(const FigureKind& kind, const FigureRequest& request) {
  const TraceView view = view_of(kind, request);
  const auto& [trace, window, axis, worker_pt, named] = view;
  constexpr double gap = 0.5;  // under a worker's two lanes
  const double lane_pt = worker_pt / (2 + gap);
  std::string data = "kind,text,x0,x1,y0,y1\n";
  const auto rectangle = [&, unit_s = axis.unit_s](const char* what, const std::string& text,
                                                   double start_s, double end_s, double top,
                                                   double bottom) {
    data += fmt::format("{},{},{:.15g},{:.15g},{:.6g},{:.6g}\n", what, text, start_s / unit_s,
                        end_s / unit_s, top, bottom);
  };
  const auto lanes = condensed(
      window,
      [&](double resolution_s) { return gantt_lanes(view.trace, view.window, resolution_s); },
      [](const GanttLane& lane) { return lane.boxes.size(); });
  double top = 0;
  std::size_t worker = 0;
  for (const GanttLane& lane : lanes) {
    const bool port = lane.worker == 0;
    const double height = port ? std::max(1.0, 1.4 * kLine_pt / lane_pt) : 1;
    rectangle("lane", "", window.from_s, std::min(window.to_s, trace.end_s), top, top + height);
    for (const GanttBox& box : lane.boxes) {
      rectangle(to_string(box.kind), box.alone ? "slice" : "group", box.start_s, box.end_s,
                top + height * (1 - box.top), top + height * (1 - box.bottom));
    }
    if (port) {
      rectangle("worker", "port", window.from_s, window.from_s, top, top + height);
    } else if (!lane.computation && worker++ % named == 0) {
      rectangle("worker", fmt::format("P{}", lane.worker), window.from_s, window.from_s, top,
                top + 2);
    }
    top += height + (lane.computation || port ? gap : 0);
  }
  Drawing drawing = drawing_of(view, request, top, lane_pt);
  drawing.script = embedded::plots_gantt_gp;
  drawing.data = std::move(data);
  return drawing;
}

Drawing draw_memory(const FigureKind& kind, const FigureRequest& request) {
  const TraceView view = view_of(kind, request);
  const auto& [trace, window, axis, worker_pt, named] = view;
  constexpr double gap = 0.3;  // between strips
  const auto strips = condensed(
      window,
      [&](double resolution_s) { return memory_strips(view.trace, view.window, resolution_s); },
      [](const MemoryStrip& strip) { return strip.pieces.size(); });
  std::string data = "kind,text,x,y,least,most\n";
  std::string names;
  double top = 0;
  std::size_t worker = 0;
  for (const MemoryStrip& strip : strips) {
    const double bottom = top + 1;
    const auto share = [m = static_cast<double>(strip.m_blocks)](std::int64_t blocks) {
      return static_cast<double>(blocks) / m;
    };
    for (std::size_t i = 0; i < strip.pieces.size(); ++i) {
      const auto& [start_s, least, most] = strip.pieces[i];
      const bool last = i + 1 == strip.pieces.size();
      for (const double date_s : {start_s, last ? window.to_s : strip.pieces[i + 1].start_s}) {
        data += fmt::format("held,,{:.15g},{:.6g},{:.6g},{:.6g}\n", date_s / axis.unit_s, bottom,
                            bottom - share(least), bottom - share(most));
      }
    }
    data += "\n";
    const bool has_name = worker++ % named == 0;
    names += fmt::format(
        "worker,{},{},{:.6g},{:.6g},{:.6g}\n", has_name ? fmt::format("P{}", strip.worker) : "",
        has_name ? fmt::format("{:.1f}% of {}", 100 * share(strip.most_blocks), strip.m_blocks)
                 : "",
        bottom - 0.5, bottom, top);
    top = bottom + gap;
  }
  Drawing drawing = drawing_of(view, request, top, worker_pt / (1 + gap));
  drawing.script = embedded::plots_memory_gp;
  drawing.data = data + names;
  return drawing;
}

}  // namespace starport
