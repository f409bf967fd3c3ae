#include "sim/report/plots/gantt.hpp"

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <array>

namespace starport {
namespace {

/// Slices that are too short to be drawn on their own.
class Group {
 public:
  bool empty() const { return slices_ == 0; }
  double start_s() const { return start_s_; }
  double end_s() const { return end_s_; }

  void add(const Span& slice) {
    if (empty()) start_s_ = slice.start_s;
    end_s_ = slice.end_s;
    time_s_[static_cast<std::size_t>(slice.role)] += slice.end_s - slice.start_s;
    ++slices_;
  }

  /// Draws the group, and the idle time after it until that date.
  void draw(double until_s, double resolution_s, std::vector<GanttBox>& boxes) {
    // Some ink, even for a lone slice that is far thinner than a pixel.
    const double end_s = std::max(until_s, start_s_ + resolution_s / 2);
    // And so for the height: a group that is nearly idle would vanish.
    constexpr double least_height = 0.2;
    double busy_s = 0;
    for (const double time_s : time_s_) busy_s += time_s;
    const double height = std::clamp(busy_s / (until_s - start_s_), least_height, 1.0);
    double bottom = 0;
    for (std::size_t role = 0; role < kSliceRoles.size(); ++role) {
      const double time_s = time_s_[role];
      if (time_s <= 0) continue;
      const double top = bottom + height * time_s / busy_s;
      boxes.push_back({.start_s = start_s_,
                       .end_s = end_s,
                       .bottom = bottom,
                       .top = top,
                       .role = static_cast<SliceRole>(role),
                       .alone = slices_ == 1});
      bottom = top;
    }
    *this = {};
  }

 private:
  double start_s_ = 0;
  double end_s_ = 0;
  std::array<double, kSliceRoles.size()> time_s_{};
  int slices_ = 0;
};

}  // namespace

std::vector<GanttBox> condense(const std::vector<Span>& slices, const TimeWindow& window,
                               double resolution_s) {
  std::vector<GanttBox> boxes;
  Group group;
  for (const Span& whole : slices) {
    const Span slice{std::max(whole.start_s, window.from_s), std::min(whole.end_s, window.to_s),
                     whole.role};
    if (slice.start_s >= slice.end_s) continue;
    const bool alone = slice.end_s - slice.start_s >= resolution_s;
    if (!group.empty()) {
      const bool apart = alone || slice.start_s - group.end_s() > resolution_s;
      const bool wide = group.end_s() - group.start_s() >= resolution_s;
      if (apart || wide) {
        group.draw(apart ? group.end_s() : slice.start_s, resolution_s, boxes);
      }
    }
    if (alone) {
      boxes.push_back({.start_s = slice.start_s,
                       .end_s = slice.end_s,
                       .bottom = 0,
                       .top = 1,
                       .role = slice.role,
                       .alone = true});
    } else {
      group.add(slice);
    }
  }
  if (!group.empty()) group.draw(group.end_s(), resolution_s, boxes);
  return boxes;
}

std::vector<std::vector<GanttLane>> gantt_lanes(const Timeline& timeline, const TimeWindow& window,
                                                double resolution_s) {
  std::vector<std::vector<Span>> spans(timeline.lanes.size());
  const auto add = [&](std::size_t lane, const Slice& slice) {
    if (!timeline.group_of(lane).waits.empty()) {
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
      group.push_back({lane, condense(spans[lane], window, resolution_s)});
    }
  }
  return groups;
}

}  // namespace starport
