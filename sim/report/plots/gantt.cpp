#include "sim/report/plots/gantt.hpp"

#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/ties.hpp"
#include "sim/report/plots/drawing.hpp"
#include "sim/report/plots/plot_kinds.hpp"
#include "sim/report/plots/trace_view.hpp"
#include "sim/report/run_difference.hpp"
#include "sim/report/trace_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace starport {
namespace {

/// Slices and gaps of at least this length have their boundaries drawn at the exact dates.
constexpr double kLong_columns = 4;
/// Slices of at least this length are separated by a seam from an equal one before.
constexpr double kSeam_columns = 10;

/// Cuts the slices to the window and fills the gaps between them with idle time.
std::vector<GanttBox> fill_gaps(const std::vector<Span>& slices, const TimeWindow& window) {
  std::vector<GanttBox> spans;
  double free_s = window.from_s;
  for (const Span& slice : slices) {
    const double start_s = std::max(slice.start_s, free_s);
    const double end_s = std::min(slice.end_s, window.to_s);
    if (start_s >= end_s) continue;
    if (start_s > free_s) spans.push_back({free_s, start_s, std::nullopt});
    spans.push_back({start_s, end_s, slice.role});
    free_s = end_s;
  }
  if (free_s < window.to_s) spans.push_back({free_s, window.to_s, std::nullopt});
  return spans;
}

/// Chooses the colour of each column of a lane, from the left.
class ColumnColours {
 public:
  explicit ColumnColours(double length_s) : length_s_(length_s) {}

  /// Adds `time_s` seconds of a role to the current column.
  void add(const std::optional<SliceRole>& role, double time_s) {
    behind_s_[index(role)] += time_s;
    present_[index(role)] = true;
  }
  /// Notes a boundary between two long slices, to be drawn at its date.
  void note_boundary(double date_s, const std::optional<SliceRole>& before,
                     const std::optional<SliceRole>& after) {
    boundary_ = {date_s, date_s, after};
    before_boundary_ = before;
  }
  /// Ends the current column, which gets its colour.
  void close(double start_s, double end_s) {
    std::size_t chosen = behind_s_.size();
    for (std::size_t role = 0; role < behind_s_.size(); ++role) {
      if (!present_[role]) continue;
      if (chosen == behind_s_.size() || behind_s_[role] > behind_s_[chosen]) chosen = role;
    }
    present_ = {};
    behind_s_[chosen] -= end_s - start_s;
    const auto role = role_of(chosen);
    if (!boxes.empty() && boxes.back().role == role) {
      boxes.back().end_s = end_s;
      return;
    }
    if (!boxes.empty() && before_boundary_ == boxes.back().role && boundary_.role == role &&
        std::abs(boundary_.start_s - start_s) <= length_s_) {
      const double moved_s = boundary_.start_s - start_s;
      behind_s_[index(boxes.back().role)] -= moved_s;
      behind_s_[chosen] += moved_s;
      start_s = boxes.back().end_s = boundary_.start_s;
    }
    boxes.push_back({start_s, end_s, role});
  }

  std::vector<GanttBox> boxes;

 private:
  static constexpr std::size_t kIdle = kSliceRoles.size();
  static std::size_t index(const std::optional<SliceRole>& role) {
    return role ? static_cast<std::size_t>(*role) : kIdle;
  }
  static std::optional<SliceRole> role_of(std::size_t index) {
    return index == kIdle ? std::nullopt : std::optional(static_cast<SliceRole>(index));
  }

  double length_s_;
  /// By role, its time so far minus the time of its columns.
  std::array<double, kSliceRoles.size() + 1> behind_s_{};
  std::array<bool, kSliceRoles.size() + 1> present_{};  ///< by role, whether it is in the column
  GanttBox boundary_{-1, -1, {}};                       ///< the last one: its date, the role after
  std::optional<SliceRole> before_boundary_;            ///< the role before it
};

/// Returns the names of the kinds of slice of each role that occurs in the traces, separated by
/// " / ".
nlohmann::ordered_json names_of_roles(const std::vector<Timeline>& traces) {
  std::array<std::vector<std::string>, kSliceRoles.size()> names;
  const auto add = [&](SliceRole role, const std::string& name) {
    auto& of_role = names[static_cast<std::size_t>(role)];
    if (std::ranges::find(of_role, name) == of_role.end()) of_role.push_back(name);
  };
  for (const Timeline& trace : traces) {
    for (const SliceKind& kind : trace.kinds) {
      if (kind.role != SliceRole::remove) add(kind.role, kind.name);
    }
    for (const LaneGroup& group : trace.groups) {
      if (!group.wait_label.empty()) add(SliceRole::wait, group.wait_label);
    }
  }
  auto by_role = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    by_role[std::string(kSliceRoles[i])] = fmt::format("{}", fmt::join(names[i], " / "));
  }
  return by_role;
}

/// The lanes of a trace as they are drawn: groups from the top, each with its lanes.
using DrawnGroups = std::vector<std::vector<GanttLane>>;

/// Returns the rows of a trace for draw_gantt() of plots/figure.py, without the header.
std::string gantt_rows(const Timeline& trace, const DrawnGroups& groups) {
  std::string rows;
  for (const auto& lanes : groups) {
    for (const GanttLane& lane : lanes) {
      const std::string place = fmt::format("{},{},{},", quote_csv_field(trace.name),
                                            quote_csv_field(trace.group_of(lane.lane).name),
                                            quote_csv_field(trace.lanes[lane.lane].name));
      const auto add = [&](std::string_view role, double start_s, double end_s) {
        rows += fmt::format("{}{},{:.15g},{:.15g}\n", place, role, start_s, end_s);
      };
      for (const GanttBox& box : lane.drawn.boxes) {
        add(box.role ? to_string(*box.role) : "idle", box.start_s, box.end_s);
      }
      for (const double date_s : lane.drawn.seams_s) add("seam", date_s, date_s);
      if (lane.drawn.boxes.empty()) add("blank", 0, 0);  // the run ends before these dates
    }
  }
  return rows;
}

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
  const TraceView view = read_trace_view("gantt", request);
  const auto [panels, resolution_s] = draw_at_finest_resolution(
      view, request.width_cm,
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
  std::string data = "run,group,lane,role,start_s,end_s\n";
  auto headings = nlohmann::ordered_json::object();
  auto makespans_s = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const Timeline& trace = view.traces[i];
    data += gantt_rows(trace, panels[i]);
    headings[trace.name] = makespan_text(trace, view.bound_s);
    makespans_s[trace.name] = trace.makespan_s;
  }
  auto marks = nlohmann::ordered_json::array();
  for (const auto& [name, date_s] : request.marked_dates_s) marks.push_back({name, date_s});
  if (marks.empty()) {
    if (view.bound_s) marks.push_back({"bound", *view.bound_s});
    if (panels.size() == 1) marks.push_back({"makespan", view.traces.front().makespan_s});
  }
  Drawing drawing = request.make_drawing("gantt", std::move(data),
                                         {{"title", view.title},
                                          {"from_s", view.window.from_s},
                                          {"to_s", view.window.to_s},
                                          {"column_s", resolution_s},
                                          {"roles", names_of_roles(view.traces)},
                                          {"headings", headings},
                                          {"makespans_s", makespans_s},
                                          {"marks", marks}});
  if (has_shorter_slice(view.traces, resolution_s))
    drawing.settings["merged_below_s"] = resolution_s;
  return drawing;
}

}  // namespace

DrawnLane draw_in_columns(const std::vector<Span>& slices, const TimeWindow& window,
                          double resolution_s) {
  const double count = std::max(1.0, std::round(window.length_s() / resolution_s));
  const double length_s = window.length_s() / count;
  const std::vector<GanttBox> spans = fill_gaps(slices, window);
  const auto lasts = [&](const GanttBox& span, double columns) {
    return span.end_s - span.start_s >= columns * length_s;
  };
  DrawnLane lane;
  ColumnColours columns(length_s);
  double column = 1;
  double start_s = window.from_s;
  double end_s = count > 1 ? window.from_s + length_s : window.to_s;
  for (std::size_t i = 0; i < spans.size(); ++i) {
    const GanttBox& span = spans[i];
    if (i > 0 && lasts(span, kLong_columns) && lasts(spans[i - 1], kLong_columns)) {
      columns.note_boundary(span.start_s, spans[i - 1].role, span.role);
    }
    if (i > 0 && span.role && span.role == spans[i - 1].role && lasts(span, kSeam_columns) &&
        lasts(spans[i - 1], kSeam_columns)) {
      lane.seams_s.push_back(span.start_s);
    }
    double done_s = span.start_s;
    while (span.end_s >= end_s && column <= count) {
      // Skip the columns that a single slice fills: they change no balance.
      const double whole = std::floor((span.end_s - start_s) / length_s);
      if (done_s == start_s && whole > 2) {
        column = std::min(column + whole - 2, count);
        end_s = column < count ? window.from_s + column * length_s : window.to_s;
      }
      if (end_s > done_s) columns.add(span.role, end_s - done_s);
      columns.close(start_s, end_s);
      done_s = start_s = end_s;
      ++column;
      end_s = column < count ? window.from_s + column * length_s : window.to_s;
    }
    if (span.end_s > done_s) columns.add(span.role, span.end_s - done_s);
  }
  lane.boxes = std::move(columns.boxes);
  return lane;
}

std::vector<std::vector<GanttLane>> gantt_lanes(const Timeline& timeline, const TimeWindow& window,
                                                double resolution_s) {
  std::vector<std::vector<Span>> spans(timeline.lanes.size());
  const auto add = [&](std::size_t lane, const Slice& slice) {
    if (!timeline.group_of(lane).wait_label.empty()) {
      const double free_s = spans[lane].empty() ? 0 : spans[lane].back().end_s;
      if (clearly_less(free_s, slice.start_s)) {
        spans[lane].push_back({free_s, slice.start_s, SliceRole::wait});
      }
    }
    spans[lane].push_back({slice.start_s, slice.end_s, timeline.kind_of(slice).role});
  };
  for (const Slice& slice : timeline.slices) {
    add(slice.lane, slice);
    if (slice.other_lane) add(*slice.other_lane, slice);
  }
  std::vector<std::vector<GanttLane>> groups;
  for (const std::vector<std::size_t>& lanes : timeline.lanes_in_use()) {
    if (lanes.empty()) continue;
    auto& group = groups.emplace_back();
    for (const std::size_t lane : lanes) {
      group.push_back({lane, draw_in_columns(spans[lane], window, resolution_s)});
    }
  }
  return groups;
}

PlotKind gantt_plot() {
  return {"gantt",
          "the port, the transfers and the updates of each worker over time, and the bound; a "
          "panel per heuristic",
          PlotInput::trace,
          {"heuristics", "from", "to"},
          draw_gantt};
}

void draw_two_runs(const Timeline& a, const Timeline& b, const std::string& path,
                   const char* option, const std::optional<std::string>& from,
                   const std::optional<std::string>& to) {
  const PlotFormat format = plot_format(path, option);
  OutputFile output(path, option);
  MemoryFile both;
  TraceExporter exporter(TraceFormat::csv, [&](std::string_view text) { both.write(text); });
  exporter.add(join_timelines(a, b));
  exporter.finish();
  PlotRequest request{.files = {both.path()},
                      .title = fmt::format("A: {}, {:.5g} s. B: {}, {:.5g} s", a.name, a.makespan_s,
                                           b.name, b.makespan_s)};
  if (!nearly_equal(a.makespan_s, b.makespan_s)) {
    request.marked_dates_s = {{"makespan of A", a.makespan_s}, {"makespan of B", b.makespan_s}};
  }
  if (from) request.options["from"] = *from;
  if (to) request.options["to"] = *to;
  output.write(render(plot_kind("gantt").draw(request), format));
  output.commit();
}

}  // namespace starport
