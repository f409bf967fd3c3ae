#include "sim/star/c_stationary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace starport {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

double c_stationary_blocks_per_update(const Problem& problem, std::int64_t m_blocks) {
  if (m_blocks < 3) return kInfinity;
  const auto m = static_cast<double>(m_blocks);
  double best = kInfinity;
  // u = min(h, v), from the largest that fits downwards, until 1/u + 1/v can only grow.
  std::int64_t u = std::min(problem.r, problem.s);
  const auto largest = static_cast<std::int64_t>(std::sqrt(m));
  u = std::min(u, largest);
  while (u > 1 && u * u + u + 1 > m_blocks) --u;
  for (; u >= 1; --u) {
    const auto real = static_cast<double>(u);
    if (1 / real + real / (m - 1 - real) >= best) break;
    const std::int64_t v = std::min(std::max(problem.r, problem.s), (m_blocks - 1 - u) / u);
    best = std::min(best, 1 / real + 1 / static_cast<double>(v));
  }
  return best + 2 / static_cast<double>(problem.t);
}

std::optional<double> traffic_bound_s(
    const Platform& platform, const Problem& problem,
    const std::function<double(const Worker&)>& blocks_per_update) {
  struct Share {
    double port_per_update_s;
    double w_s;
  };
  std::vector<Share> shares;
  for (const Worker& worker : platform.workers) {
    const double blocks = blocks_per_update(worker);
    if (blocks < kInfinity) shares.push_back({blocks * worker.c_s, worker.w_s});
  }
  if (shares.empty()) return std::nullopt;
  // Both limits are proportional to T: the best rate is the bandwidth-centric one.
  std::sort(shares.begin(), shares.end(), [](const Share& x, const Share& y) {
    return x.port_per_update_s < y.port_per_update_s;
  });
  double port_left = 1;
  double rate = 0;
  for (const auto& [port_per_update_s, w_s] : shares) {
    const double x = std::min(1 / w_s, port_left / port_per_update_s);
    port_left = std::max(0.0, port_left - x * port_per_update_s);
    rate += x;
  }
  return static_cast<double>(problem.updates()) / rate;
}

std::optional<double> c_stationary_bound_s(const Platform& platform, const Problem& problem) {
  return traffic_bound_s(platform, problem, [&](const Worker& worker) {
    return c_stationary_blocks_per_update(problem, worker.m_blocks);
  });
}

}  // namespace starport
