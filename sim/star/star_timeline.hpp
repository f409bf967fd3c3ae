// A run of the star as a timeline: the master's port or its two, then each worker's link above its
// computation.
#pragma once

#include "sim/star/trace.hpp"
#include "sim/study/timeline.hpp"

#include <optional>
#include <span>
#include <string>

namespace starport {

/// A trace, and what is told with it.
struct TracedRun {
  std::string heuristic;
  const Platform& platform;
  const Trace& trace;
  std::span<const HeldBlocks> held;  ///< for each transfer of the trace; empty: not told
  std::optional<double> bound_s;     ///< the date before which no schedule ends
};

/// Two slices for a transfer that allows an update, else one, in the order of the port.
Timeline star_timeline(const TracedRun& run);

}  // namespace starport
