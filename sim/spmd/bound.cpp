#include "sim/spmd/bound.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::spmd {
namespace {

constexpr int kSteps = 100;
constexpr double kPrecision = 1e-12;

/// Returns the largest x in [low, high] for which fits(x), within a relative 1e-12. fits() must
/// hold for all smaller values.
template <class Fits>
double largest(double low, double high, const Fits& fits) {
  if (fits(high)) return high;
  for (int step = 0; step < kSteps && high - low > kPrecision * high; ++step) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

/// Returns the blocks that a processor can update within T seconds. A piece of a blocks needs at
/// least bm + d >= 2 b sqrt(a) elements of A and B.
double size_within(const Processor& processor, double T, double b) {
  if (!processor.measured.empty()) {
    return std::min(processor.measured.crossing(1 / T), processor.measured.points().back().size);
  }
  const Device& device = processor.device;
  const double update_s = 2 * b * b * b / *device.speed_flops;
  const double at_full_speed = std::max(0.0, (T - device.start_up_s) / update_s);
  if (device.decline.empty() && !device.bus_bytes_per_s) return at_full_speed;
  const double bus = device.bus_bytes_per_s.value_or(std::numeric_limits<double>::infinity());
  return largest(0, at_full_speed, [&](double a) {
    const double use = device.memory_bytes ? 8 * a * b * b / *device.memory_bytes : 0;
    return device.start_up_s + a * update_s / device.factor(use) +
               16 * b * b * std::sqrt(a) / bus <=
           T;
  });
}

/// Returns the blocks that all devices of a node can update within T seconds, paging included.
double size_within(const Cluster& cluster, const Node& node, double T) {
  const auto b = static_cast<double>(cluster.block_size);
  const double room = node.memory_bytes / (3 * cluster.block_bytes());
  const auto all = [&](double within) {
    double sum = 0;
    for (const Processor& processor : node.processors) sum += size_within(processor, within, b);
    return sum;
  };
  const double without_paging = all(T);
  if (without_paging <= room) return without_paging;
  if (!node.paging) return room;
  return largest(room, without_paging,
                 [&](double w) { return all(T / (1 + *node.paging * (w / room - 1))) >= w; });
}

double size_within(const Cluster& cluster, double T) {
  double sum = 0;
  double of_kind = 0;
  const Node* before = nullptr;
  for (const Node& node : cluster.nodes) {
    if (before == nullptr || before->kind != node.kind) of_kind = size_within(cluster, node, T);
    sum += of_kind;
    before = &node;
  }
  return sum;
}

}  // namespace

double balanced_speed_flops(const Cluster& cluster, std::int64_t side) {
  constexpr double longest_s = 1e100;
  const double blocks = static_cast<double>(side) * static_cast<double>(side);
  double T = 1e-9;
  while (size_within(cluster, T) >= blocks) T /= 2;
  while (size_within(cluster, T) < blocks) {
    T *= 2;
    if (T > longest_s) {
      throw NotApplicable(
          fmt::format("the workers have no room for {} x {} blocks of A, B and C", side, side));
    }
  }
  T = largest(T / 2, T, [&](double within) { return size_within(cluster, within) < blocks; });
  const auto b = static_cast<double>(cluster.block_size);
  return 2 * blocks * b * b * b / T;
}

}  // namespace starport::spmd
