// Nodes behind a switch as SimGrid hosts and links.
#pragma once

#include "sim/simgrid/simgrid_time.hpp"
#include "sim/spmd/engine.hpp"
#include "sim/spmd/simgrid/simgrid_runs.hpp"

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starport::spmd {

/// The hosts and links of a cluster in SimGrid: each node has one link to the switch and one back,
/// and a hub (a host that may hold the matrices) is located at the switch. Nodes are numbered from
/// 0; a number out of range is undefined behaviour. SimGrid owns hosts and links. Create at most
/// one per process, after the SimgridTime; it must live until the simulation has ended.
class SwitchedNetwork {
 public:
  /// Creates the SimGrid hosts and links of the nodes of `cluster`, and daemons (simulated threads)
  /// that apply the slow-downs of the noise. Messages use each link by itself (Network::own_links),
  /// or those of both nodes at once (end_to_end). `clock` and the noise in `durations` must outlive
  /// this object, which must stay at its address; `cluster` is used during the call only.
  SwitchedNetwork(const Cluster& cluster, Network network, const SimgridTime& clock,
                  const ProductDurations& durations);

  /// Returns the SimGrid host of node `i` (from 0), which SimGrid owns, with one core per device.
  simgrid::s4u::Host* node(std::int64_t i) const { return nodes_[i]; }
  /// Prepares the links of `node` (from 0) for messages that all get the n-th random factor of the
  /// noise: n is `pivot` + 1 in iteration `pivot` (from 0), and hub_transfer_number() for a
  /// transfer with the hub. Must be called right before the messages start, followed by
  /// apply_pace() right after. Does nothing without noise.
  void prepare_links(std::int64_t node, std::int64_t n);
  /// Sets the links of `node` (from 0) to their speed at the current date, by the slow-downs of the
  /// noise and the random factor chosen in prepare_links(). Must be called right after the messages
  /// announced by prepare_links() have started. Does nothing without noise.
  void apply_pace(std::int64_t node);
  /// Returns the SimGrid host of the hub, which is located at the switch and holds the matrices in
  /// some runs. SimGrid owns it.
  simgrid::s4u::Host* hub() const { return switch_; }
  /// Starts the transfer of `blocks` matrix blocks from the hub (the host that holds the matrices)
  /// to `node` (from 0; HubPhase::spread) or back (HubPhase::collect). Does not block: call wait()
  /// on the result. Must be called by an actor (simulated thread), between prepare_links() and
  /// apply_pace() of `node` (not checked: wrong durations under noise).
  simgrid::s4u::CommPtr transfer(std::int64_t node, std::int64_t blocks, HubPhase phase);
  /// Starts the sender's half of a hop (a message between two nodes) without blocking; call wait()
  /// on the result. With Network::own_links it is a transfer to the switch, independent of
  /// receive(); with end_to_end the message itself, for which the actor of the receiving node must
  /// call receive() with an equal hop, or the sender waits forever (a deadlock). Must be called by
  /// the actor (simulated thread) of the sending node, between prepare_links() and apply_pace() of
  /// that node (not checked: wrong durations under noise).
  simgrid::s4u::CommPtr send(const Hop& hop);
  /// Starts the receiver's half of a hop (a message between two nodes) without blocking; call
  /// wait() on the result. With Network::own_links it is a transfer from the switch, independent of
  /// send(); with end_to_end the message itself, for which the actor of the sending node must call
  /// send() with an equal hop, or the receiver waits forever (a deadlock). Must be called by the
  /// actor (simulated thread) of the receiving node, between prepare_links() and apply_pace() of
  /// that node (not checked: wrong durations under noise).
  simgrid::s4u::CommPtr receive(const Hop& hop);

 private:
  std::uint64_t bytes(std::int64_t blocks) const;
  simgrid::s4u::Host* add_host(simgrid::s4u::NetZone& zone, const Node& node);

  Network network_;
  const SimgridTime& clock_;
  ProductDurations durations_;
  std::uint64_t block_bytes_;
  simgrid::s4u::Host* switch_ = nullptr;
  PerWorker<simgrid::s4u::Host*> nodes_;
  PerWorker<std::vector<PacedLink>> links_;  ///< by node: to and from the switch
  char token_ = 0;                           ///< payload of a message; its content is irrelevant
  void* taken_ = nullptr;
};

}  // namespace starport::spmd
