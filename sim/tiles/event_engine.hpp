// The exact engine: dates follow from durations by addition.
#pragma once

#include "sim/tiles/durations.hpp"
#include "sim/tiles/runtime.hpp"
#include "sim/tiles/trace.hpp"

namespace starport::tiles {

struct Options {
  Rules rules{};
  Noise noise{};

  /// Of what strategies draw.
  std::uint64_t seed() const {
    return noise.seed + static_cast<std::uint64_t>(noise.repetition) - 1;
  }
};

/// Two dates that differ by less than this part of them are the same: sums taken in another order.
inline constexpr double kSameDate = 1e-12;

/// Runs the work to its end. Events of the same date are taken in the order in which they started.
/// Throws SimulationError when it does not get there.
Trace run_events(const Platform& platform, const Work& work, const StrategyMaker& strategy,
                 const Options& options);

}  // namespace starport::tiles
