// Nodes behind a switch, as SimGrid has them.
#pragma once

#include "sim/spmd/simgrid/simgrid_clock.hpp"
#include "sim/spmd/simgrid/simgrid_runs.hpp"

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <vector>

namespace starport::spmd {

class SwitchedNetwork {
 public:
  SwitchedNetwork(const Cluster& cluster, Network network, const SimgridClock& clock);

  simgrid::s4u::Host* node(std::int64_t i) const { return nodes_[static_cast<std::size_t>(i)]; }
  /// The halves of a hop, begun by its sender and by its receiver.
  simgrid::s4u::CommPtr send(const Hop& hop);
  simgrid::s4u::CommPtr receive(const Hop& hop);

 private:
  std::uint64_t bytes(const Hop& hop) const;

  Network network_;
  std::uint64_t block_bytes_;
  simgrid::s4u::Host* switch_ = nullptr;
  std::vector<simgrid::s4u::Host*> nodes_;
  char token_ = 0;  ///< what a message carries
  void* taken_ = nullptr;
};

}  // namespace starport::spmd
