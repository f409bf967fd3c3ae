#include "sim/tiles/held_tiles.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace starport::tiles {
namespace {

enum class MemoryEvent : std::uint8_t { departure, task_start, transfer_start };

/// What changes what a memory holds: a copy leaves, a task makes the other copies of its target
/// invalid, a tile is on its way.
struct MemoryChange {
  double date_s;
  MemoryEvent event;
  std::int32_t node;
  Tile tile;
};

std::vector<MemoryChange> memory_changes(const Platform& platform, const Work& work,
                                         const Trace& trace) {
  std::vector<MemoryChange> changes;
  for (const auto& [departure, at_s] : trace.departures) {
    changes.push_back({at_s, MemoryEvent::departure, departure.node, departure.tile});
  }
  for (const TracedTask& traced : trace.tasks) {
    changes.push_back({traced.start_s, MemoryEvent::task_start, platform.worker(traced.worker).node,
                       work.needs(traced.task).target});
  }
  for (const auto& [transfer, start_s, end_s] : trace.transfers) {
    changes.push_back({start_s, MemoryEvent::transfer_start, transfer.to, transfer.tile});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
    return std::tie(a.date_s, a.event) < std::tie(b.date_s, b.event);
  });
  return changes;
}

}  // namespace

HeldTiles::HeldTiles(const Platform& platform, const Work& work, const Trace& trace)
    : steps_(static_cast<std::size_t>(platform.nodes())) {
  const auto tiles = static_cast<std::size_t>(work.tiles());
  std::vector<bool> copies(steps_.size() * tiles);
  const auto copy = [&](int node, Tile tile) {
    return copies[static_cast<std::size_t>(node) * tiles + static_cast<std::size_t>(tile)];
  };
  for (const auto& [date_s, event, node, tile] : memory_changes(platform, work, trace)) {
    const bool comes = event == MemoryEvent::transfer_start;
    for (int other = 1; other < platform.nodes(); ++other) {
      const bool concerned = (event == MemoryEvent::task_start) != (other == node);
      if (!concerned || copy(other, tile) == comes) continue;
      copy(other, tile) = comes;
      change(other, date_s, comes ? 1 : -1);
    }
  }
}

void HeldTiles::change(int node, double date_s, std::int64_t by) {
  auto& steps = steps_[static_cast<std::size_t>(node)];
  const std::int64_t held = (steps.empty() ? 0 : steps.back().held) + by;
  if (!steps.empty() && steps.back().date_s == date_s) {
    steps.back().held = held;
  } else {
    steps.push_back({date_s, held});
  }
}

std::int64_t HeldTiles::at(int node, double date_s) const {
  const auto& steps = steps_[static_cast<std::size_t>(node)];
  const auto later =
      std::upper_bound(steps.begin(), steps.end(), date_s,
                       [](double date, const Step& step) { return date < step.date_s; });
  return later == steps.begin() ? 0 : std::prev(later)->held;
}

}  // namespace starport::tiles
