#include "sim/report/plots/memory_strips.hpp"

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <cstddef>

namespace starport {
namespace {

/// From this date on, a group holds so many blocks.
struct Step {
  double date_s;
  std::int64_t held_blocks;
};

/// What transfers do to a group's memory, and what else does, each by date.
struct Steps {
  std::vector<Step> transfers;
  std::vector<Step> others;
};

/// Both, by date. Of two dates that coincide up to rounding, what is no transfer comes first: the
/// end of an update, which makes room.
std::vector<Step> merged(const Steps& steps) {
  std::vector<Step> all;
  auto other = steps.others.begin();
  for (const Step& transfer : steps.transfers) {
    while (other != steps.others.end() && !clearly_less(transfer.date_s, other->date_s)) {
      all.push_back(*other++);
    }
    all.push_back(transfer);
  }
  all.insert(all.end(), other, steps.others.end());
  return all;
}

/// The steps within the window, those that are too short to be drawn put together.
std::vector<MemoryPiece> condense(const std::vector<Step>& steps, const TimeWindow& window,
                                  double resolution_s) {
  std::vector<MemoryPiece> pieces;
  bool open = false;  // the last piece takes in short steps
  const auto add = [&](double start_s, double end_s, std::int64_t held) {
    start_s = std::max(start_s, window.from_s);
    end_s = std::min(end_s, window.to_s);
    if (start_s >= end_s) return;
    const bool alone = end_s - start_s >= resolution_s;
    if (open && !alone && start_s - pieces.back().start_s < resolution_s) {
      pieces.back().least_blocks = std::min(pieces.back().least_blocks, held);
      pieces.back().most_blocks = std::max(pieces.back().most_blocks, held);
    } else {
      pieces.push_back({start_s, held, held});
    }
    open = !alone;
  };
  add(0, steps.empty() ? window.to_s : steps.front().date_s, 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    add(steps[i].date_s, i + 1 < steps.size() ? steps[i + 1].date_s : window.to_s,
        steps[i].held_blocks);
  }
  return pieces;
}

}  // namespace

std::vector<MemoryStrip> memory_strips(const Timeline& timeline, const TimeWindow& window,
                                       double resolution_s) {
  std::vector<Steps> steps(timeline.groups.size());
  for (const Slice& slice : timeline.slices) {
    if (!slice.held) continue;
    const bool transfer = timeline.kind_of(slice).way != Way::none;
    Steps& own = steps[timeline.lanes[slice.lane].group];
    (transfer ? own.transfers : own.others)
        .push_back({slice.held->from == HeldMemory::From::start ? slice.start_s : slice.end_s,
                    slice.held->blocks});
  }
  std::vector<MemoryStrip> strips;
  for (std::size_t group = 0; group < steps.size(); ++group) {
    if (steps[group].transfers.empty() && steps[group].others.empty()) continue;
    MemoryStrip strip{.group = group,
                      .m_blocks = timeline.groups[group].memory_blocks.value(),
                      .most_blocks = 0,
                      .pieces = condense(merged(steps[group]), window, resolution_s)};
    for (const MemoryPiece& piece : strip.pieces) {
      strip.most_blocks = std::max(strip.most_blocks, piece.most_blocks);
    }
    strips.push_back(std::move(strip));
  }
  return strips;
}

}  // namespace starport
