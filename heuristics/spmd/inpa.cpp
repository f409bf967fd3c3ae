#include "heuristics/spmd/inpa.hpp"

#include "heuristics/spmd/cma.hpp"

#include <algorithm>
#include <utility>

namespace starport::spmd {
namespace {

Partitioning partitioning(std::int64_t side, const Balance& nodes) {
  Partitioning result{.partition = {.arrangement = cma(side, nodes.shares), .slices = {}},
                      .w = nodes.shares,
                      .times_s = nodes.measure.times_s,
                      .imbalance = nodes.imbalance(),
                      .passes = nodes.passes,
                      .cost_s = nodes.cost_s,
                      .ending = nodes.ending,
                      .two_cycles = 0};
  for (const Balance& devices : nodes.measure.within) {
    result.partition.slices.push_back(devices.shares);
    if (devices.ending == Ending::two_cycle) ++result.two_cycles;
  }
  return result;
}

}  // namespace

Partitioning inpa(const PartitioningProblem& problem, Strategy strategy, const NodeKernel& kernel,
                  const Passes& node_passes, const Passes& device_passes) {
  const std::size_t nodes = problem.devices.size();
  const auto divide = [&](std::size_t i, std::int64_t m, std::int64_t n) {
    return idpa(
        problem.block_size * n, problem.devices[i], strategy,
        [&](std::size_t j, std::int64_t d) {
          return kernel(static_cast<std::int64_t>(i), j, m, n, d);
        },
        device_passes);
  };
  // 1, 2. A small first point of each model: one block.
  PerWorker<SpeedFunction> models(nodes);
  double first_s = 0;
  if (strategy == Strategy::functional) {
    for (std::size_t i = 0; i < nodes; ++i) {
      const Balance block = divide(i, 1, 1);
      models[i].add(1, 1 / block.slowest_s());
      first_s = std::max(first_s, block.cost_s);
    }
  }
  // 4, 5. Rectangles, then the IDPA on each. What is measured is m n blocks, not w.
  const auto run = [&](const PerWorker<std::int64_t>& w) {
    const Arrangement arrangement = cma(problem.side, w);
    Measure measure;
    for (std::size_t i = 0; i < nodes; ++i) {
      const Rectangle& mine = arrangement.rectangles[i];
      measure.within.push_back(divide(i, mine.m, mine.n));
      measure.sizes.push_back(mine.blocks());
      measure.times_s.push_back(measure.within.back().slowest_s());
      measure.cost_s = std::max(measure.cost_s, measure.within.back().cost_s);
    }
    return measure;
  };
  // 3, 6 to 8.
  Partitioning found = partitioning(problem.side, balance(problem.side * problem.side, strategy,
                                                          node_passes, std::move(models), run));
  found.cost_s += first_s;
  return found;
}

}  // namespace starport::spmd
