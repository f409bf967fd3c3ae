#include "sim/spmd/simgrid/switched_network.hpp"

#include <fmt/format.h>

#include <string>

namespace starport::spmd {
namespace {

namespace sg = simgrid::s4u;

std::string mailbox(const Hop& hop) {
  return fmt::format("{}-{}-{}", hop.matrix == Hop::Matrix::a ? 'a' : 'b', hop.first, hop.to);
}

}  // namespace

//   node 1 ---- up 1 ---> switch --- down 1 ---> node 1
//   node 2 ---- up 2 --->        --- down 2 ---> node 2
SwitchedNetwork::SwitchedNetwork(const Cluster& cluster, Network network, const SimgridClock& clock)
    : network_(network), block_bytes_(static_cast<std::uint64_t>(cluster.block_bytes())) {
  sg::NetZone* zone = sg::create_star_zone("switched");
  const double speed = 1;  // one flop a unit of the clock: work is given as its duration
  switch_ = zone->create_host("switch", speed);
  zone->add_route(switch_->get_netpoint(), nullptr, nullptr, nullptr,
                  std::vector<sg::LinkInRoute>{}, true);
  for (const Node& node : cluster.nodes) {
    const std::string number = std::to_string(nodes_.size() + 1);
    sg::Host* host = zone->create_host("node-" + number, speed);
    host->set_core_count(static_cast<int>(node.processors.size()));
    const auto link = [&](const std::string& name) {
      sg::Link* made =
          zone->create_link(name + number, node.bandwidth_bytes_per_s * clock.unit_s());
      made->set_latency(node.latency_s / clock.unit_s());
      return std::vector{sg::LinkInRoute(made)};
    };
    zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, link("up-"), false);
    zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, link("down-"), false);
    nodes_.push_back(host);
  }
  zone->seal();
}

std::uint64_t SwitchedNetwork::bytes(const Hop& hop) const {
  return static_cast<std::uint64_t>(hop.blocks) * block_bytes_;
}

sg::CommPtr SwitchedNetwork::send(const Hop& hop) {
  if (network_ == Network::own_links) {
    return sg::Comm::sendto_async(node(hop.from), switch_, bytes(hop));
  }
  return sg::Mailbox::by_name(mailbox(hop))->put_async(&token_, bytes(hop));
}

sg::CommPtr SwitchedNetwork::receive(const Hop& hop) {
  if (network_ == Network::own_links) {
    return sg::Comm::sendto_async(switch_, node(hop.to), bytes(hop));
  }
  return sg::Mailbox::by_name(mailbox(hop))->get_async<void>(&taken_);
}

}  // namespace starport::spmd
