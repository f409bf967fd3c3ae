// Memory layouts: how a worker divides its memory between A, B and C (PPoPP'08, sections 3 and 4;
// IPDPS'07, section 5).
#pragma once

#include "sim/platform/platform.hpp"

#include <cmath>
#include <cstdint>

namespace starport {

/// A memory layout: working on a square of x * x blocks of C takes
/// quadratic*x^2 + linear*x + constant blocks of memory, buffers for A and B included.
struct MemoryLayout {
  const char* name;  ///< shown to users
  std::int64_t quadratic;
  std::int64_t linear;
  std::int64_t constant;
  int buffer_sets;      ///< sets of buffers for A and B: 2 lets communication overlap computation
  bool square_buffers;  ///< buffers of A and B hold side values of k (Toledo); else one value of k

  /// Returns the largest side x that fits in `m_blocks` blocks; 0 if none does.
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
  /// Returns the memory for a square of side `side`, in blocks.
  std::int64_t blocks(std::int64_t side) const {
    return quadratic * side * side + linear * side + constant;
  }
  /// Returns the number of values of k that one step covers for a square of side `side`.
  std::int64_t step_depth(std::int64_t side) const { return square_buffers ? side : 1; }
};

/// Layout of mu^2 + 4 mu blocks: mu^2 of C, two sets of mu blocks of A and of B (PPoPP'08, section
/// 4).
inline constexpr MemoryLayout kOptimizedOverlapped{"optimized, overlapped", 1, 4, 0, 2, false};
/// Layout of mu^2 + 2 mu blocks: one set of buffers, for DDOML (IPDPS'07, section 5).
inline constexpr MemoryLayout kOptimized{"optimized, not overlapped", 1, 2, 0, 1, false};
/// Layout of mu^2 + mu + 1 blocks: one block of A at a time (IPDPS'07, section 3.1). Used only to
/// compare with bounds.
inline constexpr MemoryLayout kMaximumReuse{"maximum re-use", 1, 1, 1, 1, false};
/// Layout of 3 sigma^2 blocks: one square of each matrix (Toledo; BMM in both papers).
inline constexpr MemoryLayout kToledo{"Toledo", 3, 0, 0, 1, true};
/// Layout of 5 sigma^2 blocks: two squares of A and of B, one of C, for OBMM (IPDPS'07, section 5).
inline constexpr MemoryLayout kToledoOverlapped{"Toledo, overlapped", 5, 0, 0, 2, true};

/// Returns `worker` with a constant speed, for planning with chunks of `layout`. Unchanged if the
/// speed does not depend on the size of updates. Otherwise chooses the chunk side x that minimises
/// w(x^2) + 2 c / x, the time that a block update takes on the worker and on the port, among sides
/// that fit and were measured; w_i becomes w(x^2) and m_i the memory for side x. O(x).
Worker at_chunk_size(const Worker& worker, const MemoryLayout& layout);

/// Returns the chunk side that `worker` uses with `layout`; 0 if its memory is too small.
inline std::int64_t chunk_side(const Worker& worker, const MemoryLayout& layout) {
  return layout.side(at_chunk_size(worker, layout).m_blocks);
}

}  // namespace starport
