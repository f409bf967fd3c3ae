// Het's orders where workers are many.
#pragma once

#include "heuristics/star/het.hpp"

namespace starport::fast {

/// As select_workers. Per step, O(g + log p), where g is the number of different sides mu_i; with
/// look-ahead, O(g^2) for bounds on all pairs of sides, and O(g log p) for each search in the few
/// sides that may hold the best pair, plus the busy workers that become ready within that pair.
std::vector<PanelOrder> select_by_groups(std::span<const Variant> variants,
                                         const std::vector<StepCosts>& costs,
                                         const Problem& problem, double limit_s);

}  // namespace starport::fast
