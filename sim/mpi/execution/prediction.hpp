// Predicts a real run from the samples of a calibration, and how certain the prediction is.
#pragma once

#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/engine/engine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// The relative accuracy that a predicted makespan has to reach.
inline constexpr double kAccuracyTarget = 0.05;

/// A run to be predicted: what is run where, and its trace in the model. All references must
/// outlive it.
struct PlannedRun {
  const PlatformFile& file;  ///< platform file, with samples if it was calibrated
  const Platform& platform;
  const Problem& problem;
  const Planner& planner;
  const Trace& trace;
};

/// The predicted trace of a run.
struct Prediction {
  Trace trace;
  /// 95 % interval of the makespan in seconds; nullopt if it is unknown.
  std::optional<MedianInterval> interval_s{};
};

/// Predicts the trace of a run. A message takes the mean time of the samples of its size, direction
/// and kind, interpolated between sizes; links without samples follow the model. Updates take the
/// times of the platform.
Trace predict_trace(const PlannedRun& run);

/// Predicts the trace and the interval of the makespan. The interval is that of 200 runs whose
/// samples of messages and times of updates are resample_blocks (uncertainty.hpp): what the
/// calibration leaves open. Returns nullopt if the file has no samples.
std::optional<Prediction> predict_with_interval(const PlannedRun& run);

/// Returns why an interval is wider than kAccuracyTarget around `predicted_s`, with a remedy; empty
/// if it is not.
std::string describe_wide_interval(const MedianInterval& interval, double predicted_s);

/// Returns one sentence for each property of the run that the calibration has not measured: its
/// block size, or messages smaller than the smallest one measured.
std::vector<std::string> find_unmeasured(const PlannedRun& run);

}  // namespace starport::mpi
