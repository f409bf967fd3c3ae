#include "sim/star/heuristic.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

namespace starport {

void check_kind(const Requirements& required, const Platform& platform) {
  const Port::Kind port = platform.port.kind;
  if (required.ports == SupportedPorts::one && port != Port::Kind::one)
    throw NotApplicable("it plans for masters with one port");
  if (required.homogeneous && !platform.is_homogeneous()) {
    throw NotApplicable("the workers are not all alike");
  }
}

void check_unit(const Requirements& required, const Problem& problem) {
  if (required.in_elements && problem.block_size > 1) {
    throw NotApplicable("its chunks are cut between matrix elements, not between blocks");
  }
}

void check_memory(const Requirements& required, const Platform& platform, const Problem& problem) {
  std::int64_t largest = 0;
  for (const Worker& worker : platform.workers) largest = std::max(largest, worker.m_blocks);
  if (largest >= required.blocks) return;
  throw InputError(
      "/workers",
      fmt::format("a worker with memory for at least {} blocks of {} bytes{}", required.blocks,
                  8 * problem.block_size * problem.block_size,
                  required.layout == nullptr ? std::string()
                                             : fmt::format(" ({} layout)", required.layout->name)),
      fmt::format("at most {}", largest));
}

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
