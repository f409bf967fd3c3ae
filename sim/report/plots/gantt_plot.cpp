#include "plots/scripts.hpp"
#include "sim/files/text.hpp"
#include "sim/report/plots/figure_text.hpp"
#include "sim/report/plots/gantt.hpp"
#include "sim/report/plots/trace_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace starport {
namespace {

/// An entry of the legend: a role, which gives the colour, and the names of its kinds of slice.
struct LegendEntry {
  std::string role;
  std::string names;  ///< separated by " / "
};

/// Returns an entry for each role that occurs in the traces.
std::vector<LegendEntry> gantt_legend(const std::vector<Timeline>& traces) {
  std::array<std::vector<std::string>, kSliceRoles.size()> names;
  const auto add = [&](SliceRole role, const std::string& name) {
    auto& of_role = names[static_cast<std::size_t>(role)];
    if (std::ranges::find(of_role, name) == of_role.end()) of_role.push_back(name);
  };
  for (const Timeline& trace : traces) {
    for (const SliceKind& kind : trace.kinds) add(kind.role, kind.name);
    for (const LaneGroup& group : trace.groups) {
      if (!group.wait_label.empty()) add(SliceRole::wait, group.wait_label);
    }
  }
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    legend.push_back({std::string(kSliceRoles[i]), fmt::format("{}", fmt::join(names[i], " / "))});
  }
  return legend;
}

/// The lanes of a trace as they are drawn: groups from the top, each with its lanes.
using DrawnGroups = std::vector<std::vector<GanttLane>>;

/// Writes the rows that gantt.gp reads, from the top. Heights count in lanes.
class GanttData {
 public:
  GanttData(const TraceView& view, double lane_pt) : view_(view), lane_pt_(lane_pt) {}

  /// Adds the lanes of a trace as a panel: below a heading, with a mark at its makespan, and blank
  /// after its last slice.
  void add_panel(const Timeline& trace, const DrawnGroups& groups) {
    const double heading = kHeading_cm / kPoint_cm / lane_pt_;
    rectangle("heading", gnuplot_field(makespan_text(trace, view_.bound_s)), view_.window.from_s,
              view_.window.from_s, height, height + heading);
    height += heading;
    const double top = height;
    number_ = 0;
    for (const auto& lanes : groups) add_group(trace, lanes);
    if (trace.makespan_s >= view_.window.from_s && trace.makespan_s <= view_.window.to_s) {
      rectangle("makespan", "", trace.makespan_s, trace.makespan_s, top, height - kGap);
    }
  }

  /// Adds the lanes of a group of a trace, and its name where there is room.
  void add_group(const Timeline& trace, const std::vector<GanttLane>& lanes) {
    const LaneGroup& group = trace.group_of(lanes.front().lane);
    const double top = height;
    // The name of a shared group and that of the first of the others have a line each.
    const double least = group.worker ? 0 : 2 * (kLine_pt / lane_pt_ - 1 - kGap);
    const double lane_height = std::max(1.0, least / static_cast<double>(lanes.size()));
    for (const GanttLane& lane : lanes) {
      for (const GanttBox& box : lane.drawn.boxes) {
        rectangle(box.role ? to_string(*box.role) : "idle", "", box.start_s, box.end_s, height,
                  height + lane_height);
      }
      // Rectangles overlap the next one: a blank one covers what the last one draws too far.
      const double end_s = std::max(trace.end_s(), view_.window.from_s);
      const double shown_end_s = std::min(view_.end_s, view_.window.to_s);
      if (end_s < shown_end_s) {
        rectangle("blank", "", end_s, shown_end_s, height, height + lane_height);
      }
      for (const double date_s : lane.drawn.seams_s) {
        rectangle("seam", "", date_s, date_s, height, height + lane_height);
      }
      height += lane_height;
    }
    if (!group.worker || number_++ % view_.name_step == 0) {
      rectangle("name", gnuplot_field(short_name(group.name)), view_.window.from_s,
                view_.window.from_s, top, height);
    }
    height += kGap;
  }

  static constexpr double kGap = 0.5;  ///< below the lanes of a group, in lanes
  std::string rows = "kind,text,x0,x1,y0,y1\n";
  double height = 0;  ///< of everything added so far, in lanes

 private:
  void rectangle(std::string_view kind, const std::string& text, double start_s, double end_s,
                 double top, double bottom) {
    const double unit_s = view_.axis.unit_s;
    rows += fmt::format("{},{},{:.15g},{:.15g},{:.6g},{:.6g}\n", kind, text, start_s / unit_s,
                        end_s / unit_s, top, bottom);
  }

  const TraceView& view_;
  double lane_pt_;
  std::size_t number_ = 0;  ///< of the next group of a worker
};

/// True if a slice of the traces is shorter than `length_s` but takes time.
bool has_shorter_slice(const std::vector<Timeline>& traces, double length_s) {
  return std::ranges::any_of(traces, [&](const Timeline& trace) {
    return std::ranges::any_of(trace.slices, [&](const Slice& slice) {
      return slice.end_s - slice.start_s < length_s && slice.end_s > slice.start_s;
    });
  });
}

/// Draws the lanes of a trace at a resolution, until its last date.
DrawnGroups draw_lanes(const TraceView& view, const Timeline& trace, double resolution_s) {
  const TimeWindow shown{view.window.from_s, std::min(view.window.to_s, trace.end_s())};
  if (shown.from_s < shown.to_s) return gantt_lanes(trace, shown, resolution_s);
  DrawnGroups empty;  // the run ends before the dates that are shown
  for (const std::vector<std::size_t>& lanes : trace.lanes_in_use()) {
    if (lanes.empty()) continue;
    auto& group = empty.emplace_back();
    for (const std::size_t lane : lanes) group.push_back({.lane = lane, .drawn = {}});
  }
  return empty;
}

Drawing draw_gantt(const PlotRequest& request) {
  TraceView view = read_trace_view("gantt", request);
  std::string roles;
  std::string names;
  std::size_t longest = 4;
  const std::vector<LegendEntry> legend = gantt_legend(view.traces);
  for (const LegendEntry& entry : legend) {
    roles += entry.role + " ";
    names += fmt::format("\"{}\" ", entry.names);
    longest = std::max(longest, character_count(entry.names));
  }
  share_height(view, request, legend_rows(legend.size() + 1, longest, view.width_cm));
  check_size(view, request, kMargin_cm);
  const auto [panels, resolution_s] = draw_at_finest_resolution(
      view,
      [&](double column_s) {
        std::vector<DrawnGroups> drawn;
        for (const Timeline& trace : view.traces) {
          drawn.push_back(draw_lanes(view, trace, column_s));
        }
        return drawn;
      },
      [](const DrawnGroups& groups) {
        std::size_t boxes = 0;
        for (const auto& lanes : groups) {
          for (const GanttLane& lane : lanes) boxes += lane.drawn.boxes.size();
        }
        return boxes;
      });
  if (has_shorter_slice(view.traces, resolution_s)) {
    view.axis.label += fmt::format("; below {:.2g} {} in proportion",
                                   resolution_s / view.axis.unit_s, view.axis.unit);
  }
  std::size_t most_lanes = 1;
  for (const DrawnGroups& groups : panels) {
    for (const auto& lanes : groups) most_lanes = std::max(most_lanes, lanes.size());
  }
  const double lane_pt = view.group_pt / (static_cast<double>(most_lanes) + GanttData::kGap);
  GanttData data(view, lane_pt);
  if (panels.size() == 1) {
    for (const auto& lanes : panels.front()) data.add_group(view.traces.front(), lanes);
  } else {
    for (std::size_t i = 0; i < panels.size(); ++i) data.add_panel(view.traces[i], panels[i]);
  }
  Drawing drawing = make_drawing(view, request, data.height, lane_pt);
  if (panels.size() > 1) drawing.settings.emplace_back("panels", fmt::format("{}", panels.size()));
  constexpr double overlap = 3;  // columns
  drawing.settings.emplace_back("overlap",
                                fmt::format("{:#.15g}", overlap * resolution_s / view.axis.unit_s));
  drawing.settings.emplace_back("roles", gnuplot_text(roles));
  drawing.settings.emplace_back("names", gnuplot_text(names));
  drawing.script = embedded::plots_gantt_gp;
  drawing.data = std::move(data.rows);
  return drawing;
}

}  // namespace

PlotKind gantt_plot() {
  return {"gantt",
          "the port, the transfers and the updates of each worker over time, and the bound; a "
          "panel per heuristic",
          PlotInput::trace,
          {"heuristics", "from", "to"},
          draw_gantt};
}

}  // namespace starport
