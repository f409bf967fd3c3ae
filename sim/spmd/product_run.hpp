// Results of a run of a distributed product.
#pragma once

#include "sim/spmd/durations.hpp"
#include "sim/spmd/outer_product.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace starport::spmd {

/// A stage of a run: identical iterations, each a communication, then an update, then a barrier.
struct StageRun {
  Stage stage;
  double start_s = 0;          ///< start of the first iteration
  double communication_s = 0;  ///< duration in one iteration: that of the slowest link
  double update_s = 0;         ///< duration in one iteration: that of the slowest device

  double end_s() const {
    return start_s + static_cast<double>(stage.count) * (communication_s + update_s);
  }
};

/// Durations of each link and each device in one iteration.
struct IterationTimes {
  PerWorker<double> link_s;                 ///< by node
  PerWorker<std::vector<double>> update_s;  ///< by node and device
  bool same_updates = false;  ///< update_s is unchanged since the stage reported before

  /// Returns the duration of the update on the node's slowest device.
  double slowest_s(std::int64_t node) const;
};

/// A run of a distributed product, simulated or real.
struct ProductRun {
  std::vector<StageRun> stages;
  PerWorker<double> update_s;     ///< last update of each node's slowest device
  PerWorker<double> computing_s;  ///< sum of update_s over all iterations
  PerWorker<double> spread_s;     ///< the hub's transfers before the iterations; empty without hub
  PerWorker<double> collect_s;    ///< the hub's transfers after the iterations; empty without hub
  double makespan_s = 0;

  /// Appends a stage, which must start at the end of the previous one, with the times of one
  /// iteration.
  void add(const StageRun& stage, const IterationTimes& times);
};

/// Receives each stage with the messages and the times of one of its iterations.
using StageSink = std::function<void(const StageRun&, const Messages&, const IterationTimes&)>;

/// Returns the stages of a run. Under noise every iteration is a stage, since no two are identical.
std::vector<Stage> stages_of(const OuterProduct& product, const Durations& durations);

/// Throws SimulationError if a worker stops before its update of this iteration has ended: a
/// product needs all its workers. For runs under noise, whose stages have one iteration.
void check_stops(const DrawnNoise& noise, std::int64_t side, const StageRun& stage,
                 const IterationTimes& times);
/// Throws SimulationError if a worker stops before it has returned its part of C to the hub.
void check_stops(const DrawnNoise& noise, const ProductRun& run);

/// Returns the sum of durations in seconds.
double sum_s(const PerWorker<double>& transfers_s);

/// Figures of a run of a distributed product.
struct ProductFigures {
  double speed_flops = 0;      ///< 2 N^3 / makespan
  double imbalance = 0;        ///< t_max / t_min - 1 of the nodes' total computing times
  double communication_s = 0;  ///< total duration of communications in iterations
  double hub_s = 0;            ///< total duration of the hub's transfers
  /// Mean share of the makespan during which a node does not compute.
  double waiting_share = 0;
};

/// Returns the figures of a run for matrices of side x side blocks.
ProductFigures figures(const ProductRun& run, std::int64_t side, std::int64_t block_size);

/// Returns the largest relative difference between two runs: of makespans and starts of stages
/// relative to the makespan, and of durations in a stage relative to its iteration. Infinite if the
/// numbers of stages differ.
double largest_difference(const ProductRun& run, const ProductRun& reference);

}  // namespace starport::spmd
