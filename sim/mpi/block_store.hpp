// A worker's memory: room for m_i blocks, taken once, and never more than that in use.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace starport::mpi {

/// Late C waits apart for its addition to the accumulators.
enum class BlockKind : std::uint8_t { a, b, c, late_c };

class BlockStore {
 public:
  /// Room for m blocks of q x q doubles; the first `expected` are made ready for use, the others
  /// are when they come to be used. Throws SimulationError when the system has no memory for m.
  BlockStore(std::int64_t m_blocks, std::int64_t q, std::int64_t expected);
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;
  ~BlockStore();

  std::int64_t held() const { return std::ssize(held_); }
  std::int64_t free() const { return std::ssize(free_); }
  std::int64_t most_held() const { return most_held_; }

  bool holds(BlockKind kind, std::int64_t i, std::int64_t j) const {
    return held_.contains(key(kind, i, j));
  }
  /// The q x q doubles of a new block, not cleared. Throws SimulationError when it is held already,
  /// or the memory is full.
  double* take(BlockKind kind, std::int64_t i, std::int64_t j);
  /// Throw SimulationError when the block is not held.
  double* at(BlockKind kind, std::int64_t i, std::int64_t j) const;
  void release(BlockKind kind, std::int64_t i, std::int64_t j);

 private:
  static std::uint64_t key(BlockKind kind, std::int64_t i, std::int64_t j) {
    return static_cast<std::uint64_t>(kind) << 62 | static_cast<std::uint64_t>(i) << 31 |
           static_cast<std::uint64_t>(j);
  }

  std::size_t bytes_;
  double* memory_;
  std::vector<double*> free_;  ///< the first place last, so that few are ever touched
  std::unordered_map<std::uint64_t, double*> held_;
  std::int64_t most_held_ = 0;
};

}  // namespace starport::mpi
