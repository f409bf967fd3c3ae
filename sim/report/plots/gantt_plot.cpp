#include "plots/scripts.hpp"
#include "sim/files/characters.hpp"
#include "sim/report/plots/figure_text.hpp"
#include "sim/report/plots/gantt.hpp"
#include "sim/report/plots/trace_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

namespace starport {
namespace {

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

}  // namespace

PlotKind gantt_plot() {
  return {"gantt",
          "the port, then the transfers and the updates of each worker; the bound's date",
          PlotInput::trace,
          {"heuristic", "from", "to"},
          draw_gantt};
}

}  // namespace starport
