// Faster computations of the same plans as the definitions, for many workers, many virtual
// platforms, or several instances at once. Tests compare them with the definitions.
#pragma once

#include "heuristics/star/het.hpp"
#include "heuristics/star/homogeneous.hpp"
#include "heuristics/star/min_min.hpp"

#include <cstddef>
#include <cstdint>
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

/// Plans an order of steps (the worker of each message with blocks of A and B) for a selection (a
/// variant of Het with costs and product); for platforms with many workers. Returns the same order
/// as select_steps() with PlanningDates::coarse; call finish() on it. A step takes O(p) for p
/// workers, and O(p) more for each worker with which a pair of steps may be one of the best. The
/// costs must not be empty (undefined behaviour), their durations must be finite and above 0
/// (otherwise it may never end), and they must outlive the result.
PanelOrder select_by_bounds(const Selection& selection);

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
/// A step takes O(p) for p workers.
StepOrder min_min_by_ends(const std::vector<StepCosts>& costs, const Problem& problem);
/// Makes the plan of OMMOML (min-min): executes the order of steps that min_min_order() returns,
/// found faster unless parameters.counts_c. The plan sends nothing if no worker has memory for a
/// chunk of one block of C (5 blocks). A run throws SimulationError if a worker stops (noise) that
/// a later transfer needs. The problem must outlive the plan; the platform need not.
Plan plan_min_min(const MinMinParameters& parameters, const Platform& platform,
                  const Problem& problem);

/// Returns the virtual platform (P real workers treated as identical ones) with the smallest
/// estimated makespan for Thresholds::all (all combinations of a memory, a transfer time and an
/// update time of workers: heuristic HomI), the same as find_best_virtual_platform() in
/// homogeneous.hpp. Lower bounds exclude most combinations: for p workers it takes O(p^2) time, and
/// O(p) more for each pair of a memory and a transfer time that they leave, so O(p^3) at worst.
/// Worker::speeds is ignored; apply at_chunk_size() first. Some worker must have the memory for a
/// chunk of one block (5 blocks), otherwise the behaviour is undefined.
VirtualPlatform find_best_virtual_platform(const Platform& platform, const Problem& problem);

/// Makes the plan of Hom (Thresholds::memory) or HomI (other thresholds): finds the virtual
/// platform (workers treated as identical ones) with the smallest estimated makespan and runs
/// Algorithm 1 (workers in turn) on it. The plan's details name the virtual platform. Workers whose
/// speed depends on the size of updates are planned with the speed and memory that at_chunk_size()
/// gives them. Some worker must have the memory for a chunk of one block (5 blocks); otherwise the
/// behaviour is undefined. A run throws SimulationError if a worker in use stops (noise) before its
/// last transfer. The problem must outlive the plan; the platform need not.
Plan plan_extraction(Thresholds thresholds, const Platform& platform, const Problem& problem);
/// Makes the plan of HomI, which treats some of the workers as identical ones, by plan_extraction()
/// with parameters.thresholds, the thresholds of memory, transfer time and update time to try. Some
/// worker must have the memory for a chunk of one block (5 blocks); otherwise the behaviour is
/// undefined. A run throws SimulationError if a worker in use stops (noise) before its last
/// transfer. The problem must outlive the plan; the platform need not.
inline Plan plan_homi(const HomiParameters& parameters, const Platform& platform,
                      const Problem& problem) {
  return plan_extraction(parameters.thresholds, platform, problem);
}

}  // namespace starport::fast
