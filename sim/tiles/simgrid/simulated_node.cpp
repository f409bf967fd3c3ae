#include "sim/tiles/simgrid/simulated_node.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace starport::tiles {
namespace {

// SimGrid's dates carry an absolute error of some nanoseconds a message, and its message sizes are
// integers. So its clock counts in units in which the shortest transfer or task takes so many, and
// a tile is so many bytes.
constexpr double kUnitsPerShortest = 1e4;
constexpr double kBytesPerTile = 1e6;
constexpr double kFlopsPerUnit = 1e3;
// Dates closer than the precision are the same for SimGrid. It must exceed the clock's rounding.
constexpr double kSmallestPrecision = 1e-9;
constexpr double kPrecisionOfClock = 0x1p-49;  // eight units in the last place

double shortest_s(const Platform& platform) {
  double shortest = platform.workers.front().update_s;
  for (const Worker& worker : platform.workers) {
    shortest = std::min({shortest, worker.update_s, worker.reduction_s.value_or(worker.update_s)});
  }
  for (const Link& link : platform.links) shortest = std::min({shortest, link.in_s, link.out_s});
  return shortest;
}

}  // namespace

SimulatedNode::SimulatedNode(const Platform& platform)
    : platform_(platform), unit_s_(shortest_s(platform) / kUnitsPerShortest) {
  configure();
  build();
}

/// The network takes size / bandwidth, nothing else: no cross-traffic, no TCP window.
void SimulatedNode::configure() {
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/TCP-gamma:0");
  sg::Engine::set_config("maxmin/precision:1e-12");  // of shares, in bytes a unit of time
}

//   node 0, the hub --- to-m, from-m --- node m, with its worker
//
// A route between two GPUs takes the one's link from it and the other's to it, as fast as the
// slower. Latencies are slept: those of a route would add up.
void SimulatedNode::build() {
  sg::NetZone* star = sg::create_star_zone("star");
  const auto bandwidth = [&](double tile_s) { return kBytesPerTile * unit_s_ / tile_s; };
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
  sg::this_actor::execute(duration_s / unit_s_ * kFlopsPerUnit);
}

void SimulatedNode::move(const Transfer& transfer, double duration_s) const {
  const auto [tile, from, to] = transfer;
  const double byte_s =
      (hop_s(platform_, from, to) - latency_s(platform_, from, to)) / kBytesPerTile;
  const double bytes = std::clamp(std::floor(duration_s / byte_s), 1.0, kBytesPerTile);
  sg::this_actor::sleep_for(std::max(duration_s - bytes * byte_s, 0.0) / unit_s_);
  sg::Comm::sendto(memories_[static_cast<std::size_t>(from)],
                   memories_[static_cast<std::size_t>(to)], static_cast<std::uint64_t>(bytes));
}

void SimulatedNode::wait_until(double date_s) const {
  sg::this_actor::sleep_for(std::max(date_s - now_s(), 0.0) / unit_s_);
}

void SimulatedNode::keep_precision(double duration_s) {
  const double horizon = sg::Engine::get_clock() + duration_s / unit_s_;
  if (horizon <= precise_until_) return;
  precise_until_ = 2 * horizon;
  sg::Engine::set_config("surf/precision",
                         std::max(kSmallestPrecision, kPrecisionOfClock * precise_until_));
}

}  // namespace starport::tiles
