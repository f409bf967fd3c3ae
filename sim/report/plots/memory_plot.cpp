#include "plots/scripts.hpp"
#include "sim/files/error.hpp"
#include "sim/report/plots/figure_text.hpp"
#include "sim/report/plots/memory_strips.hpp"
#include "sim/report/plots/trace_view.hpp"

#include <fmt/format.h>

namespace starport {
namespace {

constexpr double kMostHeld_cm = 3;  ///< width on the right of the strips, for the most blocks held

/// Writes the polygons below the curve of a strip, whose bottom is at height `bottom`: one for each
/// time during which the group holds something, since a polygon of no height would show as a line.
/// A blank line ends each.
std::string polygons(const char* kind, const MemoryStrip& strip,
                     std::int64_t MemoryPiece::*held_blocks, const TraceView& view, double bottom) {
  std::string rows;
  const auto point = [&](double date_s, double share) {
    rows += fmt::format("{},,,{:.15g},{:.6g},,\n", kind, date_s / view.axis.unit_s, bottom - share);
  };
  const auto& pieces = strip.pieces;
  const auto held = [&](std::size_t i) { return i < pieces.size() ? pieces[i].*held_blocks : 0; };
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (held(i) == 0) continue;
    const double start_s = pieces[i].start_s;
    const double end_s = i + 1 < pieces.size() ? pieces[i + 1].start_s : view.window.to_s;
    const double share = static_cast<double>(held(i)) / static_cast<double>(strip.m_blocks);
    if (i == 0 || held(i - 1) == 0) point(start_s, 0);
    point(start_s, share);
    point(end_s, share);
    if (held(i + 1) > 0) continue;
    point(end_s, 0);
    rows += "\n";
  }
  return rows;
}

Drawing draw_memory(const PlotRequest& request) {
  TraceView view = read_trace_view("memory", request);
  if (view.traces.size() > 1) {
    throw InputError("--heuristics", "one heuristic for --figure memory",
                     fmt::format("{}", view.traces.size()));
  }
  const Timeline& trace = view.traces.front();
  share_height(view, request, legend_rows(3, 23, view.width_cm));
  check_size(view, request, kMostHeld_cm);
  constexpr double gap = 0.3;  // between strips
  const auto strips =
      draw_at_finest_resolution(
          view,
          [&](double resolution_s) { return memory_strips(trace, view.window, resolution_s); },
          [](const MemoryStrip& strip) { return strip.pieces.size(); })
          .first;
  if (strips.empty()) {
    throw InputError(request.files.front(),
                     "held_blocks of workers whose memory is limited (tile tasks: memory=limited)",
                     "none");
  }
  std::string data = "kind,text,figure,x,y,bottom,top\n";
  double top = 0;
  std::size_t number = 0;
  for (const MemoryStrip& strip : strips) {
    const double bottom = top + 1;
    const bool named = number++ % view.name_step == 0;
    const double most =
        static_cast<double>(strip.most_blocks) / static_cast<double>(strip.m_blocks);
    data += fmt::format("name,{},{},,{:.6g},{:.6g},{:.6g}\n\n",
                        named ? gnuplot_field(short_name(trace.groups[strip.group].name)) : "",
                        named ? fmt::format("{:.1f}% of {}", 100 * most, strip.m_blocks) : "",
                        bottom - 0.5, bottom, top);
    data += polygons("held_at_times", strip, &MemoryPiece::most_blocks, view, bottom);
    data += polygons("held", strip, &MemoryPiece::least_blocks, view, bottom);
    top = bottom + gap;
  }
  Drawing drawing = make_drawing(view, request, top, view.group_pt / (1 + gap));
  drawing.script = embedded::plots_memory_gp;
  drawing.data = std::move(data);
  return drawing;
}

}  // namespace

PlotKind memory_plot() {
  return {"memory",
          "the blocks in each worker's memory over time, against its size",
          PlotInput::trace,
          {"heuristics", "from", "to"},
          draw_memory};
}

}  // namespace starport
