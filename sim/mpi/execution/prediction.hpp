// Predicts a real run from the samples of a calibration, and how its makespan varies with time.
#pragma once

#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"
#include "sim/platform/time_variation.hpp"
#include "sim/star/engine/engine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// A run to be predicted: its platform, problem and plan, and the trace (transfers and updates) of
/// the plan from an earlier simulation. Holds only references, to objects that must outlive it.
struct PlannedRun {
  /// Platform file of the run, with samples (measured durations) if it was calibrated; must outlive
  /// the PlannedRun.
  const PlatformFile& file;
  /// Platform of `file` for the block size of `problem`; must outlive the PlannedRun.
  const Platform& platform;
  /// Sizes of the product in blocks, and the block size in elements; must outlive the PlannedRun.
  const Problem& problem;
  /// Function that makes the plan of the run; must outlive the PlannedRun. Predictions call it at
  /// least once and, if the plan adapts to dates, anew for each simulation of the run.
  const Planner& planner;
  /// Trace of the plan from an earlier simulation, by the model or by predict_trace(); only its
  /// transfers and updates count, not their dates. Must outlive the PlannedRun.
  const Trace& trace;
};

/// Two factors by which one worker's durations differ from those of the calibration in its platform
/// file, one for updates and one for messages: 1.1 is 10 % longer. A plain value.
struct SpeedChange {
  /// Factor on the durations of all of the worker's updates, during the whole run; above 1 is
  /// slower.
  double updates = 1;
  /// Factor on the durations of all messages between the master and the worker, during the whole
  /// run; above 1 is slower.
  double transfers = 1;
};

/// Predicts the trace of a run, with dates in seconds since its start, from the samples (durations
/// measured by a calibration) of run.file: the transfers of run.trace with new dates or, if the
/// plan adapts to dates, decided anew.
///
/// A message takes the mean of the samples of messages of blocks of C, measured on idle workers, in
/// its direction: linear between sizes, constant below the smallest, proportional above the
/// largest. While its worker computes, it takes longer by the ratio of the samples of messages of
/// blocks of A and B, measured on computing workers, to those of C of the same size. Workers
/// without samples of messages of C have the messages of the model. An update by one block column
/// of A takes as long as in the model. One by several columns at once takes as long as that many
/// updates, made shorter or longer as the samples of such updates in the speed function of the file
/// show, if there are any.
///
/// All durations of a worker are multiplied by its factors in `changes`, by index from 0; workers
/// beyond the end of the list are unchanged. Throws what the planner throws, and SimulationError on
/// a multi-port platform or if the plan makes an invalid decision.
Trace predict_trace(const PlannedRun& run, const PerWorker<SpeedChange>& changes = {});

/// Estimates how the logarithm of the makespan of a run varies with time, from its predictions with
/// the durations that all workers had at each moment of the calibration in run.file (a moment is
/// one sample of the longest series); so it covers how the workers vary together. Returns nullopt
/// if there are fewer than four moments, as without samples, or if a predicted makespan is 0. Costs
/// one prediction per moment, usually at most 40; throws what the planner throws, and
/// SimulationError on a multi-port platform or if the plan makes an invalid decision.
std::optional<TimeVariation> estimate_makespan_variation(const PlannedRun& run);

/// Returns messages, each with a remedy and without a newline, about properties of the run that the
/// calibration in run.file has not measured: one if the calibration has samples of updates, but
/// none with the run's block size, and one about the first worker whose smallest message in the run
/// is smaller than all that were measured on its link. Returns an empty list if there are none or
/// the file has no samples.
std::vector<std::string> find_unmeasured(const PlannedRun& run);

}  // namespace starport::mpi
