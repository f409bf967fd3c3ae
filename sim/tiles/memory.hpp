// The memory of a GPU: tiles of A and B that no task there needs leave, the least recently used
// first. Tiles of C stay until another node writes them or they have come home.
#pragma once

#include "sim/tiles/task.hpp"

#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <unordered_map>

namespace starport::tiles {

class Memory {
 public:
  explicit Memory(std::int64_t capacity_tiles) : free_(capacity_tiles) {}

  /// A task needs the tile here: it stays.
  void pin(Tile tile);
  /// One task less; once none needs it, it may leave.
  void unpin(Tile tile);
  /// Room for one more tile. None without a free place or a tile that may leave; `left` is told.
  bool reserve(std::optional<Tile>& left);
  void release() { ++free_; }

  std::deque<Tile> waiting{};  ///< requests that found no room, in order

 private:
  struct Use {
    int tasks = 0;
    std::list<Tile>::iterator place{};  ///< when no task needs it
  };

  std::int64_t free_;
  std::list<Tile> unused_{};  ///< that which left its last task first comes first
  std::unordered_map<Tile, Use> uses_{};
};

}  // namespace starport::tiles
