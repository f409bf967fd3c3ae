// Nodes behind a switch as SimGrid hosts and links.
#pragma once

#include "sim/simgrid/paced.hpp"
#include "sim/spmd/hub.hpp"
#include "sim/spmd/simgrid/simgrid_runs.hpp"

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starport::spmd {

/// The hosts and links of a cluster in SimGrid: each node has one link to the switch and one back.
class SwitchedNetwork {
 public:
  SwitchedNetwork(const Cluster& cluster, Network network, const SimgridTime& clock,
                  const Durations& durations);

  simgrid::s4u::Host* node(std::int64_t i) const { return nodes_[i]; }
  /// Prepares a node's links for its n-th transfer (PacedLink::prepare()). Call right before its
  /// messages start, and apply_pace() right after.
  void prepare_links(std::int64_t node, std::int64_t n);
  void apply_pace(std::int64_t node);
  /// Returns the host of the hub, which is located at the switch.
  simgrid::s4u::Host* hub() const { return switch_; }
  /// Starts a transfer between the hub and a node.
  simgrid::s4u::CommPtr transfer(std::int64_t node, std::int64_t blocks, HubPhase phase);
  /// Starts the sender's half of a hop. Both halves must be started, each by its node's actor.
  simgrid::s4u::CommPtr send(const Hop& hop);
  /// Starts the receiver's half of a hop.
  simgrid::s4u::CommPtr receive(const Hop& hop);

 private:
  std::uint64_t bytes(std::int64_t blocks) const;
  simgrid::s4u::Host* add_host(simgrid::s4u::NetZone& zone, const Node& node);

  Network network_;
  const SimgridTime& clock_;
  Durations durations_;
  std::uint64_t block_bytes_;
  simgrid::s4u::Host* switch_ = nullptr;
  PerWorker<simgrid::s4u::Host*> nodes_;
  PerWorker<std::vector<PacedLink>> links_;  ///< by node: to and from the switch
  char token_ = 0;                           ///< payload of a message; its content is irrelevant
  void* taken_ = nullptr;
};

}  // namespace starport::spmd
