// The memory of one GPU when capacities are limited, with eviction of the least recently used
// tiles.
#pragma once

#include "sim/tiles/task.hpp"

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>

namespace starport::tiles {

/// Free space and eviction order of one GPU's memory. Tiles of A and B that no planned task uses
/// are evicted, the least recently used first. Tiles of C occupy space, but are never evicted: the
/// Runtime releases them when another node writes them or when they have returned to the hub.
class GpuMemory {
 public:
  explicit GpuMemory(std::int64_t capacity_tiles) : free_tiles_(capacity_tiles) {}

  /// Registers one more planned task that reads a tile of A or B, which protects it from eviction.
  void pin(Tile tile) {
    const auto [use, is_new] = uses_.try_emplace(tile);
    if (!is_new && use->second.tasks == 0) unused_.erase(use->second.position);
    ++use->second.tasks;
  }
  /// Unregisters one task that reads a pinned tile; after the last one the tile may be evicted.
  void unpin(Tile tile) {
    Use& use = uses_.at(tile);
    if (--use.tasks == 0) use.position = unused_.insert(unused_.end(), tile);
  }
  /// Reserves space for one tile and sets `evicted` to the tile that was evicted for it, if any.
  /// Returns false if there is neither free space nor a tile to evict.
  bool reserve(std::optional<Tile>& evicted) {
    evicted.reset();
    if (free_tiles_ > 0) {
      --free_tiles_;
      return true;
    }
    if (unused_.empty()) return false;
    evicted = unused_.front();
    unused_.pop_front();
    uses_.erase(*evicted);
    return true;
  }
  /// Returns the space of one tile that has left the memory.
  void release() { ++free_tiles_; }

  std::deque<Tile> waiting{};  ///< requested tiles without reserved space, first come first served

 private:
  struct Use {
    int tasks = 0;                         ///< planned tasks that read the tile
    std::list<Tile>::iterator position{};  ///< in unused_, valid while `tasks` is 0
  };

  std::int64_t free_tiles_;
  std::list<Tile> unused_{};  ///< tiles that may be evicted, the least recently used first
  std::unordered_map<Tile, Use> uses_{};
};

}  // namespace starport::tiles
