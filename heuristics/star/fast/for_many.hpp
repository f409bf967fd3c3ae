// What stands in for the definitions where workers, or virtual platforms, are many.
#pragma once

#include "heuristics/star/het.hpp"
#include "heuristics/star/homogeneous.hpp"
#include "heuristics/star/planning.hpp"

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

/// Triples (M, C, W) that HomI looks at; at least 8.
inline constexpr double kMostTriples = 1e8;

/// As the definition. Hom: O(p log p). HomI: O(1) per triple, O(p) per M; of the workers' own, O(p)
/// per triple.
///
/// Past `most_triples` only a part of the values is tried, at even distances in their order:
/// p = 100,000 workers all different make 10^15 triples, and estimates do not grow or fall along
/// any of the three (a larger C or W admits more workers, a larger M fewer of them for larger
/// chunks), so that no order of the triples leaves most of them unseen; a branch and bound over
/// ranges was not tried.
Extraction best_virtual_platform(const Platform& platform, const Problem& problem,
                                 Thresholds thresholds, double most_triples = kMostTriples);

}  // namespace starport::fast
