// Results of a run of a distributed product.
#pragma once

#include "sim/spmd/durations.hpp"
#include "sim/spmd/outer_product.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace starport::spmd {

/// A stage of a run of a distributed product: identical successive iterations, each a
/// communication, then an update of all nodes, then a barrier. All times are in seconds.
struct StageRun {
  /// The iterations that this stage of the run consists of: number of the first one, from 0, and
  /// their count.
  Stage stage;
  /// Date at which the first iteration of the stage (range of identical iterations) starts, in
  /// seconds since the start of the run.
  double start_s = 0;
  /// Duration in seconds of the communication in one iteration of the stage: that of the slowest
  /// link.
  double communication_s = 0;
  /// Duration in seconds of the update (computation) in one iteration of the stage: that of the
  /// slowest device.
  double update_s = 0;

  /// Returns the date, in seconds since the start of the run, at which the last iteration of the
  /// stage (range of identical iterations) ends.
  double end_s() const {
    return start_s + static_cast<double>(stage.count) * (communication_s + update_s);
  }
};

/// Durations in simulated seconds on each link and on each device in one iteration of a distributed
/// product, by node (worker) from 0. Passed to a StageSink.
struct IterationTimes {
  /// Duration in seconds of the communication on the link of each node (from 0) in the iteration,
  /// until the link has sent and received everything; 0 if it carries nothing.
  PerWorker<double> link_s;
  /// Duration in seconds of the update (computation) of the iteration on each device, by node and
  /// device, both from 0; 0 for a device without columns of C.
  PerWorker<std::vector<double>> update_s;
  /// True if `update_s` is known to be the same as in the stage (range of identical iterations)
  /// reported before, so that readers can skip it. False does not mean that it differs.
  bool same_updates = false;

  /// Returns the duration in seconds of the iteration's update on the slowest device of `node`
  /// (from 0), which must exist and have a device (undefined behaviour otherwise).
  double slowest_s(std::int64_t node) const;
};

/// A run of a distributed product, computed by run_product() or simulated by simulate_product(),
/// with times in simulated seconds by node (worker) from 0. Refers to nothing.
struct ProductRun {
  /// Stages (ranges of identical iterations) of the run in the order of their iterations, without
  /// gaps.
  std::vector<StageRun> stages;
  /// Duration in seconds of the last iteration's update on the slowest device of each node.
  PerWorker<double> update_s;
  /// For each node, the sum over all iterations of the duration in seconds of the update on its
  /// slowest device.
  PerWorker<double> computing_s;
  /// Duration in seconds of the transfer of its parts of A, B and C to each node before the
  /// iterations, by the hub (the host that holds the matrices); empty without a hub.
  PerWorker<double> spread_s;
  /// Duration in seconds of the transfer of its part of C from each node to the hub (the host that
  /// holds the matrices) after the iterations; empty without a hub.
  PerWorker<double> collect_s;
  /// Duration of the run in seconds, including the transfers of the hub (the host that holds the
  /// matrices), if there is one.
  double makespan_s = 0;

  /// Appends a stage (range of identical iterations) to the run, with the times of one of its
  /// iterations: sets `update_s`, adds to `computing_s`, and sets `makespan_s` to the end of the
  /// stage, without collect_s. Not checked: the stage starts at the end of the previous one,
  /// `times` has the same nodes, each with a device, and times.same_updates is false for the first
  /// stage.
  void add(const StageRun& stage, const IterationTimes& times);
};

/// Function that receives each stage (range of identical iterations) of a run in order, with the
/// messages and the times of one of its iterations, in the calling process; an empty one is not
/// called. The references are valid during the call only; the Messages object is the same in every
/// call. Exceptions pass to the caller of the run.
using StageSink = std::function<void(const StageRun&, const Messages&, const IterationTimes&)>;

/// Returns the stages (ranges of identical iterations) of a run of `product` in order. With noise
/// in `durations` every iteration is a stage of its own, since no two are identical.
std::vector<Stage> stages_of(const OuterProduct& product, const ProductDurations& durations);

/// Throws SimulationError, naming the worker, if the noise makes a worker stop (fail) before it has
/// ended its update in the iteration of `stage`: a product needs all its workers. `stage` must have
/// one iteration, as in runs with noise; `times` holds the durations of that iteration in seconds.
/// `side`, the number of iterations of the product, is used in the message only. `noise` must be
/// drawn for the same workers. None of this is checked.
void check_stops(const DrawnNoise& noise, std::int64_t side, const StageRun& stage,
                 const IterationTimes& times);
/// Throws SimulationError, naming the worker, if by the noise a worker stops (fails) before it has
/// returned its part of C to the hub (the host that holds the matrices). Does nothing for a run
/// without a hub. `noise` must be drawn for the same workers (undefined behaviour otherwise).
void check_stops(const DrawnNoise& noise, const ProductRun& run);

/// Returns the sum in seconds of durations, given in seconds by worker; 0 for an empty list.
double sum_s(const PerWorker<double>& transfers_s);

/// Figures of one run of a distributed product for reports: speed, imbalance, and times of
/// communication and waiting; the result of figures().
struct ProductFigures {
  /// Speed of the run in flop/s: 2 N³ over the makespan, for matrices of N x N elements.
  double speed_flops = 0;
  /// Longest over shortest total computing time of a node, minus 1; 0 is perfect balance, infinite
  /// or NaN if a node never computes.
  double imbalance = 0;
  /// Sum over all iterations of the duration in seconds of the communication, that of the slowest
  /// link; transfers with a hub do not count.
  double communication_s = 0;
  /// Total duration in seconds of the transfers with the hub (the host that holds the matrices); 0
  /// without a hub.
  double hub_s = 0;
  /// Fraction (0 to 1) of the makespan during which a node does not compute, averaged over the
  /// nodes.
  double waiting_share = 0;
};

/// Returns the figures of a run for matrices of side x side blocks of block_size x block_size
/// elements: speed (flop/s), imbalance (longest over shortest computing time of a node, minus 1),
/// communication and transfers with the hub (each in seconds), and waiting (fraction of the
/// makespan, mean over the nodes). The run must have at least one node (undefined behaviour
/// otherwise) and a positive makespan (not checked).
ProductFigures figures(const ProductRun& run, std::int64_t side, std::int64_t block_size);

/// Returns the largest relative difference between two runs of the same product: of makespans and
/// starts of stages (ranges of identical iterations) relative to the makespan of `reference`, and
/// of the durations of a stage's communication and update relative to the length of its iteration
/// in `reference`. 0 for equal runs; infinite if the numbers of stages differ. The makespan and the
/// iterations of `reference` must take time (else the result is meaningless).
double largest_difference(const ProductRun& run, const ProductRun& reference);

}  // namespace starport::spmd
