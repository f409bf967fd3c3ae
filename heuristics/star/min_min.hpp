// OMMOML: Overlapped Min-Min, Optimized Memory Layout (PPoPP'08 section 6.2).
#pragma once

#include "heuristics/star/planning.hpp"
#include "sim/star/instance.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace starport {

struct MinMinParameters {
  /// A worker between chunks is sent C once its last update is over, then A and B: the first step
  /// of a chunk ends at max(T, ready_i) + mu_i^2 c_i + 2 mu_i c_i. On equal workers one that has
  /// just finished a chunk comes after one that has none: two take turns (IPDPS'07, section 5, saw
  /// two; its min-min is by the date at which a worker will be available).
  bool count_c = false;
};

/// An instance without an order. What it points to outlives it.
struct Unplanned {
  const std::vector<StepCosts>* costs;
  const Problem* problem;
};

/// The next step goes to the worker of smallest finish_i, then of smallest index. A worker between
/// two panels is a candidate only while planned columns < s. Neighbours with as many workers are
/// planned `at_once`: so many, or as many as the processor's vectors hold.
std::vector<StepOrder> min_min_orders(std::span<const Unplanned> instances,
                                      const MinMinParameters& parameters = {},
                                      std::size_t at_once = SIZE_MAX);

/// Static: the next step goes to the worker that will finish it first, by the planning clock; few
/// workers are ever chosen, which is its resource selection.
Plan plan_min_min(const MinMinParameters& parameters, const Platform& platform,
                  const Problem& problem);
/// The same on each of several instances.
std::vector<Plan> plan_min_min_each(const MinMinParameters& parameters,
                                    std::span<const Instance> instances);

}  // namespace starport
