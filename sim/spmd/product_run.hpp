// What a run of the distributed product comes to.
#pragma once

#include "sim/spmd/durations.hpp"
#include "sim/spmd/outer_product.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace starport::spmd {

/// Iterations alike, one after the other: each is a communication, then an update, then a barrier.
struct StageRun {
  Stage stage;
  double start_s = 0;          ///< of the first of them
  double communication_s = 0;  ///< of one: until the slowest link is done
  double update_s = 0;         ///< of one: the slowest device's

  double end_s() const {
    return start_s + static_cast<double>(stage.count) * (communication_s + update_s);
  }
};

/// What each takes in one iteration, from the start of its communication or of its update on.
struct IterationTimes {
  PerWorker<double> link_s;
  PerWorker<std::vector<double>> update_s;  ///< of each device
  bool same_updates = false;                ///< as in the iteration told of before

  double slowest_s(std::int64_t node) const;  ///< of its devices
};

struct ProductRun {
  std::vector<StageRun> stages;
  PerWorker<double> update_s;     ///< of each node's slowest device, in the last iteration
  PerWorker<double> computing_s;  ///< the same over all iterations
  PerWorker<double> spread_s;     ///< the hub's transfers before, if there are any
  PerWorker<double> collect_s;    ///< and after
  double makespan_s = 0;

  /// Its start is the end of those before.
  void add(const StageRun& stage, const IterationTimes& times);
};

/// Gets each stage with the messages and the times of one of its iterations.
using StageSink = std::function<void(const StageRun&, const Messages&, const IterationTimes&)>;

/// The stages of a run: where durations vary, no iteration is like another.
std::vector<Stage> stages_of(const OuterProduct& product, const Durations& durations);

/// Every worker is needed to the end. Throws SimulationError when one stops before its update of
/// that iteration is over.
void check_stops(const DrawnNoise& noise, std::int64_t side, const StageRun& stage,
                 const IterationTimes& times);
/// The same where they return their parts of C to the hub, after the last iteration.
void check_stops(const DrawnNoise& noise, const ProductRun& run);

double sum_s(const PerWorker<double>& transfers_s);

/// Figures of a run.
struct ProductFigures {
  double speed_flops = 0;      ///< 2 N^3 / makespan
  double imbalance = 0;        ///< t_max / t_min - 1 of the nodes' updates
  double communication_s = 0;  ///< of the iterations
  double hub_s = 0;            ///< of the hub's transfers
  /// The same with the waiting for slower nodes: what a node does not compute, on average.
  double waiting_share = 0;
};

ProductFigures figures(const ProductRun& run, std::int64_t side, std::int64_t block_size);

/// The largest difference of a stage's or the whole run's durations, relative to the makespan (to
/// an iteration's for those of one).
double largest_difference(const ProductRun& run, const ProductRun& reference);

}  // namespace starport::spmd
