#include "sim/spmd/expected_durations.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace starport::spmd {
namespace {

constexpr double kBytesOfElement = 8;

/// Returns the value at x of the polyline through (x0, y0) and (x1, y1), x0 < x1.
double interpolated(double x, double x0, double y0, double x1, double y1) {
  return y0 + (y1 - y0) * (x - x0) / (x1 - x0);
}

/// Returns ψ: the share of the full speed at which a device works whose memory C fills to the share
/// `use`. The points of the decline follow the point (0, 1); after the last it is constant.
double share_of_speed(const Device& device, double use) {
  double before_use = 0;
  double before_share = 1;
  for (const Device::Decline& point : device.decline) {
    if (use < point.use) {
      return interpolated(use, before_use, before_share, point.use, point.factor);
    }
    before_use = point.use;
    before_share = point.factor;
  }
  return before_share;
}

/// Returns the speed in block updates/s, measured at some sizes, for `blocks` blocks.
double measured_speed(const std::vector<SpeedFunction::Point>& points, double blocks) {
  if (blocks > points.back().size) {
    throw SimulationError(fmt::format("a device updates {:g} blocks, and was measured to {:g}",
                                      blocks, points.back().size));
  }
  if (blocks <= points.front().size) return points.front().speed;
  std::size_t next = 1;
  while (points[next].size < blocks) ++next;
  return interpolated(blocks, points[next - 1].size, points[next - 1].speed, points[next].size,
                      points[next].speed);
}

}  // namespace

double expected_update_s(const Cluster& cluster, std::size_t node, std::size_t device,
                         const NodeRectangle& own, std::int64_t columns) {
  if (columns == 0) return 0;
  const Node& worker = cluster.nodes[node];
  const Processor& processor = worker.processors[device];
  const Device& type = processor.device;
  const auto b = static_cast<double>(cluster.block_size);
  const double height = static_cast<double>(own.m) * b;  // in elements, as the width
  const auto width = static_cast<double>(columns);
  const double bytes_of_c = kBytesOfElement * height * width;
  double time_s = 0;
  if (processor.measured.empty()) {
    const double use = type.memory_bytes ? bytes_of_c / *type.memory_bytes : 0;
    time_s =
        type.start_up_s + 2 * height * width * b / (*type.speed_flops * share_of_speed(type, use));
  } else {
    const double blocks = height * width / (b * b);
    time_s = blocks / measured_speed(processor.measured.points(), blocks);
  }
  // A block column of A and a block row of B.
  if (type.bus_bytes_per_s) {
    time_s += kBytesOfElement * (height * b + b * width) / *type.bus_bytes_per_s;
  }
  const double bytes_of_node =
      3 * kBytesOfElement * height * static_cast<double>(own.n) * b;  // of A, B and C
  if (bytes_of_node <= worker.memory_bytes) return time_s;
  if (!worker.paging) {
    throw SimulationError(
        fmt::format("worker {} holds more of A, B and C than its memory", node + 1));
  }
  return time_s * (1 + *worker.paging * (bytes_of_node / worker.memory_bytes - 1));
}

double expected_transfer_s(const ExpectedNoise* noise, std::int64_t from, std::int64_t to,
                           std::int64_t n, double start_s, double latency_s, double nominal_s) {
  if (noise == nullptr) return latency_s + nominal_s;
  const auto sender = static_cast<int>(from);
  const double factor = noise->factor(Activity::transfer, sender, n);
  return noise->end_of_work_s(Activity::transfer, {sender, static_cast<int>(to)},
                              start_s + factor * latency_s, factor * nominal_s) -
         start_s;
}

double expected_computation_s(const ExpectedNoise* noise, std::int64_t worker, std::int64_t n,
                              double start_s, double nominal_s) {
  if (noise == nullptr) return nominal_s;
  const auto i = static_cast<int>(worker);
  const double factor = noise->factor(Activity::update, i, n);
  return noise->end_of_work_s(Activity::update, {i}, start_s, factor * nominal_s) - start_s;
}

}  // namespace starport::spmd
