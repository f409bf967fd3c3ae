#include "sim/spmd/engine.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::spmd {
namespace {

/// Computes the time of each link, which sends and receives at once. Returns the longest one.
double communicate(const Cluster& cluster, const Loads& loads, const ProductDurations& durations,
                   const StageRun& stage, PerWorker<double>& link_s) {
  double slowest_s = 0;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const auto blocks = static_cast<double>(std::max(loads.sent(i), loads.received(i)));
    if (blocks == 0) continue;  // a worker on its own
    const Node& node = cluster.nodes[i];
    const auto worker = static_cast<std::int64_t>(i);
    link_s[i] =
        durations.transfer_s(worker, worker, stage.stage.pivot + 1, stage.start_s, node.latency_s,
                             blocks * cluster.block_bytes() / node.bandwidth_bytes_per_s);
    slowest_s = std::max(slowest_s, link_s[i]);
  }
  return slowest_s;
}

/// Computes the time of each device. Returns the longest one.
double update(const PerWorker<std::vector<double>>& nominal_s, const ProductDurations& durations,
              const StageRun& stage, PerWorker<std::vector<double>>& update_s) {
  double slowest_s = 0;
  for (std::size_t i = 0; i < nominal_s.size(); ++i) {
    for (std::size_t j = 0; j < nominal_s[i].size(); ++j) {
      update_s[i][j] = durations.update_s(static_cast<std::int64_t>(i),
                                          update_number(stage.stage.pivot, j, nominal_s[i].size()),
                                          stage.start_s + stage.communication_s, nominal_s[i][j]);
      slowest_s = std::max(slowest_s, update_s[i][j]);
    }
  }
  return slowest_s;
}

constexpr int kSteps = 400;  // from 1e200 to 1e100, as check_room() may need, and to the precision
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

PerWorker<std::vector<double>> update_times(const Cluster& cluster, const Partition& partition) {
  PerWorker<std::vector<double>> times;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const NodeRectangle& mine = partition.arrangement.rectangles[i];
    std::vector<double>& of_node = times.emplace_back();
    for (std::size_t j = 0; j < partition.slices[i].size(); ++j) {
      of_node.push_back(
          cluster.update_s(cluster.nodes[i], j, mine.m, partition.slices[i][j], mine.blocks()));
    }
  }
  return times;
}

ProductRun run_product(const Cluster& cluster, const Partition& partition, ProductRules rules,
                       const StageSink& sink, const ProductDurations& durations) {
  const std::size_t nodes = cluster.nodes.size();
  const PerWorker<std::vector<double>> nominal_s = update_times(cluster, partition);
  const OuterProduct product(partition.arrangement, rules.multicast);
  Loads loads(nodes);
  IterationTimes times{.link_s = PerWorker<double>(nodes), .update_s = nominal_s};
  Messages messages;
  ProductRun run;
  const auto transfers_s = [&](HubPhase phase) {
    return rules.home == Home::hub
               ? hub_transfers_s(cluster, partition.arrangement, durations, phase, run.makespan_s)
               : PerWorker<double>();
  };
  run.spread_s = transfers_s(HubPhase::spread);
  run.makespan_s = sum_s(run.spread_s);
  double slowest_s = 0;
  for (const Stage& stage : stages_of(product, durations)) {
    product.list(stage.pivot, messages);
    loads.count(messages);
    StageRun one{.stage = stage, .start_s = run.makespan_s};
    one.communication_s = communicate(cluster, loads, durations, one, times.link_s);
    times.same_updates = !durations.has_noise() && !run.stages.empty();
    if (!times.same_updates) slowest_s = update(nominal_s, durations, one, times.update_s);
    one.update_s = slowest_s;
    run.add(one, times);
    if (sink) sink(one, messages, times);
  }
  run.collect_s = transfers_s(HubPhase::collect);
  run.makespan_s += sum_s(run.collect_s);
  return run;
}

std::int64_t hub_blocks(const NodeRectangle& rectangle, HubPhase phase) {
  return (phase == HubPhase::spread ? 3 : 1) * rectangle.blocks();
}

std::int64_t hub_transfer_number(std::int64_t side, HubPhase phase) {
  return side + (phase == HubPhase::spread ? 1 : 2);
}

PerWorker<double> hub_transfers_s(const Cluster& cluster, const Arrangement& arrangement,
                                  const ProductDurations& durations, HubPhase phase,
                                  double start_s) {
  PerWorker<double> transfers_s;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& node = cluster.nodes[i];
    const double bytes =
        static_cast<double>(hub_blocks(arrangement.rectangles[i], phase)) * cluster.block_bytes();
    const auto worker = static_cast<std::int64_t>(i);
    transfers_s.push_back(
        durations.transfer_s(worker, worker, hub_transfer_number(arrangement.side, phase), start_s,
                             node.latency_s, bytes / node.bandwidth_bytes_per_s));
    start_s += transfers_s.back();
  }
  return transfers_s;
}

void check_room(const Cluster& cluster, std::int64_t side) {
  constexpr double longest_s = 1e100;
  if (size_within(cluster, longest_s) >= static_cast<double>(side) * static_cast<double>(side))
    return;
  throw NotApplicable(
      fmt::format("the workers have no room for {} x {} blocks of A, B and C", side, side));
}

double balanced_speed_flops(const Cluster& cluster, std::int64_t side) {
  check_room(cluster, side);
  const double blocks = static_cast<double>(side) * static_cast<double>(side);
  double T = 1e-9;
  while (size_within(cluster, T) >= blocks) T /= 2;
  while (size_within(cluster, T) < blocks) T *= 2;
  T = largest(T / 2, T, [&](double within) { return size_within(cluster, within) < blocks; });
  const auto b = static_cast<double>(cluster.block_size);
  return 2 * blocks * b * b * b / T;
}

}  // namespace starport::spmd
