#include "sim/tiles/simgrid/simulated_node.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace starport::tiles {
namespace {

// The shortest transfer or task takes this many units of SimGrid's clock. A tile counts as this
// many bytes, since SimGrid's message sizes are integers.
constexpr double kUnitsPerShortest = 1e4;
constexpr double kBytesPerTile = 1e6;
constexpr double kFlopsPerUnit = 1e3;

double shortest_duration_s(const Platform& platform) {
  double shortest = platform.workers.front().update_s;
  for (const Worker& worker : platform.workers) {
    shortest = std::min({shortest, worker.update_s, worker.reduction_s.value_or(worker.update_s)});
  }
  for (const Link& link : platform.links) shortest = std::min({shortest, link.in_s, link.out_s});
  return shortest;
}

}  // namespace

//   node 0, the hub --- to-m, from-m --- node m, with its worker
//
// A route between two GPUs uses the link from one and the link to the other, at the speed of the
// slower. Latencies are simulated by sleeping, because those of the links of a route would add up.
SimulatedNode::SimulatedNode(const Platform& platform)
    : platform_(platform), time_(shortest_duration_s(platform) / kUnitsPerShortest) {
  sg::NetZone* star = sg::create_star_zone("star");
  const auto bandwidth = [&](double tile_s) { return kBytesPerTile * time_.unit_s() / tile_s; };
  const auto connect = [&](sg::Host* host, const std::vector<sg::LinkInRoute>& from,
                           const std::vector<sg::LinkInRoute>& to) {
    star->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, from, false);
    star->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, to, false);
    return host;
  };
  memories_.push_back(connect(star->create_host("node-0", kFlopsPerUnit), {}, {}));
  for (int node = 1; node < platform_.nodes(); ++node) {
    const std::string number = std::to_string(node);
    const Link& link = platform_.link(node);
    sg::Link* from = star->create_link("from-" + number, bandwidth(link.out_s));
    sg::Link* to = star->create_link("to-" + number, bandwidth(link.in_s));
    memories_.push_back(connect(star->create_host("node-" + number, kFlopsPerUnit),
                                {sg::LinkInRoute(from)}, {sg::LinkInRoute(to)}));
  }
  for (std::size_t w = 0; w < platform_.workers.size(); ++w) {
    workers_.push_back(star->create_host("worker-" + std::to_string(w + 1), kFlopsPerUnit));
  }
  star->seal();
}

void SimulatedNode::compute(double duration_s) const {
  sg::this_actor::execute(duration_s / time_.unit_s() * kFlopsPerUnit);
}

void SimulatedNode::move(const Transfer& transfer, double duration_s) const {
  const auto [tile, from, to] = transfer;
  const double byte_s =
      (transfer_time_s(platform_, from, to) - transfer_latency_s(platform_, from, to)) /
      kBytesPerTile;
  const double bytes = std::clamp(std::floor(duration_s / byte_s), 1.0, kBytesPerTile);
  time_.sleep_for(std::max(duration_s - bytes * byte_s, 0.0));
  sg::Comm::sendto(memories_[static_cast<std::size_t>(from)],
                   memories_[static_cast<std::size_t>(to)], static_cast<std::uint64_t>(bytes));
}

void SimulatedNode::wait_until(double date_s) const {
  time_.sleep_for(std::max(date_s - now_s(), 0.0));
}

}  // namespace starport::tiles
