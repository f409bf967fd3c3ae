#include "sim/report/plots/gantt.hpp"

#include "sim/platform/ties.hpp"

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

}  // namespace starport
