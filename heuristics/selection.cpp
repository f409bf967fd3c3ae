#include "heuristics/selection.hpp"

namespace starport {

std::string Selection::name() const {
  return std::string(local ? "local" : "global") + (look_ahead ? "/look-ahead" : "/next") +
         (count_c ? "/C counted" : "/C ignored");
}

std::vector<StepOrder> select_steps(std::span<const Selection> selections, const Platform& platform,
                                    const Problem& problem, const MemoryLayout& layout) {
  // Up to where the scan was seen to be faster (experiments/benchmark/README.md).
  const std::size_t few = selections.front().look_ahead ? 32 : 64;
  const auto select = platform.workers.size() <= few ? select_by_scan : select_by_groups;
  return select(selections, platform, problem, layout);
}

}  // namespace starport
