#include "sim/spmd/product_run.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace starport::spmd {

double IterationTimes::slowest_s(std::int64_t node) const {
  return *std::max_element(update_s[node].begin(), update_s[node].end());
}

void ProductRun::add(const StageRun& stage, const IterationTimes& times) {
  update_s.resize(times.update_s.size());
  computing_s.resize(times.update_s.size());
  for (std::size_t i = 0; i < computing_s.size(); ++i) {
    if (!times.same_updates) update_s[i] = times.slowest_s(static_cast<std::int64_t>(i));
    computing_s[i] += static_cast<double>(stage.stage.count) * update_s[i];
  }
  stages.push_back(stage);
  makespan_s = stage.end_s();
}

std::vector<Stage> stages_of(const OuterProduct& product, const ProductDurations& durations) {
  if (!durations.has_noise()) return product.stages();
  std::vector<Stage> single;
  for (const Stage& stage : product.stages()) {
    for (std::int64_t k = 0; k < stage.count; ++k) single.push_back({stage.pivot + k, 1});
  }
  return single;
}

void check_stops(const DrawnNoise& noise, std::int64_t side, const StageRun& stage,
                 const IterationTimes& times) {
  for (const Stop& stop : noise.stops_until(stage.end_s())) {
    const double end_s = stage.start_s + stage.communication_s + times.slowest_s(stop.worker);
    if (!clearly_less(stop.at_s, end_s)) continue;
    throw SimulationError(fmt::format("worker {} stopped at {:.6g} s with {} of {} iterations left",
                                      stop.worker + 1, stop.at_s, side - stage.stage.pivot, side));
  }
}

void check_stops(const DrawnNoise& noise, const ProductRun& run) {
  double end_s = run.makespan_s - sum_s(run.collect_s);
  for (std::size_t i = 0; i < run.collect_s.size(); ++i) {
    end_s += run.collect_s[i];
    const double stop_s = noise.stop_s(static_cast<int>(i));
    if (!clearly_less(stop_s, end_s)) continue;
    throw SimulationError(
        fmt::format("worker {} stopped at {:.6g} s with its part of C", i + 1, stop_s));
  }
}

double sum_s(const PerWorker<double>& transfers_s) {
  return std::accumulate(transfers_s.begin(), transfers_s.end(), 0.0);
}

ProductFigures figures(const ProductRun& run, std::int64_t side, std::int64_t block_size) {
  const auto N = static_cast<double>(side * block_size);
  const auto& computing = run.computing_s;
  const auto [least, most] = std::minmax_element(computing.begin(), computing.end());
  const double computing_s = sum_s(computing) / static_cast<double>(computing.size());
  double communication_s = 0;
  for (const StageRun& one : run.stages) {
    communication_s += static_cast<double>(one.stage.count) * one.communication_s;
  }
  return {.speed_flops = 2 * N * N * N / run.makespan_s,
          .imbalance = *most / *least - 1,
          .communication_s = communication_s,
          .hub_s = sum_s(run.spread_s) + sum_s(run.collect_s),
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
