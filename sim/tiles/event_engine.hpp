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
  /// Random variation of durations, slow-downs and stops of workers, whose indices are those of the
  /// platform file and must exist; none by default.
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
/// reference to the arguments. Ends of equal date are handled in the order in which their
/// activities started. Has no time limit. Throws SimulationError if no task can start before all
/// have run, for instance because the GPU memories are too small or all workers have stopped, or if
/// the strategy assigns a task against the rules of Scheduler::push(), and std::bad_optional_access
/// if a worker without Worker::reduction_s gets a reduction (addition of two tiles). Exceptions of
/// the strategy and of `sink` pass through.
void run_event_engine(const Platform& platform, const TaskGraph& graph,
                      const StrategyMaker& strategy, const EngineOptions& options,
                      const TraceSink& sink);
/// Simulates the execution of all tasks of `graph` in this process and returns the trace (tasks,
/// transfers and evictions, with dates in simulated seconds). Calls `strategy` once, for the
/// strategy of the run. Has no time limit. Throws SimulationError if no task can start before all
/// have run or the strategy assigns a task against the rules of Scheduler::push(), and
/// std::bad_optional_access if a worker without Worker::reduction_s gets a reduction (addition of
/// two tiles). Exceptions of the strategy pass through.
TileTrace run_event_engine(const Platform& platform, const TaskGraph& graph,
                           const StrategyMaker& strategy, const EngineOptions& options);

/// Runs `simulate` in a forked child process, with a sink for the entries of its trace and a
/// function `flush` that sends those not sent yet (which happens anyway when it returns), and
/// passes each entry of the trace that the child reports to `sink` in this process, while the child
/// runs; other effects of `simulate` on memory are lost, and its output is hidden. Blocks until the
/// child ends or `time_limit_s` seconds of wall-clock time have passed, those in `sink` included
/// (0: no limit). Throws SimulationError if `simulate` throws an exception not named below, the
/// child crashes, or the trace does not contain all tasks of `graph`; MachineError if the child
/// exceeds the limit or its memory, is killed or cannot be started; and NotApplicable if `simulate`
/// does. Exceptions of `sink` pass through. A `simulate` that ends its process instead of returning
/// must call `flush` before.
void simulate_in_child(
    const std::function<void(const TraceSink&, const std::function<void()>& flush)>& simulate,
    const TaskGraph& graph, double time_limit_s, const TraceSink& sink);

}  // namespace starport::tiles
