// What stands in for the definitions where workers, or virtual platforms, are many.
#pragma once

#include "heuristics/star/het.hpp"
#include "heuristics/star/homogeneous.hpp"
#include "heuristics/star/planning.hpp"

#include <optional>
#include <span>
#include <vector>

namespace starport::fast {

/// As select_workers. Per step O(g + log p), where g is the number of different sides mu_i, for
/// each of the busy workers that become ready within that step, or pair.
std::vector<PanelOrder> select_by_groups(std::span<const Selection> selections);

/// Whether an instance has so many workers, or steps, that plan_het_each is used instead of
/// plan_het.
bool pays_for_het(const Instance& instance);
/// As plan_het on each of several instances. They are planned beside each other or, where steps are
/// many, with the variants of one in threads; an order that cannot be the best is given up.
std::vector<Plan> plan_het_each(const VariantsAsked& asked, std::span<const Instance> instances);
/// The same on one, in so many threads.
Plan plan_het_in_threads(const VariantsAsked& asked, const Instance& instance, int threads);

/// As min_min_orders, in O(log p) per step.
StepOrder min_min_by_ends(const std::vector<StepCosts>& costs, const Problem& problem);

/// Ranges of thresholds that HomI halves at most.
inline constexpr double kMostRanges = 1e7;

struct Extraction {
  VirtualPlatform best;
  /// Where ranges were left out: the part of its estimate that a better one could save; 0 where
  /// only ties were not all compared.
  std::optional<double> unproved = {};
};

/// As the definition. Hom: O(p log p). HomI: ranges of (M, C, W) are halved as long as they could
/// hold the best, 10^3 to 10^6 of them as seen so far, each in O(1) for a worker that part of it
/// admits. Where they would be more than `most_ranges`, it says how much better what was left out
/// could be. Of the workers' own triples: O(p) per triple.
Extraction best_virtual_platform(const Platform& platform, const Problem& problem,
                                 Thresholds thresholds, double most_ranges = kMostRanges);

}  // namespace starport::fast
