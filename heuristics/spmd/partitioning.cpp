#include "heuristics/spmd/partitioning.hpp"

#include "heuristics/spmd/cma.hpp"

#include <algorithm>
#include <utility>

namespace starport::spmd {
namespace {

/// Combines the result of balancing the nodes with the arrangement of their rectangles.
Partitioning make_partitioning(std::int64_t side, const BalanceResult& nodes) {
  Partitioning result{.partition = {.arrangement = cma(side, nodes.shares), .slices = {}},
                      .w = nodes.shares,
                      .times_s = nodes.measurement.times_s,
                      .imbalance = nodes.imbalance(),
                      .passes = nodes.passes,
                      .cost_s = nodes.cost_s,
                      .ending = nodes.ending,
                      .two_cycles = 0};
  for (const BalanceResult& devices : nodes.measurement.devices) {
    result.partition.slices.push_back(devices.shares);
    if (devices.ending == Ending::two_cycle) ++result.two_cycles;
  }
  return result;
}

}  // namespace

BalanceResult idpa(std::int64_t columns, std::size_t devices, BalancingStrategy strategy,
                   const DeviceKernel& kernel, const PassLimits& limits) {
  // Step 1: measure a first point of each functional model. Constant models need none.
  PerWorker<SpeedFunction> models(devices);
  double first_s = 0;
  if (strategy == BalancingStrategy::functional) {
    for (std::size_t j = 0; j < devices; ++j) {
      const double t = kernel(j, 1);
      models[j].add(1, 1 / t);
      first_s = std::max(first_s, t);
    }
  }
  // Step 3: measure all devices at once. A device without columns takes no time.
  const auto run = [&](const PerWorker<std::int64_t>& d) {
    Measurement measurement{.sizes = d, .times_s = {}, .devices = {}};
    for (std::size_t j = 0; j < devices; ++j) {
      measurement.times_s.push_back(d[j] > 0 ? kernel(j, d[j]) : 0);
      measurement.cost_s = std::max(measurement.cost_s, measurement.times_s.back());
    }
    return measurement;
  };
  // Steps 2 and 4 to 6.
  BalanceResult result = balance_load(columns, strategy, limits, std::move(models), run);
  result.cost_s += first_s;
  return result;
}

Partitioning inpa(const PartitioningProblem& problem, BalancingStrategy strategy,
                  const NodeKernel& kernel, const PassLimits& node_limits,
                  const PassLimits& device_limits) {
  const std::size_t nodes = problem.devices.size();
  const auto divide = [&](std::size_t i, std::int64_t m, std::int64_t n) {
    return idpa(
        problem.block_size * n, problem.devices[i], strategy,
        [&](std::size_t j, std::int64_t d) {
          return kernel(static_cast<std::int64_t>(i), j, m, n, d);
        },
        device_limits);
  };
  // Steps 1 and 2: measure one block as a first point of each functional model.
  PerWorker<SpeedFunction> models(nodes);
  double first_s = 0;
  if (strategy == BalancingStrategy::functional) {
    for (std::size_t i = 0; i < nodes; ++i) {
      const BalanceResult block = divide(i, 1, 1);
      models[i].add(1, 1 / block.slowest_s());
      first_s = std::max(first_s, block.cost_s);
    }
  }
  // Steps 4 and 5: arrange the rectangles and divide each with the IDPA. The measured size is the m
  // n blocks of the rectangle, not w.
  const auto run = [&](const PerWorker<std::int64_t>& w) {
    const Arrangement arrangement = cma(problem.side, w);
    Measurement measurement;
    for (std::size_t i = 0; i < nodes; ++i) {
      const NodeRectangle& rectangle = arrangement.rectangles[i];
      measurement.devices.push_back(divide(i, rectangle.m, rectangle.n));
      measurement.sizes.push_back(rectangle.blocks());
      measurement.times_s.push_back(measurement.devices.back().slowest_s());
      measurement.cost_s = std::max(measurement.cost_s, measurement.devices.back().cost_s);
    }
    return measurement;
  };
  // Steps 3 and 6 to 8.
  Partitioning result = make_partitioning(
      problem.side,
      balance_load(problem.side * problem.side, strategy, node_limits, std::move(models), run));
  result.cost_s += first_s;
  return result;
}

}  // namespace starport::spmd
