#include "sim/tiles/memory_occupancy.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace starport::tiles {
namespace {

enum class MemoryEvent : std::uint8_t { eviction, task_start, transfer_start };

/// An event that may change the number of tiles in a memory: an eviction, the start of a task,
/// which invalidates all other copies of its target, or the start of a transfer. At equal dates,
/// events are applied in the order of MemoryEvent.
struct MemoryChange {
  double date_s;
  MemoryEvent event;
  std::int32_t node;
  Tile tile;
};

/// Returns the memory events of a trace, sorted by date.
std::vector<MemoryChange> find_memory_changes(const Platform& platform, const TaskGraph& graph,
                                              const Trace& trace) {
  std::vector<MemoryChange> changes;
  for (const auto& [eviction, date_s] : trace.evictions) {
    changes.push_back({date_s, MemoryEvent::eviction, eviction.node, eviction.tile});
  }
  for (const TracedTask& traced : trace.tasks) {
    changes.push_back({traced.start_s, MemoryEvent::task_start, platform.worker(traced.worker).node,
                       graph.operands(traced.task).target});
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

MemoryOccupancy::MemoryOccupancy(const Platform& platform, const TaskGraph& graph,
                                 const Trace& trace)
    : steps_(static_cast<std::size_t>(platform.nodes())) {
  const auto tiles = static_cast<std::size_t>(graph.tiles());
  std::vector<bool> copies(steps_.size() * tiles);
  const auto copy = [&](int node, Tile tile) {
    return copies[static_cast<std::size_t>(node) * tiles + static_cast<std::size_t>(tile)];
  };
  for (const auto& [date_s, event, node, tile] : find_memory_changes(platform, graph, trace)) {
    const bool arrives = event == MemoryEvent::transfer_start;
    for (int other = 1; other < platform.nodes(); ++other) {
      const bool is_affected = (event == MemoryEvent::task_start) != (other == node);
      if (!is_affected || copy(other, tile) == arrives) continue;
      copy(other, tile) = arrives;
      add_step(other, date_s, arrives ? 1 : -1);
    }
  }
}

void MemoryOccupancy::add_step(int node, double date_s, std::int64_t change) {
  auto& steps = steps_[static_cast<std::size_t>(node)];
  const std::int64_t tiles = (steps.empty() ? 0 : steps.back().tiles) + change;
  if (!steps.empty() && steps.back().date_s == date_s) {
    steps.back().tiles = tiles;
  } else {
    steps.push_back({date_s, tiles});
  }
}

std::int64_t MemoryOccupancy::tiles_at(int node, double date_s) const {
  const auto& steps = steps_[static_cast<std::size_t>(node)];
  const auto later =
      std::upper_bound(steps.begin(), steps.end(), date_s,
                       [](double date, const Step& step) { return date < step.date_s; });
  return later == steps.begin() ? 0 : std::prev(later)->tiles;
}

}  // namespace starport::tiles
