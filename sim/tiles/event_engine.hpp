// The exact engine of the tile model: an event simulation that computes dates by adding durations.
#pragma once

#include "sim/tiles/durations.hpp"
#include "sim/tiles/runtime.hpp"
#include "sim/tiles/trace.hpp"

namespace starport::tiles {

/// Options of one run on any engine of the tile model.
struct EngineOptions {
  RuntimeOptions runtime{};
  Noise noise{};

  /// Returns the seed for the random numbers of the strategy.
  std::uint64_t seed() const {
    return noise.seed + static_cast<std::uint64_t>(noise.repetition) - 1;
  }
};

/// Relative difference up to which two dates count as equal, since the engines add the same
/// durations in different orders.
inline constexpr double kDateTolerance = 1e-12;

/// Executes the task graph to its end and returns the trace. Events of equal date are handled in
/// the order in which their activities started. Throws SimulationError if no task can go on before
/// the end, e.g. because the GPU memories are too small.
Trace run_event_engine(const Platform& platform, const TaskGraph& graph,
                       const StrategyMaker& strategy, const EngineOptions& options);

}  // namespace starport::tiles
