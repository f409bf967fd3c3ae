// Nodes behind a switch, as SimGrid has them.
#pragma once

#include "sim/simgrid/paced.hpp"
#include "sim/spmd/hub.hpp"
#include "sim/spmd/simgrid/simgrid_runs.hpp"

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starport::spmd {

class SwitchedNetwork {
 public:
  SwitchedNetwork(const Cluster& cluster, Network network, const SimgridTime& clock,
                  const Durations& durations);

  simgrid::s4u::Host* node(std::int64_t i) const { return nodes_[i]; }
  /// Around the beginning of a node's messages of iteration n.
  void begin(std::int64_t node, std::int64_t n);
  void apply_pace(std::int64_t node);
  /// To or from the hub, which is where the switch is.
  simgrid::s4u::Host* hub() const { return switch_; }
  simgrid::s4u::CommPtr transfer(std::int64_t node, std::int64_t blocks, HubPhase phase);
  /// The halves of a hop, begun by its sender and by its receiver.
  simgrid::s4u::CommPtr send(const Hop& hop);
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
  PerWorker<std::vector<PacedLink>> links_;  ///< up and down
  char token_ = 0;                           ///< what a message carries
  void* taken_ = nullptr;
};

}  // namespace starport::spmd
