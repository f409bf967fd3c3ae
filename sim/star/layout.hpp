// Memory layouts: how a worker divides its memory between A, B and C (PPoPP'08, sections 3 and 4;
// IPDPS'07, section 5).
#pragma once

#include "sim/platform/platform.hpp"

#include <cmath>
#include <cstdint>

namespace starport {

/// A memory layout: how a worker divides its memory between a square chunk of x * x blocks of C and
/// buffers for blocks of A and B. Together they take quadratic*x^2 + linear*x + constant blocks.
struct MemoryLayout {
  /// Name shown to users; a string literal.
  const char* name;
  /// Blocks of memory per x^2; at least 1.
  std::int64_t quadratic;
  /// Blocks of memory per x; at least 0.
  std::int64_t linear;
  /// Blocks of memory for any x; at least 0.
  std::int64_t constant;
  /// Number of sets of buffers for A and B: 2 lets communication overlap computation, 1 does not.
  int buffer_sets;
  /// True if the buffers hold x * x blocks of A and of B, for x values of k (Toledo); false if they
  /// hold blocks for one value of k.
  bool square_buffers;

  /// Returns the largest side x, in blocks, of a square chunk that fits in `m_blocks` blocks of
  /// memory with its buffers; 0 if none does.
  std::int64_t side(std::int64_t m_blocks) const {
    if (m_blocks < blocks(1)) return 0;
    // The root of the quadratic equation, corrected for rounding.
    const double a = static_cast<double>(quadratic);
    const double b = static_cast<double>(linear);
    const double room = static_cast<double>(m_blocks - constant);
    auto side = static_cast<std::int64_t>((std::sqrt(b * b + 4 * a * room) - b) / (2 * a));
    while (blocks(side) > m_blocks) --side;
    while (blocks(side + 1) <= m_blocks) ++side;
    return side;
  }
  /// Returns the memory, in blocks, for a square chunk of `side` x `side` blocks and its buffers.
  std::int64_t blocks(std::int64_t side) const {
    return quadratic * side * side + linear * side + constant;
  }
  /// Returns the number of values of k that one step (one set of blocks of A and B) covers for a
  /// square chunk of `side` x `side` blocks.
  std::int64_t step_depth(std::int64_t side) const { return square_buffers ? side : 1; }
};

/// Layout of mu^2 + 4 mu blocks for a chunk of side mu: mu^2 of C, two sets of mu blocks of A and
/// of B (PPoPP'08, section 4). Its largest side on worker i is mu_i.
inline constexpr MemoryLayout kOptimizedOverlapped{"optimized, overlapped", 1, 4, 0, 2, false};
/// Layout of mu^2 + 2 mu blocks for a chunk of side mu: one set of mu blocks of A and of B, for the
/// heuristic DDOML (IPDPS'07, section 5).
inline constexpr MemoryLayout kOptimized{"optimized, not overlapped", 1, 2, 0, 1, false};
/// Layout of mu^2 + mu + 1 blocks for a chunk of side mu: mu blocks of B, and one block of A at a
/// time (IPDPS'07, section 3.1). Used only to compare with bounds.
inline constexpr MemoryLayout kMaximumReuse{"maximum re-use", 1, 1, 1, 1, false};
/// Layout of 3 sigma^2 blocks for a chunk of side sigma: one square of each matrix (Toledo; the
/// heuristic BMM in both papers).
inline constexpr MemoryLayout kToledo{"Toledo", 3, 0, 0, 1, true};
/// Layout of 5 sigma^2 blocks for a chunk of side sigma: two squares of A and of B, one of C, for
/// the heuristic OBMM (IPDPS'07, section 5).
inline constexpr MemoryLayout kToledoOverlapped{"Toledo, overlapped", 5, 0, 0, 2, true};

/// Returns a copy of `worker` with a constant speed, for planning with square chunks of `layout`. A
/// worker whose speed does not depend on the size of updates is returned unchanged. Otherwise
/// chooses the chunk side x in blocks that minimises w(x^2) + 2 c / x, the seconds that a block
/// update takes on the worker and on the port, among sides that fit in its memory and were
/// measured; w_i becomes w(x^2) and m_i the memory in blocks for side x. If not even side 1 fits,
/// w_i and m_i stay as they are. O(x) for the largest side x tried.
Worker at_chunk_size(const Worker& worker, const MemoryLayout& layout);

/// Returns the chunk side in blocks that `worker` uses with `layout`; 0 if its memory is too small.
inline std::int64_t chunk_side(const Worker& worker, const MemoryLayout& layout) {
  return layout.side(at_chunk_size(worker, layout).m_blocks);
}

}  // namespace starport
