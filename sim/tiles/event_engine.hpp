// The exact engine of the tile model, an event simulation that computes dates by adding durations,
// and runs of simulations in a child process, which sends its trace back.
#pragma once

#include "sim/tiles/durations.hpp"
#include "sim/tiles/runtime.hpp"
#include "sim/tiles/trace.hpp"

#include <functional>

namespace starport::tiles {

/// Options of one simulated run of tile tasks, for either engine (run_event_engine(),
/// run_simgrid_engine()).
struct EngineOptions {
  /// Options of the simulated run-time system: prefetching, routes between GPUs and memory limits.
  RuntimeOptions runtime{};
  /// Random variation of durations, slow-downs and stops of workers; none by default. Workers are
  /// given by their index, from 0, in the platform file (Worker::number) and must exist (undefined
  /// behaviour otherwise).
  Noise noise{};

  /// Returns the seed for the random numbers of the scheduling strategy: the seed of the noise plus
  /// its repetition (from 1) minus 1.
  std::uint64_t seed() const {
    return noise.seed + static_cast<std::uint64_t>(noise.repetition) - 1;
  }
};

/// Relative difference up to which the engines that run tile tasks treat two simulated dates as
/// equal, since they add the same durations in different orders.
inline constexpr double kDateTolerance = 1e-12;

/// Simulates the execution of all tasks of `graph` in this process and passes the trace (tasks,
/// transfers and evictions, with dates in simulated seconds) to `sink` while it runs; keeps nothing
/// of what has been passed on. Calls `strategy` once, for the strategy of the run. Keeps no
/// reference to the arguments. Ends of equal date (see kDateTolerance) are handled in the order in
/// which their activities started. Has no time limit. Throws SimulationError if tasks are left that
/// can never start, for instance because the GPU memories are too small or all workers have
/// stopped, if Strategy::choose_planned() returns a task that is not assigned to the worker or is
/// already planned, or if Strategy::push() assigns a task to a GPU although
/// RuntimeOptions::fetches_for_one_task is true. Throws std::bad_optional_access if a worker
/// without Worker::reduction_s gets a reduction (addition of two tiles). Exceptions of the strategy
/// and of `sink` pass through.
void run_event_engine(const Platform& platform, const TaskGraph& graph,
                      const StrategyMaker& strategy, const EngineOptions& options,
                      const TraceSink& sink);
/// Simulates the execution of all tasks of `graph` in this process and returns the trace (tasks,
/// transfers and evictions, with dates in simulated seconds). Calls `strategy` once, for the
/// strategy of the run. Has no time limit. Throws SimulationError if tasks are left that can never
/// start, if Strategy::choose_planned() returns a task that is not assigned to the worker or is
/// already planned, or if Strategy::push() assigns a task to a GPU although
/// RuntimeOptions::fetches_for_one_task is true. Throws std::bad_optional_access if a worker
/// without Worker::reduction_s gets a reduction (addition of two tiles). Exceptions of the strategy
/// pass through.
TileTrace run_event_engine(const Platform& platform, const TaskGraph& graph,
                           const StrategyMaker& strategy, const EngineOptions& options);

/// Runs `simulate` in a forked child process and passes each entry of the trace that it reports to
/// `sink` in this process, while the child runs. `simulate` gets a sink for these entries and a
/// function `flush`, which sends those not sent yet; it needs to call `flush` only if it ends its
/// process instead of returning. Its other effects on memory are lost, its output is hidden, and
/// processes that it has started are killed. Blocks until the child ends or `time_limit_s` seconds
/// of wall-clock time have passed, those in `sink` included (0 or less: no limit). Throws
/// NotApplicable or MachineError if `simulate` does; MachineError if the child exceeds the limit,
/// runs out of memory, is killed or cannot be started; and SimulationError if `simulate` throws any
/// other exception, the child crashes, or the trace does not contain all tasks of `graph`.
/// Exceptions of `sink` pass through. Call it from a process with one thread, since it forks.
void simulate_in_child(
    const std::function<void(const TraceSink&, const std::function<void()>& flush)>& simulate,
    const TaskGraph& graph, double time_limit_s, const TraceSink& sink);

}  // namespace starport::tiles
