// The distributed product and the two processors as SimGrid actors, each run in a process of its
// own.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/product_run.hpp"
#include "sim/spmd/two_processors.hpp"

#include <cstdint>

namespace starport::spmd {

/// What lies between two nodes.
enum class Network : std::uint8_t {
  /// As the specification has it: the switch takes and gives at once, so that a node's link limits
  /// only what goes through it.
  own_links,
  /// A message holds the links of its sender and its receiver to the end, at their max-min fair
  /// share: what one link leaves unused another message gets, and what waits elsewhere is not
  /// sent ahead.
  end_to_end
};

/// An actor for each node, which sends, receives, updates with all its devices, and meets the
/// others at barriers. Equal iterations are simulated once. `sink` as for the exact engine. Throws
/// SimulationError when the run does not end; time_limit_s is wall clock, 0 for none.
ProductRun simulate_product(const Cluster& cluster, const Partition& partition,
                            ProductRules rules = {}, Network network = Network::own_links,
                            double time_limit_s = 0, const StageSink& sink = {},
                            const Durations& durations = Durations());

/// An actor for what each processor sends and receives, and one for what it computes.
BulkRun simulate_bulk(const TwoProcessors& problem, const BulkPlan& plan, double time_limit_s = 0,
                      const Durations& durations = Durations());

}  // namespace starport::spmd
