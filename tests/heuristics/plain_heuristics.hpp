// The heuristics as the papers define them, with every worker, pair and triple tried at each step,
// to compare the fast ones with.
#pragma once

#include "heuristics/star/heterogeneous.hpp"
#include "sim/star/layout.hpp"
#include "sim/star/schedule.hpp"

#include <vector>

namespace starport::test {

std::vector<Transfer> plain_demand_driven(const Platform& platform, const Problem& problem,
                                          const MemoryLayout& layout);
std::vector<Transfer> plain_round_robin(const Platform& platform, const Problem& problem);
/// Hom when `by_memory`, else HomI.
std::vector<Transfer> plain_extraction(const Platform& platform, const Problem& problem,
                                       bool by_memory);

std::vector<Transfer> plain_min_min(const Platform& platform, const Problem& problem);
std::vector<Transfer> plain_selection(Selection selection, const Platform& platform,
                                      const Problem& problem);

}  // namespace starport::test
