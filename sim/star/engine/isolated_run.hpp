// A run in a process of its own, whatever simulates it there.
#pragma once

#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "sim/star/engine/engine.hpp"

#include <cstddef>
#include <functional>

namespace starport {

/// A transfer as it goes through the simulation; `index` is its rank at the port.
struct PortEvent {
  std::size_t index = 0;
  TracedTransfer traced;
};

/// Runs what the plan's dispatcher emits and writes a frame, a PortEvent, for each transfer, in any
/// order.
using Simulate = std::function<void(Plan& plan, FrameWriter& out)>;

/// Of a trace that would not fit in memory.
SimulationError too_many_transfers(std::size_t most);

/// Plans and simulates in a forked process. Throws what run_in_child throws, and SimulationError
/// when transfers are missing.
Run run_isolated(const Planner& planner, const Simulate& simulate, double time_limit_s);

}  // namespace starport
