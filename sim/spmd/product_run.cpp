#include "sim/spmd/product_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::spmd {
namespace {

/// Of each node, in one iteration.
PerWorker<double> node_updates(const ProductRun& run) {
  PerWorker<double> slowest;
  for (const auto& devices : run.update_s) {
    slowest.push_back(*std::max_element(devices.begin(), devices.end()));
  }
  return slowest;
}

}  // namespace

ProductFigures figures(const ProductRun& run, std::int64_t side, std::int64_t block_size) {
  const auto n = static_cast<double>(side);
  const double N = n * static_cast<double>(block_size);
  const PerWorker<double> updates = node_updates(run);
  const auto [least, most] = std::minmax_element(updates.begin(), updates.end());
  double computing_s = 0;
  for (const double t : updates) computing_s += n * t / static_cast<double>(updates.size());
  double communication_s = 0;
  for (const StageRun& one : run.stages) {
    communication_s += static_cast<double>(one.stage.count) * one.communication_s;
  }
  return {.speed_flops = 2 * N * N * N / run.makespan_s,
          .imbalance = *most / *least - 1,
          .communication_share = communication_s / run.makespan_s,
          .waiting_share = 1 - computing_s / run.makespan_s};
}

double largest_difference(const ProductRun& run, const ProductRun& reference) {
  if (run.stages.size() != reference.stages.size()) return std::numeric_limits<double>::infinity();
  double largest = std::abs(run.makespan_s / reference.makespan_s - 1);
  for (std::size_t i = 0; i < run.stages.size(); ++i) {
    const StageRun& ours = run.stages[i];
    const StageRun& theirs = reference.stages[i];
    const double iteration_s = theirs.communication_s + theirs.update_s;
    largest =
        std::max({largest, std::abs(ours.communication_s - theirs.communication_s) / iteration_s,
                  std::abs(ours.update_s - theirs.update_s) / iteration_s,
                  std::abs(ours.start_s - theirs.start_s) / reference.makespan_s});
  }
  return largest;
}

}  // namespace starport::spmd
