// What a run of the distributed product comes to.
#pragma once

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

struct ProductRun {
  std::vector<StageRun> stages;
  PerWorker<std::vector<double>> update_s;  ///< of each device, in every iteration
  double makespan_s = 0;
};

/// Gets each stage with the messages of one of its iterations.
using StageSink = std::function<void(const StageRun&, const std::vector<Hop>&)>;

/// Figures of a run.
struct ProductFigures {
  double speed_flops = 0;          ///< 2 N^3 / makespan
  double imbalance = 0;            ///< t_max / t_min - 1 of the nodes' updates
  double communication_share = 0;  ///< of the makespan
  /// The same with the waiting for slower nodes: what a node does not compute, on average.
  double waiting_share = 0;
};

ProductFigures figures(const ProductRun& run, std::int64_t side, std::int64_t block_size);

/// The largest difference of a stage's or the whole run's durations, relative to the makespan (to
/// an iteration's for those of one).
double largest_difference(const ProductRun& run, const ProductRun& reference);

}  // namespace starport::spmd
