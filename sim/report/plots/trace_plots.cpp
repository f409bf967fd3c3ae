#include "plots/scripts.hpp"
#include "sim/files/characters.hpp"
#include "sim/files/error.hpp"
#include "sim/report/plots/gantt.hpp"
#include "sim/report/plots/memory_strips.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/plots/time_window.hpp"
#include "sim/report/trace_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace starport {
namespace {

constexpr double kLine_pt = 9.5;     ///< a line of text
constexpr double kMargins_cm = 3.1;  ///< above and below the lanes, as both scripts have them
constexpr double kPoint_cm = 2.54 / 72;

/// The trace asked for, the part of it to show, and the room that there is.
struct TraceView {
  Timeline trace;
  double end_s;  ///< its last date
  TimeWindow window;
  TimeAxis axis;
  double group_pt;    ///< height of a group's lanes on paper, with the gap below them
  std::size_t named;  ///< every how many groups a name has room
};

/// Comfortable for a few groups, thin for a hundred, and no figure taller than 60 cm.
double group_height_pt(const PlotRequest& request, double groups) {
  if (request.height_cm > 0) {
    return std::max(request.height_cm - kMargins_cm, 1.0) / kPoint_cm / groups;
  }
  return std::clamp(480 / groups, std::min(6.5, 1700 / groups), 30.0);
}

std::size_t name_step(double group_pt) {
  std::size_t step = 1;
  for (int i = 0; static_cast<double>(step) * group_pt < kLine_pt; ++i) {
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;  // 1, 2, 5, 10, 20, 50, ...
  }
  return step;
}

TraceView view_of(const char* kind, const PlotRequest& request) {
  if (request.files.size() != 1) {
    throw InputError(std::string("--figure ") + kind, "one trace",
                     fmt::format("{} files", request.files.size()));
  }
  TraceView view{.trace = read_trace(request.files.front(), request.find("heuristic")), .named = 1};
  const Timeline& trace = view.trace;
  view.end_s = trace.end_s();
  view.window = time_window(request.find("from"), request.find("to"),
                            std::max(view.end_s, trace.bound_s.value_or(0)));
  view.axis = time_axis(view.window);
  const auto lanes = trace.lanes_in_use();
  std::size_t groups = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    groups += trace.groups[i].worker && !lanes[i].empty();
  }
  view.group_pt = group_height_pt(request, static_cast<double>(std::max<std::size_t>(groups, 1)));
  view.named = name_step(view.group_pt);
  return view;
}

/// What both figures tell their scripts. `height` is that of all lanes, `lane_pt` that of one.
Drawing drawing_of(const TraceView& view, const PlotRequest& request, double height,
                   double lane_pt) {
  const auto& [trace, end_s, window, axis, group_pt, named] = view;
  std::string title = fmt::format("{}: makespan {:.5g} s", trace.name, trace.makespan_s);
  if (trace.bound_s) {
    title += fmt::format(", {:.3f} times the bound", trace.makespan_s / *trace.bound_s);
  }
  const auto number = [](double value) { return fmt::format("{:#.15g}", value); };
  return {.title = request.title.empty() ? title : request.title,
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
                       {"bound", trace.bound_s ? number(*trace.bound_s / axis.unit_s) : "NaN"}}};
}

/// As much of a name as has room beside a figure.
std::string short_name(const std::string& name) {
  constexpr std::size_t most = 26;
  return characters(name) <= most ? name : first_characters(name, most - 3) + "...";
}

/// The margin for the names of the groups.
std::pair<std::string, std::string> room_for_names(const Timeline& trace) {
  constexpr double least_cm = 1.2;
  constexpr double letter_cm = 0.17;
  std::size_t longest = 0;
  for (const LaneGroup& group : trace.groups) {
    longest = std::max(longest, characters(short_name(group.name)));
  }
  const double room_cm = std::max(least_cm, letter_cm * static_cast<double>(longest) + 0.25);
  return {"names_cm", fmt::format("{:#.15g}", room_cm)};
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

/// The legend: the roles that slices have, each with the names of its kinds.
std::vector<std::pair<std::string, std::string>> gantt_legend(const Timeline& trace) {
  std::array<std::vector<std::string>, kSliceRoles.size()> names;
  const auto add = [&](SliceRole role, const std::string& name) {
    auto& known = names[static_cast<std::size_t>(role)];
    if (std::ranges::find(known, name) == known.end()) known.push_back(name);
  };
  for (const SliceKind& kind : trace.kinds) add(kind.role, kind.name);
  for (const LaneGroup& group : trace.groups) {
    if (!group.waits.empty()) add(SliceRole::wait, group.waits);
  }
  std::string roles;
  std::string texts;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    roles += fmt::format("{} ", kSliceRoles[i]);
    texts += fmt::format("\"{}\" ", fmt::join(names[i], " / "));
  }
  return {{"roles", gnuplot_text(roles)}, {"names", gnuplot_text(texts)}};
}

/// Writes the rows that gantt.gp reads, from the top.
class GanttData {
 public:
  explicit GanttData(const TraceView& view) : view_(view) {}

  void add(const std::vector<GanttLane>& lanes, double lane_pt) {
    const LaneGroup& group = view_.trace.group_of(lanes.front().lane);
    const double top = height;
    // The name of a shared group and that of the first of the others have a line each.
    const double least = group.worker ? 0 : 2 * (kLine_pt / lane_pt - 1 - kGap);
    const double lane_height = std::max(1.0, least / static_cast<double>(lanes.size()));
    for (const GanttLane& lane : lanes) {
      rectangle("lane", "", view_.window.from_s, std::min(view_.window.to_s, view_.end_s), height,
                height + lane_height);
      for (const GanttBox& box : lane.boxes) {
        rectangle(to_string(box.role), box.alone ? "slice" : "group", box.start_s, box.end_s,
                  height + lane_height * (1 - box.top), height + lane_height * (1 - box.bottom));
      }
      height += lane_height;
    }
    if (!group.worker || number_++ % view_.named == 0) {
      rectangle("name", gnuplot_field(short_name(group.name)), view_.window.from_s,
                view_.window.from_s, top, height);
    }
    height += kGap;
  }

  static constexpr double kGap = 0.5;  ///< under the lanes of a group
  std::string rows = "kind,text,x0,x1,y0,y1\n";
  double height = 0;  ///< of all that was added

 private:
  void rectangle(std::string_view what, const std::string& text, double start_s, double end_s,
                 double top, double bottom) {
    const double unit_s = view_.axis.unit_s;
    rows += fmt::format("{},{},{:.15g},{:.15g},{:.6g},{:.6g}\n", what, text, start_s / unit_s,
                        end_s / unit_s, top, bottom);
  }

  const TraceView& view_;
  std::size_t number_ = 0;
};

Drawing draw_gantt(const PlotRequest& request) {
  const TraceView view = view_of("gantt", request);
  const auto groups = condensed(
      view.window,
      [&](double resolution_s) { return gantt_lanes(view.trace, view.window, resolution_s); },
      [](const std::vector<GanttLane>& lanes) {
        std::size_t boxes = 0;
        for (const GanttLane& lane : lanes) boxes += lane.boxes.size();
        return boxes;
      });
  std::size_t most_lanes = 1;
  for (const auto& lanes : groups) most_lanes = std::max(most_lanes, lanes.size());
  const double lane_pt = view.group_pt / (static_cast<double>(most_lanes) + GanttData::kGap);
  GanttData data(view);
  for (const auto& lanes : groups) data.add(lanes, lane_pt);
  Drawing drawing = drawing_of(view, request, data.height, lane_pt);
  for (auto& setting : gantt_legend(view.trace)) drawing.settings.push_back(std::move(setting));
  drawing.settings.push_back(room_for_names(view.trace));
  drawing.script = embedded::plots_gantt_gp;
  drawing.data = std::move(data.rows);
  return drawing;
}

/// The polygons under what a group holds, above the bottom of its strip: one for each time during
/// which that is not 0, since a polygon of no height would show as a line. A blank line ends each.
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
  const TraceView view = view_of("memory", request);
  constexpr double gap = 0.3;  // between strips
  const auto strips = condensed(
      view.window,
      [&](double resolution_s) { return memory_strips(view.trace, view.window, resolution_s); },
      [](const MemoryStrip& strip) { return strip.pieces.size(); });
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
    const bool named = number++ % view.named == 0;
    const double most =
        static_cast<double>(strip.most_blocks) / static_cast<double>(strip.m_blocks);
    data += fmt::format("name,{},{},,{:.6g},{:.6g},{:.6g}\n\n",
                        named ? gnuplot_field(short_name(view.trace.groups[strip.group].name)) : "",
                        named ? fmt::format("{:.1f}% of {}", 100 * most, strip.m_blocks) : "",
                        bottom - 0.5, bottom, top);
    data += polygons("held_at_times", strip, &MemoryPiece::most_blocks, view, bottom);
    data += polygons("held", strip, &MemoryPiece::least_blocks, view, bottom);
    top = bottom + gap;
  }
  Drawing drawing = drawing_of(view, request, top, view.group_pt / (1 + gap));
  drawing.settings.push_back(room_for_names(view.trace));
  drawing.script = embedded::plots_memory_gp;
  drawing.data = std::move(data);
  return drawing;
}

}  // namespace

std::vector<PlotKind> trace_plots() {
  const std::vector<std::string> options{"heuristic", "from", "to"};
  return {{"gantt", "the port, then the transfers and the updates of each worker; the bound's date",
           PlotInput::trace, options, draw_gantt},
          {"memory", "what each worker holds over time, against its memory", PlotInput::trace,
           options, draw_memory}};
}

}  // namespace starport
