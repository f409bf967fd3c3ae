// Validates traces of tile tasks against the rules of the model, independently of any engine.
#pragma once

#include "sim/tiles/durations.hpp"
#include "sim/tiles/task_graph.hpp"
#include "sim/tiles/trace.hpp"

#include <string>

namespace starport::tiles {

/// The options under which a trace was simulated, and the tolerance of its validation.
struct ValidationOptions {
  Noise noise{};                ///< perturbation of the durations
  bool relay = false;           ///< direct transfers between GPUs are violations
  bool limited_memory = false;  ///< the memory capacities of the platform apply
  double tolerance = 1e-9;      ///< accepted relative deviation of durations
};

/// Replays a trace and describes its first violation of a rule, with its date; returns an empty
/// string if there is none. The rules: a worker runs one task at a time, and starts none after it
/// has stopped; a link direction carries one transfer at a time; tasks and transfers last as long
/// as the platform and the noise say; a task starts with valid copies of its operands at its node;
/// the tasks of a target run once each, in the order of their chain; a transfer copies a valid copy
/// that no task writes; memory capacities are respected; at the end, every tile of C is at the hub
/// with all its updates.
std::string find_violation(const Platform& platform, const TaskGraph& graph, const Trace& trace,
                           const ValidationOptions& expectations);

}  // namespace starport::tiles
