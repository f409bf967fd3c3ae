#include "plots/scripts.hpp"
#include "sim/files/characters.hpp"
#include "sim/files/error.hpp"
#include "sim/report/plots/figure_text.hpp"
#include "sim/report/plots/gantt.hpp"
#include "sim/report/plots/memory_strips.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/plots/result_axes.hpp"
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
constexpr double kMargin_cm = 0.6;   ///< on the right of the lanes
constexpr double kMostHeld_cm = 3;   ///< the same of the strips
constexpr double kRow_cm = 0.35;     ///< a row of the legend
constexpr double kPoint_cm = 2.54 / 72;

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

/// Comfortable for a few groups, thin for a hundred, and no figure taller than 60 cm.
double group_height_pt(const PlotRequest& request, double margins_cm, double groups) {
  if (request.height_cm > 0) {
    return std::max(request.height_cm - margins_cm, 1.0) / kPoint_cm / groups;
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

/// As much of a name as has room beside a figure.
std::string short_name(const std::string& name) {
  constexpr std::size_t most = 26;
  return characters(name) <= most ? name : first_characters(name, most - 3) + "...";
}

/// The margin for the names of the groups; on the other side it is kMargin_cm.
double names_cm(const Timeline& trace) {
  constexpr double least_cm = 1.2;
  constexpr double letter_cm = 0.17;
  std::size_t longest = 0;
  for (const LaneGroup& group : trace.groups) {
    longest = std::max(longest, characters(short_name(group.name)));
  }
  return std::max(least_cm, letter_cm * static_cast<double>(longest) + 0.25);
}

TraceView view_of(const char* kind, const PlotRequest& request) {
  if (request.files.size() != 1) {
    throw InputError(std::string("--figure ") + kind, "one trace",
                     fmt::format("{} files", request.files.size()));
  }
  TraceView view{.trace = read_trace(request.files.front(), request.find("heuristic")),
                 .width_cm = request.width_cm > 0 ? request.width_cm : 17,
                 .named = 1};
  const Timeline& trace = view.trace;
  view.end_s = trace.end_s();
  view.window = time_window(request.find("from"), request.find("to"),
                            std::max(view.end_s, trace.bound_s.value_or(0)));
  view.axis = time_axis(view.window, view.width_cm - names_cm(view.trace) - kMargin_cm);
  view.title = request.title;
  if (view.title.empty()) {
    view.title = fmt::format("{}: makespan {:.5g} s", trace.name, trace.makespan_s);
    if (trace.bound_s) {
      view.title += fmt::format(", {:.3f} times the bound", trace.makespan_s / *trace.bound_s);
    }
  }
  view.title = fitted_title(view.title, view.width_cm);
  return view;
}

/// The room for the lanes of the groups, beside a legend of some rows.
void share_height(TraceView& view, const PlotRequest& request, std::size_t legend_rows) {
  const auto lanes = view.trace.lanes_in_use();
  std::size_t groups = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    groups += view.trace.groups[i].worker && !lanes[i].empty();
  }
  view.legend_rows = legend_rows;
  view.margins_cm = kMargins_cm + kRow_cm * static_cast<double>(legend_rows - 1) +
                    height_cm_of(view.title) - height_cm_of("");
  view.group_pt = group_height_pt(request, view.margins_cm,
                                  static_cast<double>(std::max<std::size_t>(groups, 1)));
  view.named = name_step(view.group_pt);
}

/// Refuses a size that leaves no room for the lanes beside `right_cm` on their right.
void check_size(const TraceView& view, const PlotRequest& request, double right_cm) {
  constexpr double least_axis_cm = 3;
  constexpr double least_lanes_cm = 1;
  require_size(request,
               {names_cm(view.trace) + right_cm + least_axis_cm, view.margins_cm + least_lanes_cm});
}

/// What both figures tell their scripts. `height` is that of all lanes, `lane_pt` that of one.
Drawing drawing_of(const TraceView& view, const PlotRequest& request, double height,
                   double lane_pt) {
  const Timeline& trace = view.trace;
  const double unit_s = view.axis.unit_s;
  const auto number = [](double value) { return fmt::format("{:#.15g}", value); };
  // Two makespans are marked on the lines of text that one and a bound would have.
  const bool several = !request.makespans_s.empty();
  const std::string bound = trace.bound_s && !several ? number(*trace.bound_s / unit_s) : "NaN";
  std::string dates = several ? "" : number(trace.makespan_s / unit_s);
  std::string names = several ? "" : "'makespan'";
  for (const auto& [name, makespan_s] : request.makespans_s) {
    dates += number(makespan_s / unit_s) + " ";
    names += "'" + name + "' ";
  }
  return {.title = view.title,
          .width_cm = view.width_cm,
          .height_cm = request.height_cm > 0 ? request.height_cm
                                             : view.margins_cm + height * lane_pt * kPoint_cm,
          .settings = {{"from", number(view.window.from_s / unit_s)},
                       {"to", number(view.window.to_s / unit_s)},
                       {"until", number(std::min(view.window.to_s, view.end_s) / unit_s)},
                       {"tic", number(view.axis.tic)},
                       {"decimals", fmt::format("{}", view.axis.decimals)},
                       {"xlabel", gnuplot_text(view.axis.label)},
                       {"height", number(height)},
                       {"legend_rows", fmt::format("{}", view.legend_rows)},
                       {"names_cm", number(names_cm(trace))},
                       {"marks", gnuplot_text(dates)},
                       {"mark_names", gnuplot_text(names)},
                       {"bound", bound}}};
}

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

struct LegendEntry {
  std::string role;
  std::string names;  ///< of its kinds
};

/// The roles that slices have.
std::vector<LegendEntry> gantt_legend(const Timeline& trace) {
  std::array<std::vector<std::string>, kSliceRoles.size()> names;
  const auto add = [&](SliceRole role, const std::string& name) {
    auto& known = names[static_cast<std::size_t>(role)];
    if (std::ranges::find(known, name) == known.end()) known.push_back(name);
  };
  for (const SliceKind& kind : trace.kinds) add(kind.role, kind.name);
  for (const LaneGroup& group : trace.groups) {
    if (!group.waits.empty()) add(SliceRole::wait, group.waits);
  }
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    legend.push_back({std::string(kSliceRoles[i]), fmt::format("{}", fmt::join(names[i], " / "))});
  }
  return legend;
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
      for (const GanttBox& box : lane.drawn.boxes) {
        rectangle(box.role ? to_string(*box.role) : "idle", "", box.start_s, box.end_s, height,
                  height + lane_height);
      }
      for (const double date_s : lane.drawn.seams_s) {
        rectangle("seam", "", date_s, date_s, height, height + lane_height);
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

/// Whether a slice is too short to be drawn where it is.
bool any_shorter(const Timeline& trace, double length_s) {
  return std::ranges::any_of(trace.slices, [&](const Slice& slice) {
    return slice.end_s - slice.start_s < length_s && slice.end_s > slice.start_s;
  });
}

Drawing draw_gantt(const PlotRequest& request) {
  TraceView view = view_of("gantt", request);
  std::string roles;
  std::string names;
  std::size_t longest = 4;
  const std::vector<LegendEntry> legend = gantt_legend(view.trace);
  for (const LegendEntry& entry : legend) {
    roles += entry.role + " ";
    names += fmt::format("\"{}\" ", entry.names);
    longest = std::max(longest, characters(entry.names));
  }
  share_height(view, request, legend_rows(legend.size() + 1, longest, view.width_cm));
  check_size(view, request, kMargin_cm);
  const auto [groups, resolution_s] = condensed(
      view,
      [&](double column_s) {
        const TimeWindow shown{view.window.from_s, std::min(view.window.to_s, view.end_s)};
        return gantt_lanes(view.trace, shown, column_s);
      },
      [](const std::vector<GanttLane>& lanes) {
        std::size_t boxes = 0;
        for (const GanttLane& lane : lanes) boxes += lane.drawn.boxes.size();
        return boxes;
      });
  if (any_shorter(view.trace, resolution_s)) {
    view.axis.label += fmt::format("; below {:.2g} {} in proportion",
                                   resolution_s / view.axis.unit_s, view.axis.unit);
  }
  std::size_t most_lanes = 1;
  for (const auto& lanes : groups) most_lanes = std::max(most_lanes, lanes.size());
  const double lane_pt = view.group_pt / (static_cast<double>(most_lanes) + GanttData::kGap);
  GanttData data(view);
  for (const auto& lanes : groups) data.add(lanes, lane_pt);
  Drawing drawing = drawing_of(view, request, data.height, lane_pt);
  constexpr double overlap = 3;  // columns
  drawing.settings.emplace_back("overlap",
                                fmt::format("{:#.15g}", overlap * resolution_s / view.axis.unit_s));
  drawing.settings.emplace_back("roles", gnuplot_text(roles));
  drawing.settings.emplace_back("names", gnuplot_text(names));
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
  TraceView view = view_of("memory", request);
  share_height(view, request, legend_rows(3, 21, view.width_cm));
  check_size(view, request, kMostHeld_cm);
  constexpr double gap = 0.3;  // between strips
  const auto strips =
      condensed(
          view,
          [&](double resolution_s) { return memory_strips(view.trace, view.window, resolution_s); },
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
