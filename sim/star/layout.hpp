// How a worker shares its memory between A, B and C (PPoPP'08 sections 3 and 4, IPDPS'07 section
// 5).
#pragma once

#include "sim/platform/platform.hpp"

#include <cmath>
#include <cstdint>

namespace starport {

/// A layout holds a square of side x of C in quadratic*x^2 + linear*x + constant blocks.
struct MemoryLayout {
  const char* name;
  std::int64_t quadratic;
  std::int64_t linear;
  std::int64_t constant;
  int buffer_sets;      ///< sets of buffers for A and B: 2 lets communication overlap computation
  bool square_buffers;  ///< Toledo: A and B squares as deep as the side, else one value of k

  /// The largest side that fits in m blocks; 0 when none does.
  std::int64_t side(std::int64_t m_blocks) const {
    if (m_blocks < blocks(1)) return 0;
    // The root of the quadratic, then the rounding mended.
    const double a = static_cast<double>(quadratic);
    const double b = static_cast<double>(linear);
    const double room = static_cast<double>(m_blocks - constant);
    auto side = static_cast<std::int64_t>((std::sqrt(b * b + 4 * a * room) - b) / (2 * a));
    while (blocks(side) > m_blocks) --side;
    while (blocks(side + 1) <= m_blocks) ++side;
    return side;
  }
  /// The memory that a side needs, in blocks.
  std::int64_t blocks(std::int64_t side) const {
    return quadratic * side * side + linear * side + constant;
  }
  /// How many values of k one step covers.
  std::int64_t step_depth(std::int64_t side) const { return square_buffers ? side : 1; }
};

/// mu^2 + 4 mu (PPoPP'08 section 4): C, and two sets of mu blocks of A and of B.
inline constexpr MemoryLayout kOptimizedOverlapped{"optimized, overlapped", 1, 4, 0, 2, false};
/// mu^2 + 2 mu (IPDPS'07 section 5, DDOML): no spare buffers.
inline constexpr MemoryLayout kOptimized{"optimized, not overlapped", 1, 2, 0, 1, false};
/// 1 + mu + mu^2 (IPDPS'07 section 3.1): one block of A at a time. For the bounds only.
inline constexpr MemoryLayout kMaximumReuse{"maximum re-use", 1, 1, 1, 1, false};
/// 3 sigma^2 (Toledo, as BMM in both papers): one square of each matrix.
inline constexpr MemoryLayout kToledo{"Toledo", 3, 0, 0, 1, true};
/// 5 sigma^2 (IPDPS'07 section 5, OBMM): two squares of A and of B.
inline constexpr MemoryLayout kToledoOverlapped{"Toledo, overlapped", 5, 0, 0, 2, true};

/// The worker as its chunks see it, with one speed: w_i at the size of their updates, and no more
/// memory than they take. Where the speed depends on the size, their side is not the largest that
/// fits, but that of least w(x^2) + 2 c / x, the time that a block update takes of the worker and
/// of the port; larger updates than those measured are not planned.
Worker at_chunk_size(const Worker& worker, const MemoryLayout& layout);

/// The side of its chunks; 0 when it has no room for one.
inline std::int64_t chunk_side(const Worker& worker, const MemoryLayout& layout) {
  return layout.side(at_chunk_size(worker, layout).m_blocks);
}

}  // namespace starport
