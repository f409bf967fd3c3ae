#include "sim/star/bounds/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport {
namespace {

/// The share of the port that worker i needs for one update per second: 2 c_i / mu_i.
double port_per_update(const Worker& worker) {
  return 2 * worker.c_s / static_cast<double>(kOptimizedOverlapped.side(worker.m_blocks));
}

}  // namespace

std::vector<std::size_t> bandwidth_centric_order(const Platform& platform) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    if (kOptimizedOverlapped.side(platform.workers[i].m_blocks) > 0) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return port_per_update(platform.workers[i]) < port_per_update(platform.workers[j]);
  });
  return order;
}

SteadyState bandwidth_centric(const Platform& platform) {
  SteadyState state(platform.workers.size());
  const std::vector<std::size_t> order = bandwidth_centric_order(platform);
  double port_left = 1;
  double port_price = 0;
  for (const std::size_t i : order) {
    const Worker& worker = platform.workers[i];
    const double cost = port_per_update(worker);
    const double x = std::min(1 / worker.w_s, port_left / cost);
    if (port_left > 0 && x < 1 / worker.w_s) {
      port_price = 1 / cost;  // all that is left
      port_left = 0;
    } else {
      port_left = std::max(0.0, port_left - x * cost);
    }
    state.x_updates_per_s[i] = x;
    state.y_blocks_per_s[i] = x * cost / worker.c_s;
    state.throughput_updates_per_s += x;
  }
  for (const std::size_t i : order) {
    const Worker& worker = platform.workers[i];
    state.computation_price[i] =
        std::max(0.0, (1 - port_price * port_per_update(worker)) / worker.w_s);
  }
  state.master = {{.name = "port", .use = 1 - port_left, .price_updates_per_s = port_price}};
  return state;
}

SteadyState reference_steady_state(const Platform& platform, const Problem& problem) {
  return platform.port.kind == Port::Kind::one ? bandwidth_centric(platform)
                                               : steady_state(platform, problem);
}

std::vector<CommunicationBound> communication_bounds(std::int64_t m_blocks) {
  const auto m = static_cast<double>(m_blocks);
  return {{"Irony, Toledo, Tiskin 2004", std::sqrt(1 / (8 * m))},
          {"IPDPS'07 before refinement", std::sqrt(27 / (32 * m))},
          {"IPDPS'07 and PPoPP'08", std::sqrt(27 / (8 * m))},
          {"Smith et al., COSMA 2019", 2 / std::sqrt(m)}};
}

double achieved_ccr(const MemoryLayout& layout, std::int64_t m_blocks, std::int64_t t) {
  const std::int64_t side = layout.side(m_blocks);
  if (side == 0) return std::numeric_limits<double>::infinity();
  return 2 / static_cast<double>(t) + 2 / static_cast<double>(side);
}

}  // namespace starport
