// The state of every copy of every tile (absent, in flight or valid at each memory node), and the
// memory of one GPU of limited capacity, with eviction of the least recently used tiles.
#pragma once

#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <stdexcept>
#include <unordered_set>
#include <utility>
#include <vector>

namespace starport::tiles {

/// State of the copy of a tile (a square block of a matrix) at one memory node, i.e. main memory or
/// a GPU. `valid`: tasks can read it; `in_flight`: a transfer to the node has been requested, which
/// may wait for memory or a link; `absent`: none, evicted, or invalidated by a task that writes the
/// tile at another node, even if a transfer of the old content is still under way.
enum class CopyState : std::uint8_t { absent, in_flight, valid };

/// Table of the state of every copy of every tile (square block of a matrix) during a run, by
/// memory node (0: main memory, from 1: GPUs) and tile. The run-time system (the simulated Runtime,
/// or a scheduler of StarPU) owns and updates it; strategies read it. Nodes and tiles out of range
/// are undefined behaviour.
class Copies {
 public:
  /// Starts with a valid copy of each of the `tiles` tiles in main memory (node 0) and no copy at
  /// the other `nodes` - 1 memory nodes, the GPUs; `nodes` is at least 1 (not checked).
  Copies(int nodes, Tile tiles)
      : nodes_(nodes),
        tiles_(static_cast<std::size_t>(tiles)),
        states_(static_cast<std::size_t>(nodes) * tiles_, CopyState::absent) {
    std::fill_n(states_.begin(), tiles_, CopyState::valid);
  }

  /// Returns the state of the copy of `tile` at memory node `node` (0: main memory, from 1: GPUs).
  CopyState state(int node, Tile tile) const { return states_[index(node, tile)]; }
  /// Sets the state of the copy of `tile` at memory node `node` (0: main memory, from 1: GPUs).
  /// Does not notify the strategy: the caller, which owns the table, does
  /// (Strategy::on_copy_change(), Strategy::on_copy_arrival()).
  void set_state(int node, Tile tile, CopyState state) { states_[index(node, tile)] = state; }
  /// Returns true if memory node `node` (0: main memory, from 1: GPUs) has no copy of `tile` with
  /// its current content and no transfer of one to it has been requested.
  bool is_absent(int node, Tile tile) const { return state(node, tile) == CopyState::absent; }
  /// Returns true if memory node `node` (0: main memory, from 1: GPUs) has a copy of `tile` that
  /// tasks can read.
  bool is_valid(int node, Tile tile) const { return state(node, tile) == CopyState::valid; }
  /// Returns true if all tiles that a task reads or writes have a valid copy at memory node `node`
  /// (0: main memory, from 1: GPUs), so that the task can start there.
  bool are_valid(int node, const Operands& operands) const {
    return is_valid(node, operands.target) && is_valid(node, operands.first) &&
           is_valid(node, operands.second);
  }
  /// Returns the number of tiles that must still be requested to run a task at memory node `node`
  /// (0: main memory, from 1: GPUs): the different tiles that the task accesses and that are absent
  /// there (see is_absent()). A tile on its way to the node is not absent. From 0 to 3, at most 2
  /// for a reduction. This is the cost of running the task there (ICPP'18, section 4.2). Nodes and
  /// tiles are not checked (undefined behaviour).
  int transfer_cost(int node, const Operands& operands) const {
    return int{is_absent(node, operands.target)} + int{is_absent(node, operands.first)} +
           int{!operands.reduction && is_absent(node, operands.second)};
  }
  /// Returns the memory node to copy `tile` from: main memory (0) if its copy is valid, otherwise
  /// the first GPU with a valid copy. Returns nodes(), which is no node, if there is no valid copy.
  int source(Tile tile) const {
    int node = kHub;
    while (node < nodes_ && !is_valid(node, tile)) ++node;
    return node;
  }
  /// Returns the number of memory nodes: main memory and the GPUs.
  int nodes() const { return nodes_; }

 private:
  std::size_t index(int node, Tile tile) const {
    return static_cast<std::size_t>(node) * tiles_ + static_cast<std::size_t>(tile);
  }

  int nodes_;
  std::size_t tiles_;
  std::vector<CopyState> states_;  ///< node by node
};

/// Way in which a copy in the memory of a GPU may be evicted. `none`: not now, e.g. because it is
/// not valid or is on its way to main memory; `after_return`: after it has been copied to main
/// memory, which has no copy of the tile; `at_once`: now, since main memory has a valid copy.
enum class Evictability : std::uint8_t { none, after_return, at_once };

/// Free space, in tiles (square blocks of a matrix), and order of eviction of one GPU's memory;
/// holds no data of tiles. Tiles that no planned task uses may be evicted: the one of lowest rank
/// first (a number that the caller gives each tile, see find_victim()), among equal ranks the least
/// recently used. The Runtime makes one per GPU of limited memory and decides how copies may be
/// evicted (see set_evictability()). Can be neither copied nor moved.
class GpuMemory {
 public:
  /// Creates the account of an empty GPU memory with space for `capacity_tiles` tiles. With 0 or
  /// less, reserve() always fails.
  explicit GpuMemory(std::int64_t capacity_tiles) : free_tiles_(capacity_tiles) {}
  GpuMemory(const GpuMemory&) = delete;
  GpuMemory& operator=(const GpuMemory&) = delete;

  /// Registers one more task planned on the GPU that uses `tile`, which protects the tile from
  /// eviction. Does not reserve space for it. Each call must be matched by one unpin() or by a
  /// forget().
  void pin(Tile tile) {
    const auto place = static_cast<std::size_t>(tile);
    if (place >= uses_.size()) uses_.resize(place + 1);
    Use*& use = uses_[place];
    if (use == nullptr) use = add_use(tile);
    if (use->tasks++ == 0) remove(*use);
  }
  /// Unregisters one task that uses `tile`, registered by pin(); after the last one the tile is the
  /// most recently used one, and it may be evicted as soon as set_evictability() is called for it.
  /// Throws std::out_of_range if the tile has never been pinned or has been forgotten; more calls
  /// than pin() had for a tile that is still there are undefined behaviour.
  void unpin(Tile tile) {
    Use* const use = find(tile);
    if (use == nullptr) throw std::out_of_range("no planned task uses this tile");
    if (--use->tasks == 0) use->date = ++date_;
  }
  /// Sets how a tile may be evicted from now on, until the next pin(). Does nothing unless
  /// is_unused() is true for the tile. Takes O(1) for the tile that was used last, up to O(n) for
  /// one of n unused tiles that was used long ago.
  void set_evictability(Tile tile, Evictability evictability) {
    Use* const use = find(tile);
    if (use == nullptr || use->tasks > 0 || use->evictability == evictability) return;
    remove(*use);
    use->evictability = evictability;
    if (evictability != Evictability::none) insert(*use);
  }
  /// Returns true once start_tracking() has been called, i.e. once every change of how a copy may
  /// be evicted must be reported by set_evictability().
  bool is_tracking() const { return is_tracking_; }
  /// Calls set_evictability() for each tile for which is_unused() is true, with the Evictability
  /// that `evictability_of(tile)` returns. From then on, but not before, the caller must report
  /// every change by set_evictability(). Call it once, before find_victim().
  template <class EvictabilityOf>
  void start_tracking(const EvictabilityOf& evictability_of) {
    is_tracking_ = true;
    std::vector<std::pair<std::int64_t, Tile>> unused;
    for (const Use* use : uses_) {
      if (use != nullptr && use->tasks == 0) unused.emplace_back(use->date, use->tile);
    }
    std::sort(unused.begin(), unused.end());
    for (const auto& [date, tile] : unused) set_evictability(tile, evictability_of(tile));
  }
  /// Takes the space of one tile from the free space of the GPU's memory. Returns false if there is
  /// none.
  bool reserve() {
    if (free_tiles_ <= 0) return false;
    --free_tiles_;
    return true;
  }
  /// Returns the tile of lowest rank that no planned task uses and for which set_evictability() has
  /// set `evictability` (not `none`) since its last use, on ties the least recently used; empty if
  /// there is none. Does not evict it. `rank(tile)` returns an integer of at least 0; it is called
  /// for these tiles, the least recently used first, until it returns 0.
  template <class Rank>
  std::optional<Tile> find_victim(Evictability evictability, const Rank& rank) const {
    std::optional<Tile> victim;
    std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
    for (const Use* use = candidates_[static_cast<std::size_t>(evictability)].first; use != nullptr;
         use = use->after) {
      const std::int64_t own = rank(use->tile);
      if (own >= lowest) continue;
      victim = use->tile;
      lowest = own;
      if (lowest == 0) break;
    }
    return victim;
  }
  /// Returns true if no planned task uses the tile now, but one did: pin() was called for it, each
  /// call was matched by an unpin(), and forget() was not called since.
  bool is_unused(Tile tile) const {
    const Use* const use = find(tile);
    return use != nullptr && use->tasks == 0;
  }
  /// Forgets a tile, pinned or not, and how many tasks use it, as if it had never been pinned: it
  /// will not be evicted, is_unused() is false, and unpin() throws until the next pin(). Does
  /// nothing if it was never pinned. Does not change the free space: call release(), too, if the
  /// tile has left the memory.
  void forget(Tile tile) {
    Use* const use = find(tile);
    if (use == nullptr) return;
    remove(*use);
    free_elements_.push_back(std::exchange(uses_[static_cast<std::size_t>(tile)], nullptr));
  }
  /// Adds the space of one tile, which has left the GPU's memory, to the free space. Serves no tile
  /// in `waiting`: the caller does.
  void release() { ++free_tiles_; }

  /// Tiles requested for the GPU's memory that have no reserved space yet, first come first served.
  /// The Runtime fills and empties this queue.
  std::deque<Tile> waiting{};
  /// Tiles that are being copied back to main memory so that they can be evicted afterwards: tiles
  /// of C and partial sums of them. The Runtime maintains it.
  std::unordered_set<Tile> written_back{};

 private:
  struct Use {
    Tile tile = 0;
    int tasks = 0;          ///< planned tasks that use the tile
    std::int64_t date = 0;  ///< of the end of the last one, while `tasks` is 0
    Evictability evictability = Evictability::none;
    Use* before = nullptr;  ///< in the list of candidates, if `evictability` is not none
    Use* after = nullptr;   ///< in the same list
  };
  /// Tiles that may be evicted in one way: a linked list by date.
  struct Candidates {
    Use* first = nullptr;
    Use* last = nullptr;
  };

  Use* find(Tile tile) const {
    const auto place = static_cast<std::size_t>(tile);
    return place < uses_.size() ? uses_[place] : nullptr;
  }
  Use* add_use(Tile tile) {
    if (free_elements_.empty()) return &elements_.emplace_back(Use{.tile = tile});
    Use* const use = free_elements_.back();
    free_elements_.pop_back();
    *use = {.tile = tile};
    return use;
  }
  Candidates& candidates(Evictability evictability) {
    return candidates_[static_cast<std::size_t>(evictability)];
  }
  /// Inserts a tile into the list of its evictability, nearly always at the end.
  void insert(Use& use) {
    Candidates& own = candidates(use.evictability);
    use.before = own.last;
    while (use.before != nullptr && use.before->date > use.date) use.before = use.before->before;
    Use*& link = use.before != nullptr ? use.before->after : own.first;
    use.after = std::exchange(link, &use);
    (use.after != nullptr ? use.after->before : own.last) = &use;
  }
  void remove(Use& use) {
    if (use.evictability == Evictability::none) return;
    Candidates& own = candidates(use.evictability);
    (use.before != nullptr ? use.before->after : own.first) = use.after;
    (use.after != nullptr ? use.after->before : own.last) = use.before;
    use.evictability = Evictability::none;
  }

  std::int64_t free_tiles_;
  std::int64_t date_ = 0;  ///< counts calls of unpin()
  std::array<Candidates, 3> candidates_{};
  bool is_tracking_ = false;
  std::vector<Use*> uses_{};  ///< by tile; nullptr: not used yet, or forgotten
  std::deque<Use> elements_{};
  std::vector<Use*> free_elements_{};  ///< those of forgotten tiles
};

}  // namespace starport::tiles
