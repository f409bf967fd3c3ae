// SimGrid engines of distributed products and of products on two processors. Each run takes place
// in a process of its own.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/product_run.hpp"
#include "sim/spmd/two_processors.hpp"

#include <cstdint>

namespace starport::spmd {

/// Model of how a message between two nodes of a cluster uses the network. `own_links`: the switch
/// buffers the message, so that each link is limited by its own traffic only. `end_to_end`: the
/// message uses the links of both nodes at once, at a max-min fair share of both.
enum class Network : std::uint8_t {
  /// The paper's model: a message is buffered by the switch, so that each link is limited only by
  /// its own traffic.
  own_links,
  /// A message uses the links of sender and receiver at once, at a max-min fair share of both.
  end_to_end
};

/// Simulates a distributed product with SimGrid in a forked child process, with one actor
/// (simulated thread) per node, which sends, receives and updates with all its devices between
/// barriers. By default, blocks go from each node to the next (Multicast::chain), the workers hold
/// the matrices, and a link is limited by its own traffic only; with Network::end_to_end, a message
/// shares the links of both nodes. The noise of `durations` (random factors and slow-downs; by
/// default none) applies; stops of workers are ignored. Without noise, identical iterations are
/// simulated once. Passes each stage (range of identical iterations) to `sink`, if given, in this
/// process. Dates are simulated seconds. Blocks for at most `time_limit_s` seconds of wall-clock
/// time (0: no limit). Throws SimulationError if the simulation fails or crashes, MachineError if
/// it exceeds the limit, is killed or cannot be started, and NotApplicable if measured speeds do
/// not cover the size of a device's part or a node without paging has too little memory; exceptions
/// of `sink` pass. The partition must be valid (see find_fault(), which does not check
/// Arrangement::columns; these must match the rectangles), and the noise drawn for the cluster's
/// workers (undefined behaviour otherwise). Call it from a process with one thread.
ProductRun simulate_product(const Cluster& cluster, const Partition& partition,
                            ProductRules rules = {}, Network network = Network::own_links,
                            double time_limit_s = 0, const StageSink& sink = {},
                            const ProductDurations& durations = ProductDurations());

/// Simulates a product on two processors with SimGrid in a forked child process, with one actor
/// (simulated thread) per processor and one per direction of the link that is used. Dates are
/// simulated seconds. Blocks for at most `time_limit_s` seconds of wall-clock time (0: no limit).
/// Throws SimulationError if the simulation fails or crashes, and MachineError if it exceeds the
/// limit, is killed or cannot be started. Random factors and slow-downs of the noise in `durations`
/// (by default none) apply; stops of workers are ignored. `plan` must have been made for `problem`
/// (not checked). Call it from a process with one thread.
BulkRun simulate_bulk(const TwoProcessors& problem, const BulkPlan& plan, double time_limit_s = 0,
                      const ProductDurations& durations = ProductDurations());

}  // namespace starport::spmd
