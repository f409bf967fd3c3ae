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

/// Free space, in tiles, and order of eviction of one GPU's memory. A tile of A or B that no
/// planned task uses may be evicted, the least recently used first. Tiles of C occupy space, but
/// are never evicted: the Runtime releases them when another node writes them or when they have
/// returned to main memory.
class GpuMemory {
 public:
  /// Creates an empty memory with space for `capacity_tiles` tiles. With 0, every reserve() fails.
  explicit GpuMemory(std::int64_t capacity_tiles) : free_tiles_(capacity_tiles) {}

  /// Registers one more planned task that reads a tile of A or B, which protects the tile from
  /// eviction. Does not reserve space for it. Each call must be matched by an unpin().
  void pin(Tile tile) {
    const auto [use, is_new] = uses_.try_emplace(tile);
    if (!is_new && use->second.tasks == 0) unused_.erase(use->second.position);
    ++use->second.tasks;
  }
  /// Unregisters one task that reads a pinned tile; after the last one the tile may be evicted.
  /// Throws std::out_of_range if the tile has never been pinned or has been evicted.
  void unpin(Tile tile) {
    Use& use = uses_.at(tile);
    if (--use.tasks == 0) use.position = unused_.insert(unused_.end(), tile);
  }
  /// Reserves space for one tile and sets `evicted` to the tile that was evicted for it, or to
  /// nullopt if there was free space. Returns false, with `evicted` empty, if there is neither free
  /// space nor a tile to evict.
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
  /// Adds the space of one tile to the free space, because a tile of C has left the memory. Not to
  /// be called for a tile that reserve() evicted.
  void release() { ++free_tiles_; }

  /// Requested tiles that have no reserved space yet, first come first served. The Runtime fills
  /// and empties this queue.
  std::deque<Tile> waiting{};

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
