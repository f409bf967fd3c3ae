// Predicts a real run from the samples of a calibration, and how certain the prediction is.
#pragma once

#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/engine/engine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// The relative error that a predicted makespan may have: 0.05 is 5 % of the makespan.
inline constexpr double kAccuracyTarget = 0.05;

/// A run to be predicted: its platform, problem and plan, and its trace (dated transfers and
/// updates) in the model. Holds references only, which must outlive it; make it for one call.
struct PlannedRun {
  /// Platform file of the run, with samples (measured durations) if it was calibrated.
  const PlatformFile& file;
  /// Platform of `file` for the block size of `problem`.
  const Platform& platform;
  /// Sizes of the product in blocks, and the block size in elements.
  const Problem& problem;
  /// Function that makes the plan of the run; predictions call it at least once, and once for each
  /// random variation if the plan adapts to dates.
  const Planner& planner;
  /// Trace (dated transfers and updates) of the plan as the model simulates it, without the
  /// measured durations.
  const Trace& trace;
};

/// The predicted trace of a run, and how certain its makespan is.
struct Prediction {
  /// Predicted transfers and updates of the run; dates are seconds since the start of the run.
  Trace trace;
  /// 95 % interval of the predicted makespan in seconds; nullopt: unknown.
  std::optional<MedianInterval> interval_s{};
};

/// Predicts the trace of a run from the samples (durations measured by a calibration) of run.file:
/// the transfers of run.trace with new dates or, if the plan adapts to dates, decided anew. While
/// its worker does not compute, any message takes the mean of the samples of C of its direction:
/// linear between sizes, constant below the smallest, proportional above the largest. While the
/// worker computes, it takes longer by the ratio of the samples of A and B to those of C at the
/// same size. Links without samples of C follow the model, updates the platform. Throws what the
/// planner throws, and SimulationError on a multi-port platform.
Trace predict_trace(const PlannedRun& run);

/// Predicts the trace of a run, as predict_trace() does, and the 95 % interval of its makespan that
/// the uncertainty of the calibration leaves open: the quantiles of 200 predictions, so that it
/// costs 201. Each draws the samples (measured durations) of messages again (block bootstrap) and
/// scales transfers and updates by one random factor per worker from the confidence intervals of
/// its figures. The same input gives the same interval, which is always set. Returns nullopt if no
/// worker has a confidence interval. Throws what the planner throws.
std::optional<Prediction> predict_with_interval(const PlannedRun& run);

/// Returns a message, with a remedy and without a newline, if an end of the interval of a makespan
/// differs from `predicted_s` by more than kAccuracyTarget (5 %) of it; an empty string otherwise.
/// All in seconds.
std::string describe_wide_interval(const MedianInterval& interval, double predicted_s);

/// Returns messages, each with a remedy and without a newline, about properties of the run that the
/// calibration in run.file has not measured: one if it has updates, but none of this block size,
/// and one about the first worker with messages that are smaller than the smallest one measured.
/// Returns an empty list if there are none or the file has no samples.
std::vector<std::string> find_unmeasured(const PlannedRun& run);

}  // namespace starport::mpi
