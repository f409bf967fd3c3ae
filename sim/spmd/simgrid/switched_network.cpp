#include "sim/spmd/simgrid/switched_network.hpp"

#include <fmt/format.h>

#include <string>

namespace starport::spmd {
namespace {

/// One flop a unit of the clock: work is given as its duration.
constexpr double kSpeed = 1;

std::string mailbox(const Hop& hop) {
  return fmt::format("{}-{}-{}", hop.matrix == Hop::Matrix::a ? 'a' : 'b', hop.first, hop.to);
}

}  // namespace

//   node 1 ---- up 1 ---> switch --- down 1 ---> node 1
//   node 2 ---- up 2 --->        --- down 2 ---> node 2
SwitchedNetwork::SwitchedNetwork(const Cluster& cluster, Network network, const SimgridTime& clock,
                                 const ProductDurations& durations)
    : network_(network),
      clock_(clock),
      durations_(durations),
      block_bytes_(static_cast<std::uint64_t>(cluster.block_bytes())) {
  sg::NetZone* zone = sg::create_star_zone("switched");
  switch_ = zone->create_host("switch", kSpeed);
  zone->add_route(switch_->get_netpoint(), nullptr, nullptr, nullptr,
                  std::vector<sg::LinkInRoute>{}, true);
  for (const Node& node : cluster.nodes) nodes_.push_back(add_host(*zone, node));
  zone->seal();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    for (PacedLink& link : links_[i]) {
      if (!link.is_steady()) make_daemon(nodes_[i], [&link] { link.run_pace_changes(); });
    }
  }
}

sg::Host* SwitchedNetwork::add_host(sg::NetZone& zone, const Node& node) {
  static const SlowdownProfile steady;
  const auto worker = static_cast<int>(nodes_.size());
  const std::string number = std::to_string(worker + 1);
  const auto pace = [&](Activity activity) -> const SlowdownProfile& {
    return durations_.has_noise() ? durations_.noise()->slowdown_profile(activity, worker) : steady;
  };
  const SlowdownProfile& of_updates = pace(Activity::update);
  sg::Host* host = zone.create_host("node-" + number, pstate_speeds(kSpeed, of_updates));
  host->set_core_count(static_cast<int>(node.processors.size()));
  if (!of_updates.empty()) {
    make_daemon(host, [this, host, &of_updates] { run_pace_changes(host, clock_, of_updates); });
  }
  std::vector<PacedLink>& paced = links_.emplace_back();
  const auto link = [&](const std::string& name) {
    sg::Link* made = zone.create_link(name + number, node.bandwidth_bytes_per_s * clock_.unit_s());
    made->set_latency(node.latency_s / clock_.unit_s());
    paced.emplace_back(made, clock_, pace(Activity::transfer));
    return std::vector{sg::LinkInRoute(made)};
  };
  zone.add_route(host->get_netpoint(), nullptr, nullptr, nullptr, link("up-"), false);
  zone.add_route(nullptr, host->get_netpoint(), nullptr, nullptr, link("down-"), false);
  return host;
}

void SwitchedNetwork::prepare_links(std::int64_t node, std::int64_t n) {
  if (!durations_.has_noise()) return;
  const double factor = durations_.noise()->factor(Activity::transfer, static_cast<int>(node), n);
  for (PacedLink& link : links_[node]) link.prepare(factor);
}

void SwitchedNetwork::apply_pace(std::int64_t node) {
  if (!durations_.has_noise()) return;
  for (PacedLink& link : links_[node]) link.apply_pace();
}

std::uint64_t SwitchedNetwork::bytes(std::int64_t blocks) const {
  return static_cast<std::uint64_t>(blocks) * block_bytes_;
}

sg::CommPtr SwitchedNetwork::transfer(std::int64_t node, std::int64_t blocks, HubPhase phase) {
  sg::Host* const worker = nodes_[node];
  return phase == HubPhase::spread ? sg::Comm::sendto_async(switch_, worker, bytes(blocks))
                                   : sg::Comm::sendto_async(worker, switch_, bytes(blocks));
}

sg::CommPtr SwitchedNetwork::send(const Hop& hop) {
  if (network_ == Network::own_links) {
    return sg::Comm::sendto_async(node(hop.from), switch_, bytes(hop.blocks));
  }
  return sg::Mailbox::by_name(mailbox(hop))->put_async(&token_, bytes(hop.blocks));
}

sg::CommPtr SwitchedNetwork::receive(const Hop& hop) {
  if (network_ == Network::own_links) {
    return sg::Comm::sendto_async(switch_, node(hop.to), bytes(hop.blocks));
  }
  return sg::Mailbox::by_name(mailbox(hop))->get_async<void>(&taken_);
}

}  // namespace starport::spmd
