// Allocates places for blocks in the memory of a worker, for at most m_i blocks at a time, and
// finds the chunks of C that arrive in several parts.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/mpi/matrices/pieces.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/trace.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace starport::mpi {

/// The matrix that a block belongs to. `late_c` is a block of C that arrives after updates of it
/// have been accumulated from zero; it is stored separately until it is added to the accumulated
/// block.
enum class BlockKind : std::uint8_t { a, b, c, late_c };

/// Name of a block (q x q elements) that a worker holds: its matrix, and its row and column in it.
/// A plain value; does not say where the block lies in the worker's memory.
struct HeldBlock {
  /// Matrix that the held block belongs to; `late_c` for a block of C that arrived after updates of
  /// it had been accumulated from zero, and has not been added to them yet.
  BlockKind kind;
  /// Block row of the held block within its matrix, from 0.
  std::int64_t i;
  /// Block column of the held block within its matrix, from 0.
  std::int64_t j;

  /// Returns true if matrix, row and column are equal.
  bool operator==(const HeldBlock&) const = default;
};

/// The allocator of a worker's memory for blocks of q x q matrix elements. It computes where blocks
/// lie; the elements themselves are in a KernelStore, which it neither owns nor accesses. Not
/// thread-safe. A place has the size of one block; there are an eighth more places than blocks.
/// Block rows and columns are numbered from 0 and must be less than 2^31 (not checked).
///
/// Blocks that are allocated together lie as one matrix by rows, so that the BLAS works on whole
/// panels, and so do the parts of a chunk (rectangle of C that the worker updates as a whole) that
/// is named to allocate(). Without enough contiguous memory, they lie in unused places of a larger
/// matrix, or as several smaller ones, down to single blocks.
class BlockStore {
 public:
  /// Manages memory for `m_blocks` (at least 0) blocks of q x q elements (q at least 1; neither is
  /// checked); allocates none itself. Places for `expected` blocks, the predicted highest number
  /// held, are used first, so that memory beyond them is touched only if needed; more than
  /// `m_blocks` count as `m_blocks`, 0 means unknown.
  BlockStore(std::int64_t m_blocks, std::int64_t q, std::int64_t expected);
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  // A schedule that fills the memory puts operands where rows of C belong that have not arrived.
  // Without the additional places, an update of a worker with 491 blocks and chunks of 16 x 24
  // needed seven calls of the BLAS and took 4 to 8 % longer.
  /// Returns the number of places, of q x q elements each, that a worker's memory for `blocks`
  /// blocks consists of: an eighth more than blocks, rounded up. The KernelStore must have at least
  /// this size, which nothing checks.
  static std::int64_t places(std::int64_t blocks) { return blocks + (blocks + 7) / 8; }
  /// Returns the number of places (of one block each in the worker's memory) that are used first,
  /// numbered from 0: an eighth more, rounded up, than the blocks that the constructor was told to
  /// expect (at most `m_blocks`); 0 if that number is unknown.
  std::int64_t expected_places() const { return preferred_; }

  /// Returns the number of blocks that are allocated in the worker's memory now.
  std::int64_t held() const { return std::ssize(held_); }
  /// Returns the number of blocks that may still be allocated in the worker's memory: the
  /// constructor's `m_blocks` less held().
  std::int64_t free() const { return m_blocks_ - held(); }
  /// Returns the highest number of blocks that have been allocated at a time since the
  /// construction.
  std::int64_t peak_blocks() const { return peak_blocks_; }

  /// Returns true if block (i, j), from 0, of the matrix `kind` is allocated in the worker's
  /// memory.
  bool holds(BlockKind kind, std::int64_t i, std::int64_t j) const {
    return held_.contains(key(kind, i, j));
  }
  /// Allocates places in the worker's memory for a rectangle of blocks of one matrix; their
  /// elements are not initialised. If `chunk` (the rectangle of C that the worker updates as a
  /// whole) is larger than `blocks`, it must contain them (not checked), and they are put in their
  /// place within the chunk if possible. Does nothing if `blocks` is empty. Throws SimulationError,
  /// and allocates nothing, if a block is held already or if there are more blocks than free().
  void allocate(BlockKind kind, const Rectangle& blocks, const Rectangle& chunk = {});
  /// Returns the place in the worker's memory of block (i, j), both from 0, of the matrix `kind`:
  /// the index of its first element in the KernelStore and the number of elements from one of its
  /// rows to the next. Throws SimulationError if it is not held.
  BlockPlace at(BlockKind kind, std::int64_t i, std::int64_t j) const;
  /// Frees block (i, j), both from 0, of the matrix `kind` in the worker's memory; its place may be
  /// used again. Throws SimulationError if it is not held.
  void release(BlockKind kind, std::int64_t i, std::int64_t j);
  /// Returns, in no particular order, the held blocks in the places where allocate() would put
  /// `blocks`, a part of C, within `chunk` (the rectangle of C that the worker updates as a whole,
  /// which must contain them; not checked) if they were free: the places that earlier parts
  /// reserved or, for a first part, those of an earlier chunk, at least as large, of which all
  /// parts have arrived. Empty if all are free, there are no such places or `chunk` is not larger
  /// than `blocks`. Takes time linear in held().
  std::vector<HeldBlock> find_obstacles(const Rectangle& blocks, const Rectangle& chunk) const;
  /// Appends to `runs` where the elements of a rectangle of blocks of the matrix `kind` lie in the
  /// KernelStore (the worker's memory), in the order of one matrix by rows (element rows across all
  /// blocks of the rectangle); adjoining runs may be joined, also with the last one that `runs`
  /// had. Does nothing if `blocks` is empty. Throws SimulationError if a block is not held; `runs`
  /// may then have some of the runs.
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

/// Map from each part of a chunk (rectangle of C that a worker updates as a whole) that arrives in
/// several transfers to the whole chunk, so that the worker can place a part within the chunk
/// before the rest arrives. The chunk of a part is the largest rectangle of C with this part that
/// the worker updates at once while it holds the part. Holds no reference to the trace.
class ChunkParts {
 public:
  /// Creates an object for a run in which all chunks of C (rectangles that a worker updates as a
  /// whole) arrive whole: chunk_of() always returns an empty rectangle.
  ChunkParts() = default;
  /// Finds the chunks (rectangles of C that a worker updates as a whole) that arrive in parts in
  /// the predicted trace of a run, whose transfers must be in the order in which they are carried
  /// out. Dates are ignored; `predicted` is not needed afterwards.
  explicit ChunkParts(const Trace& predicted);

  /// Returns the chunk (rectangle of C that the worker updates as a whole) that the blocks of C of
  /// `transfer`, a transfer to the worker, are a part of, in block rows and columns of C from 0.
  /// Returns an empty rectangle if they are a whole chunk, if the transfer has none, or if it was
  /// not predicted.
  Rectangle chunk_of(const Transfer& transfer) const;

 private:
  /// The worker, and the row and column of the first block of the part.
  using Key = std::tuple<std::int32_t, std::int32_t, std::int32_t>;

  std::map<Key, Rectangle> chunks_;
};

}  // namespace starport::mpi
