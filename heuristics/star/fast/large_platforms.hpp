// Faster computations of the same plans as the definitions, for many workers, many virtual
// platforms, or several instances at once. Tests compare them with the definitions.
#pragma once

#include "heuristics/star/het.hpp"
#include "heuristics/star/homogeneous.hpp"
#include "heuristics/star/min_min.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace starport::fast {

/// Plans the orders of several selections as select_steps() with the coarse clock, in SIMD lanes.
/// Neighbours with as many workers and the same look-ahead share vectors of at most `max_lanes`
/// lanes. Returns one order for each selection.
std::vector<PanelOrder> select_in_lanes(std::span<const Selection> selections,
                                        std::size_t max_lanes = SIZE_MAX);

/// Plans the orders of several selections as select_steps() with the coarse clock, by groups of
/// workers of equal chunk side. For each step O(g + log p), where g is the number of different
/// sides mu_i, plus O(1) for each busy worker that becomes ready within that step, or pair of
/// steps.
std::vector<PanelOrder> select_by_groups(std::span<const Selection> selections);

/// Makes the plans of plan_het() for several instances, in their order. They are planned together
/// in lanes or, if steps are many, one after the other with their variants in threads. Orders that
/// cannot be the best are abandoned.
std::vector<Plan> plan_het_batch(const HetParameters& parameters,
                                 std::span<const Instance> instances);
/// Makes the plan of plan_het() for one instance, in `threads` threads.
Plan plan_het_in_threads(const HetParameters& parameters, const Instance& instance, int threads);

/// An instance to be planned by OMMOML. What it points to must outlive it.
struct UnplannedInstance {
  const std::vector<StepCosts>* costs;
  const Problem* problem;
};
/// Returns min_min_order() for each instance, computed in SIMD lanes. Neighbours with as many
/// workers share vectors of at most `max_lanes` lanes.
std::vector<StepOrder> min_min_in_lanes(std::span<const UnplannedInstance> instances,
                                        const MinMinParameters& parameters = {},
                                        std::size_t max_lanes = SIZE_MAX);
/// Returns min_min_order() without parameters, in O(log p) per step.
StepOrder min_min_by_ends(const std::vector<StepCosts>& costs, const Problem& problem);
/// Makes the plans of plan_min_min() for several instances, in their order.
std::vector<Plan> plan_min_min_batch(const MinMinParameters& parameters,
                                     std::span<const Instance> instances);

/// Default limit on the boxes that HomI's search may split.
inline constexpr double kMaxSplits = 1e7;

/// The virtual platform found by a search.
struct ExtractionResult {
  VirtualPlatform best;
  /// Set if the search was cut short: the fraction of the estimate by which an unseen candidate
  /// could be better; 0 if only ties were not all compared.
  std::optional<double> unproven_gain = {};
};

/// Returns the same virtual platform as the definition (homogeneous.hpp). Hom: O(p log p). HomI:
/// branch and bound over boxes of (M, C, W), splitting 10^3 to 10^6 of them as seen so far, each in
/// O(1) per worker that only part of it admits; stops after `max_splits`. The workers' own triples:
/// O(p) each.
ExtractionResult find_best_virtual_platform(const Platform& platform, const Problem& problem,
                                            Thresholds thresholds, double max_splits = kMaxSplits);

}  // namespace starport::fast
