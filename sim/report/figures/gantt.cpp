#include "sim/report/figures/gantt.hpp"

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace starport {
namespace {

/// Slices that are too short to be drawn on their own.
class Group {
 public:
  bool empty() const { return slices_ == 0; }
  double start_s() const { return start_s_; }
  double end_s() const { return end_s_; }

  void add(const Slice& slice) {
    if (empty()) start_s_ = slice.start_s;
    end_s_ = slice.end_s;
    time_s_[static_cast<std::size_t>(slice.kind)] += slice.end_s - slice.start_s;
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
    for (int kind = 0; kind < kSliceKinds; ++kind) {
      const double time_s = time_s_[static_cast<std::size_t>(kind)];
      if (time_s <= 0) continue;
      const double top = bottom + height * time_s / busy_s;
      boxes.push_back({.start_s = start_s_,
                       .end_s = end_s,
                       .bottom = bottom,
                       .top = top,
                       .kind = static_cast<SliceKind>(kind),
                       .alone = slices_ == 1});
      bottom = top;
    }
    *this = {};
  }

 private:
  double start_s_ = 0;
  double end_s_ = 0;
  std::array<double, kSliceKinds> time_s_{};
  int slices_ = 0;
};

using Slices = std::vector<Slice>;

/// A transfer, cut in proportion to its blocks where it carries C with A and B.
void add_transfer(const TraceRow& row, Slices& lane) {
  if (row.kind == TraceRow::Kind::to_master) {
    lane.push_back({row.start_s, row.end_s, SliceKind::c_returned});
    return;
  }
  const auto c = static_cast<double>(row.c_blocks);
  const double blocks = c + static_cast<double>(row.ab_blocks);
  const double cut_s =
      blocks > 0 ? row.start_s + (row.end_s - row.start_s) * c / blocks : row.start_s;
  if (row.c_blocks > 0) lane.push_back({row.start_s, cut_s, SliceKind::c_sent});
  if (row.ab_blocks > 0) lane.push_back({cut_s, row.end_s, SliceKind::ab_sent});
}

struct WorkerSlices {
  Slices link;
  Slices computation;
};

}  // namespace

const char* to_string(SliceKind kind) {
  switch (kind) {
    case SliceKind::c_sent:
      return "c_sent";
    case SliceKind::ab_sent:
      return "ab_sent";
    case SliceKind::c_returned:
      return "c_returned";
    case SliceKind::update:
      return "update";
    case SliceKind::port_waits:
      return "port_waits";
  }
  return "";
}

std::vector<GanttBox> condense(const std::vector<Slice>& slices, const TimeWindow& window,
                               double resolution_s) {
  std::vector<GanttBox> boxes;
  Group group;
  for (const Slice& whole : slices) {
    const Slice slice{std::max(whole.start_s, window.from_s), std::min(whole.end_s, window.to_s),
                      whole.kind};
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
                       .kind = slice.kind,
                       .alone = true});
    } else {
      group.add(slice);
    }
  }
  if (!group.empty()) group.draw(group.end_s(), resolution_s, boxes);
  return boxes;
}

std::vector<GanttLane> gantt_lanes(const TraceFile& trace, const TimeWindow& window,
                                   double resolution_s) {
  std::array<Slices, 2> ports;  // two ports: by direction
  std::map<std::int64_t, WorkerSlices> workers;
  double port_free_s = 0;
  for (const TraceRow& row : trace.rows) {
    if (row.kind == TraceRow::Kind::update) {
      workers[row.worker].computation.push_back({row.start_s, row.end_s, SliceKind::update});
      continue;
    }
    if (trace.port == Port::Kind::one && clearly_less(port_free_s, row.start_s)) {
      ports[0].push_back({port_free_s, row.start_s, SliceKind::port_waits});
    }
    port_free_s = row.end_s;
    const bool home = row.kind == TraceRow::Kind::to_master;
    add_transfer(row, ports[trace.port == Port::Kind::two && home ? 1 : 0]);
    add_transfer(row, workers[row.worker].link);
  }
  std::vector<GanttLane> lanes;
  const auto add_lane = [&](std::int64_t worker, bool computation, const Slices& slices,
                            const char* port = "") {
    lanes.push_back({.worker = worker,
                     .computation = computation,
                     .port = port,
                     .boxes = condense(slices, window, resolution_s)});
  };
  if (trace.port == Port::Kind::one) add_lane(0, false, ports[0], "port");
  if (trace.port == Port::Kind::two) {
    add_lane(0, false, ports[0], "sends");
    add_lane(0, false, ports[1], "returns");
  }
  for (const auto& [worker, slices] : workers) {
    add_lane(worker, false, slices.link);
    add_lane(worker, true, slices.computation);
  }
  return lanes;
}

}  // namespace starport
