#include "sim/star/layout.hpp"

#include <algorithm>
#include <limits>

namespace starport {

Worker at_chunk_size(const Worker& worker, const MemoryLayout& layout) {
  Worker seen = worker;
  if (!worker.speeds) return seen;
  seen.speeds.reset();
  const auto measured = static_cast<std::int64_t>(std::sqrt(worker.speeds->points().back().size));
  const std::int64_t largest =
      std::min(layout.side(worker.m_blocks), std::max<std::int64_t>(measured, 1));
  double least_s = std::numeric_limits<double>::infinity();
  for (std::int64_t x = 1; x <= largest; ++x) {
    const double w_s = worker.block_update_s(x * x);
    const double s = w_s + 2 * worker.c_s / static_cast<double>(x);
    if (s > least_s) continue;
    least_s = s;
    seen.w_s = w_s;
    seen.m_blocks = layout.blocks(x);
  }
  return seen;
}

}  // namespace starport
