#include "heuristics/star/selection.hpp"

#include "heuristics/star/lanes.hpp"

namespace starport {

std::string Selection::name() const {
  return std::string(local ? "local" : "global") + (look_ahead ? "/look-ahead" : "/next") +
         (count_c ? "/C counted" : "/C ignored");
}

std::vector<StepOrder> select_steps(std::span<const Selection> selections, const Platform& platform,
                                    const Problem& problem, const MemoryLayout& layout,
                                    double limit_s) {
  const auto select =
      platform.workers.size() <= kFewWorkers / 2 ? select_by_scan : select_by_groups;
  return select(selections, platform, problem, layout, limit_s);
}

}  // namespace starport
