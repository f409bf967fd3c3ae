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

/// Plans an order of steps (the worker of each message with blocks of A and B) for each selection
/// (a variant of Het with costs and product), several at once in SIMD lanes. Returns the same
/// orders as select_steps() with PlanningDates::coarse, one per selection, in their order; call
/// finish() on each. Consecutive selections share vectors if they have the same number of workers
/// and the same look-ahead, so sort by these. A vector has at most `max_lanes` >= 1 lanes, rounded
/// up to 2, 4, 8 or 16 (for tests). Returns none for an empty span; no selection may have empty
/// costs (undefined behaviour). The costs, but not the span, must outlive the results.
std::vector<PanelOrder> select_in_lanes(std::span<const Selection> selections,
                                        std::size_t max_lanes = SIZE_MAX);

/// Plans an order of steps (the worker of each message with blocks of A and B) for each selection
/// (a variant of Het with costs and product), by groups of workers with equal chunk side; for
/// platforms with many workers. Returns the same orders as select_steps() with
/// PlanningDates::coarse, one per selection, in their order; call finish() on each. A step takes
/// O(g + log p), where g is the number of different chunk sides and p that of workers, and more
/// while many busy workers are about to become ready. Returns none for an empty span; no selection
/// may have empty costs (undefined behaviour). The costs, but not the span, must outlive the
/// results.
std::vector<PanelOrder> select_by_groups(std::span<const Selection> selections);

/// Makes the plan of Het for each instance (platform and product), the same as plan_het() makes, in
/// their order; none for an empty span. Blocks until all plans are made; instances with many steps
/// are planned in up to usable_threads() threads, which have ended when this returns. Each platform
/// needs a worker with memory for a chunk (5 blocks); otherwise the behaviour is undefined. A run
/// of a plan throws SimulationError if a worker stops (noise) that a later transfer needs. The
/// problems must outlive the plans; the span and the platforms need not.
std::vector<Plan> plan_het_batch(const HetParameters& parameters,
                                 std::span<const Instance> instances);
/// Makes the plan of Het for one instance (platform and product), the same as plan_het() makes,
/// with its variants (up to eight ways to choose workers) in up to `threads` >= 1 threads including
/// the caller's; fewer if the system has no more. Blocks until done. The platform needs a worker
/// with memory for a chunk (5 blocks); otherwise the behaviour is undefined. A run throws
/// SimulationError if a worker stops (noise) that a later transfer needs. The problem must outlive
/// the plan; the platform need not.
Plan plan_het_in_threads(const HetParameters& parameters, const Instance& instance, int threads);

/// Returns the same order of steps (the worker of each, by index in the platform) as
/// min_min_order() with default parameters (C is not counted), faster; empty if `costs` is empty.
/// With at least `min_workers_to_index` workers a step takes O(log p) for p workers, otherwise
/// O(p).
StepOrder min_min_by_ends(const std::vector<StepCosts>& costs, const Problem& problem,
                          std::size_t min_workers_to_index = 64);
/// Makes the plan of OMMOML (min-min): executes the order of steps that min_min_order() returns,
/// found faster unless parameters.counts_c. The plan sends nothing if no worker has memory for a
/// chunk of one block of C (5 blocks). A run throws SimulationError if a worker stops (noise) that
/// a later transfer needs. The problem must outlive the plan; the platform need not.
Plan plan_min_min(const MinMinParameters& parameters, const Platform& platform,
                  const Problem& problem);

/// Default limit on the effort of find_best_virtual_platform() with Thresholds::all (heuristic
/// HomI): in one call, at most 10^7 boxes (ranges of thresholds of memory, transfer time and update
/// time) are split in two. At the limit the search stops with the best platform found so far and
/// sets ExtractionResult::unproven_gain.
inline constexpr double kMaxSplits = 1e7;

/// Result of fast::find_best_virtual_platform(), the search for the best virtual platform of Hom or
/// HomI: the platform, and whether it is proven to be the best. A plain value.
struct ExtractionResult {
  /// The virtual platform (workers treated as identical ones) with the smallest estimated makespan
  /// found; of equal ones (within a relative 1e-9) the one of VirtualPlatform::is_preferred_to(),
  /// unless `unproven_gain` is set.
  VirtualPlatform best;
  /// Empty if `best` is proven to be the best. Otherwise the search was cut short: a virtual
  /// platform not tried may have an estimate lower by up to this fraction (0.01: 1 %) of that of
  /// `best`; 0: none is lower, but not all of equal estimate were compared.
  std::optional<double> unproven_gain = {};
};

/// Returns the virtual platform (P real workers treated as identical ones) with the smallest
/// estimated makespan, the same as find_best_virtual_platform() in homogeneous.hpp unless the
/// search is cut short. Worker::speeds is ignored; apply at_chunk_size() first. For p workers,
/// Thresholds::memory (a threshold per memory: Hom) takes O(p log p) and `own` (those of each
/// worker) O(p^2). For `all` (all combinations: HomI) the search may take long: it is cut short
/// after `max_splits` >= 1 splits of ranges of thresholds, and `unproven_gain` is then set. Some
/// worker must have the memory for a chunk of one block (5 blocks), otherwise the behaviour is
/// undefined.
ExtractionResult find_best_virtual_platform(const Platform& platform, const Problem& problem,
                                            Thresholds thresholds, double max_splits = kMaxSplits);

/// Makes the plan of Hom (Thresholds::memory) or HomI (other thresholds): finds the virtual
/// platform (workers treated as identical ones) with the smallest estimated makespan by
/// find_best_virtual_platform() and runs Algorithm 1 (workers in turn) on it. With Thresholds::all
/// on a large platform the search may take long; it is cut short after kMaxSplits splits. The
/// plan's details name the virtual platform, and say so if the search was cut short. Workers whose
/// speed depends on the size of updates are planned with the speed and memory that at_chunk_size()
/// gives them. Some worker must have the memory for a chunk of one block (5 blocks); otherwise the
/// behaviour is undefined. A run throws SimulationError if a worker in use stops (noise) before its
/// last transfer. The problem must outlive the plan; the platform need not.
Plan plan_extraction(Thresholds thresholds, const Platform& platform, const Problem& problem);
/// Makes the plan of HomI, which treats some of the workers as identical ones, by plan_extraction()
/// with parameters.thresholds, the thresholds of memory, transfer time and update time to try. May
/// take long on a large platform with Thresholds::all. Some worker must have the memory for a chunk
/// of one block (5 blocks); otherwise the behaviour is undefined. A run throws SimulationError if a
/// worker in use stops (noise) before its last transfer. The problem must outlive the plan; the
/// platform need not.
inline Plan plan_homi(const HomiParameters& parameters, const Platform& platform,
                      const Problem& problem) {
  return plan_extraction(parameters.thresholds, platform, problem);
}

}  // namespace starport::fast
