#include "sim/spmd/hub.hpp"

namespace starport::spmd {

std::int64_t hub_blocks(const Rectangle& rectangle, HubPhase phase) {
  return (phase == HubPhase::spread ? 3 : 1) * rectangle.blocks();
}

std::int64_t hub_transfer_number(std::int64_t side, HubPhase phase) {
  return side + (phase == HubPhase::spread ? 1 : 2);
}

PerWorker<double> hub_transfers_s(const Cluster& cluster, const Arrangement& arrangement,
                                  const Durations& durations, HubPhase phase, double start_s) {
  PerWorker<double> transfers_s;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& node = cluster.nodes[i];
    const double bytes =
        static_cast<double>(hub_blocks(arrangement.rectangles[i], phase)) * cluster.block_bytes();
    transfers_s.push_back(durations.transfer_s(
        static_cast<std::int64_t>(i), hub_transfer_number(arrangement.side, phase), start_s,
        node.latency_s, bytes / node.bandwidth_bytes_per_s));
    start_s += transfers_s.back();
  }
  return transfers_s;
}

}  // namespace starport::spmd
