// Where blocks lie in a worker's memory: never more than m_i of them.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/mpi/execution/run.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace starport::mpi {

/// Late C waits apart for its addition to the accumulators.
enum class BlockKind : std::uint8_t { a, b, c, late_c };

struct HeldBlock {
  BlockKind kind;
  std::int64_t i;
  std::int64_t j;

  bool operator==(const HeldBlock&) const = default;
};

/// A rectangle of blocks that is taken at once lies together as one matrix by rows, for the BLAS to
/// work on whole panels, and so does a chunk of C that comes part by part: its first part has all
/// its places set aside, or follows a chunk that goes home part by part into the places of that.
/// Where no room lies together, a rectangle lies where another matrix has spare places, or in
/// pieces, down to blocks here and there. There are an eighth more places than blocks, since a
/// schedule that fills the memory puts operands where rows of C belong that have not come: of a
/// worker with 491 blocks, whose chunks have 16 x 24, an update was seven calls of the BLAS without
/// them, and took 4 to 8% longer.
class BlockStore {
 public:
  /// For m blocks of q x q elements; of the places, those for the first `expected` come first.
  BlockStore(std::int64_t m_blocks, std::int64_t q, std::int64_t expected);
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  /// For so many blocks.
  static std::int64_t places(std::int64_t blocks) { return blocks + (blocks + 7) / 8; }
  /// That come first.
  std::int64_t expected_places() const { return ready_; }

  std::int64_t held() const { return std::ssize(held_); }
  std::int64_t free() const { return m_blocks_ - held(); }
  std::int64_t most_held() const { return most_held_; }

  bool holds(BlockKind kind, std::int64_t i, std::int64_t j) const {
    return held_.contains(key(kind, i, j));
  }
  /// New blocks, not cleared, where they belong within all that is expected to come of
  /// their chunk, as far as that is known. Throws SimulationError when one is held already, or when
  /// there is no room for all.
  void take(BlockKind kind, const Rectangle& blocks, const Rectangle& chunk = {});
  /// Throw SimulationError when the block is not held.
  BlockPlace at(BlockKind kind, std::int64_t i, std::int64_t j) const;
  void release(BlockKind kind, std::int64_t i, std::int64_t j);
  /// What lies where these, which are to come, belong within their chunk.
  std::vector<HeldBlock> in_the_way(const Rectangle& blocks, const Rectangle& chunk) const;
  /// Appends where the elements of the blocks are, in the order of one matrix by rows: what lies
  /// together as one is one run.
  void add_runs(BlockKind kind, const Rectangle& blocks, std::vector<Run>& runs) const;

 private:
  using Slot = std::int64_t;  ///< a place by its number
  /// Slots side by side that were taken at once, as one matrix.
  struct Slab {
    std::int64_t slots = 0;
    std::int64_t stride = 0;
    std::int64_t used = 0;
    std::set<std::int64_t> spare{};  ///< where blocks have not come yet, or are gone
    Rectangle chunk{};               ///< whose blocks come one after the other
    std::int64_t expected = 0;       ///< so many of these
  };
  using Slabs = std::map<Slot, Slab>;
  struct Held {
    BlockPlace place;
    Slot slab;
  };

  static std::uint64_t key(BlockKind kind, std::int64_t i, std::int64_t j) {
    return static_cast<std::uint64_t>(kind) << 62 | static_cast<std::uint64_t>(i) << 31 |
           static_cast<std::uint64_t>(j);
  }
  static HeldBlock held_block(std::uint64_t key);
  /// Where a part of a chunk begins in the chunk's places.
  std::int64_t corner_of(const Slabs::value_type& slab, const Rectangle& blocks,
                         const Rectangle& chunk) const {
    return slab.first * q_ * q_ + (blocks.rows.begin - chunk.rows.begin) * q_ * slab.second.stride +
           (blocks.columns.begin - chunk.columns.begin) * q_;
  }
  void check(BlockKind kind, const Rectangle& blocks) const;
  bool take_within(BlockKind kind, const Rectangle& blocks, const Rectangle& chunk);
  Slabs::const_iterator find_slab(const Rectangle& chunk) const;
  Slabs::iterator slab_for(const Rectangle& chunk);
  Slabs::iterator add_slab(const Rectangle& shape, bool from_end);
  void take_pieces(BlockKind kind, const Rectangle& blocks);
  bool take_together(BlockKind kind, const Rectangle& blocks);
  bool take_spare(BlockKind kind, const Rectangle& blocks);
  bool take_at(BlockKind kind, const Rectangle& blocks, Slot first, std::int64_t corner);
  Slot cut_run(std::map<Slot, std::int64_t>::iterator run, std::int64_t slots, bool at_end);
  std::map<Slot, std::int64_t>::iterator find_run(std::int64_t slots, bool from_end);
  void give_back(Slot first, std::int64_t slots);

  std::int64_t m_blocks_;
  std::int64_t q_;
  std::int64_t ready_;  ///< slots from here on are used where those before have no room
  std::map<Slot, std::int64_t> runs_;  ///< free slots side by side: the first, how many
  Slabs slabs_;
  std::unordered_map<std::uint64_t, Held> held_;
  std::int64_t most_held_ = 0;
};

}  // namespace starport::mpi
