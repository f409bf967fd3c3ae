// Allocates places for blocks in the memory of a worker, for at most m_i blocks at a time.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/mpi/matrices/pieces.hpp"
#include "sim/star/schedule.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace starport::mpi {

/// The matrix that a block belongs to. `late_c` is a block of C that arrives after updates of it
/// have been accumulated from zero; it is kept apart until it is added to the accumulated block.
enum class BlockKind : std::uint8_t { a, b, c, late_c };

/// The identity of a block: its matrix, row and column (in blocks, from 0).
struct HeldBlock {
  BlockKind kind;
  std::int64_t i;
  std::int64_t j;

  bool operator==(const HeldBlock&) const = default;
};

/// The allocator of a worker's memory. It computes where blocks lie; the elements themselves are in
/// a KernelStore.
///
/// Blocks that are allocated together form one matrix by rows, so that the BLAS works on whole
/// panels. So does a chunk of C that arrives in parts: its first part reserves the places of the
/// whole chunk, or takes over those of a chunk that is being sent back. Without enough contiguous
/// memory, blocks are put into unused places of another matrix, or are allocated in smaller
/// rectangles, down to single blocks.
///
/// There are an eighth more places than blocks. A schedule that fills the memory puts operands
/// where rows of C belong that have not arrived. Without the additional places, an update of a
/// worker with 491 blocks and chunks of 16 x 24 needed seven calls of the BLAS and took 4 to 8 %
/// longer.
class BlockStore {
 public:
  /// Memory for `m_blocks` blocks of q x q elements. Places for the first `expected` blocks are
  /// used first, so that memory beyond them is touched only if needed.
  BlockStore(std::int64_t m_blocks, std::int64_t q, std::int64_t expected);
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  /// Returns the number of places of q x q elements that a store for `blocks` blocks uses.
  static std::int64_t places(std::int64_t blocks) { return blocks + (blocks + 7) / 8; }
  /// Returns the number of places that are used first.
  std::int64_t expected_places() const { return preferred_; }

  /// Returns the number of blocks held.
  std::int64_t held() const { return std::ssize(held_); }
  /// Returns how many more blocks may be allocated.
  std::int64_t free() const { return m_blocks_ - held(); }
  /// Returns the highest number of blocks held so far.
  std::int64_t peak_blocks() const { return peak_blocks_; }

  bool holds(BlockKind kind, std::int64_t i, std::int64_t j) const {
    return held_.contains(key(kind, i, j));
  }
  /// Allocates a rectangle of blocks; their elements keep whatever they were. If `chunk` is larger
  /// than `blocks`, they are a part of it and are put in their place within the chunk if possible.
  /// Throws SimulationError if a block is held already or there are too many blocks.
  void allocate(BlockKind kind, const Rectangle& blocks, const Rectangle& chunk = {});
  /// Returns the place of a block. Throws SimulationError if it is not held.
  BlockPlace at(BlockKind kind, std::int64_t i, std::int64_t j) const;
  /// Frees a block. Throws SimulationError if it is not held.
  void release(BlockKind kind, std::int64_t i, std::int64_t j);
  /// Returns the held blocks that occupy the places of `blocks` within `chunk`; empty if the blocks
  /// are not part of a larger chunk, or it has no places yet.
  std::vector<HeldBlock> find_obstacles(const Rectangle& blocks, const Rectangle& chunk) const;
  /// Appends to `runs` where the elements of the blocks lie, in the order of one matrix by rows.
  /// Throws SimulationError if a block is not held.
  void add_runs(BlockKind kind, const Rectangle& blocks, std::vector<ElementRun>& runs) const;

 private:
  using Slot = std::int64_t;  ///< number of a place of q x q elements
  /// Consecutive slots that were allocated together, as one matrix by rows.
  struct Slab {
    std::int64_t slots = 0;
    std::int64_t stride = 0;         ///< elements from one row to the next
    std::int64_t used = 0;           ///< blocks held in it
    std::set<std::int64_t> spare{};  ///< first elements of its places without a block
    Rectangle chunk{};               ///< the chunk that arrives in parts; empty: none
    std::int64_t expected = 0;       ///< blocks of the chunk that have not arrived
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
  /// Returns the first element of the place of `blocks` within the places of their chunk.
  std::int64_t corner_of(const Slabs::value_type& slab, const Rectangle& blocks,
                         const Rectangle& chunk) const {
    return slab.first * q_ * q_ + (blocks.rows.begin - chunk.rows.begin) * q_ * slab.second.stride +
           (blocks.columns.begin - chunk.columns.begin) * q_;
  }
  void check(BlockKind kind, const Rectangle& blocks) const;
  bool allocate_in_chunk(BlockKind kind, const Rectangle& blocks, const Rectangle& chunk);
  Slabs::const_iterator find_slab(const Rectangle& chunk) const;
  Slabs::iterator slab_for(const Rectangle& chunk);
  Slabs::iterator add_slab(const Rectangle& shape, bool from_end);
  void allocate_in_parts(BlockKind kind, const Rectangle& blocks);
  bool allocate_contiguously(BlockKind kind, const Rectangle& blocks);
  bool allocate_in_gap(BlockKind kind, const Rectangle& blocks);
  bool allocate_at(BlockKind kind, const Rectangle& blocks, Slot first, std::int64_t corner);
  Slot split_free_run(std::map<Slot, std::int64_t>::iterator run, std::int64_t slots, bool at_end);
  std::map<Slot, std::int64_t>::iterator find_free_run(std::int64_t slots, bool from_end);
  void release_slots(Slot first, std::int64_t slots);

  std::int64_t m_blocks_;
  std::int64_t q_;
  std::int64_t preferred_;  ///< slots from this one on are used only if those before are full
  std::map<Slot, std::int64_t> free_runs_;  ///< lengths of the runs of free slots, by first slot
  Slabs slabs_;
  std::unordered_map<std::uint64_t, Held> held_;
  std::int64_t peak_blocks_ = 0;
};

}  // namespace starport::mpi
