// Compares the current speed of the workers, probed just before a run, with the calibration in
// their platform file, and predicts the run from both.
#pragma once

#include "sim/mpi/calibration/chunk_series.hpp"
#include "sim/mpi/execution/prediction.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// Ratio of current durations to those of the calibration; above 1, the worker is slower now.
struct SpeedChange {
  double factor = 1;
  MedianInterval interval{1, 1};  ///< 95 % interval of the factor

  /// Returns true if the change exceeds the accuracy target (5 %) and its interval excludes 1.
  bool is_significant() const;
};

/// The change of the speed of one worker since the calibration.
struct WorkerChange {
  SpeedChange updates;
  SpeedChange transfers;
};

/// The least number of samples of a worker's updates that a probe is compared with.
inline constexpr std::size_t kMinSamples = 8;
/// Returns true if the file has samples of updates with q x q blocks, kMinSamples or more of each
/// worker that has any.
bool has_samples(const PlatformFile& file, std::int64_t q);

/// Compares the durations of a probe with the samples of the file. Requires has_samples(). Messages
/// are compared with those of the same size, direction and kind.
PerWorker<WorkerChange> compare_with_calibration(const PlatformFile& file, std::int64_t q,
                                                 const LinkMeasures& probe);

/// The shortest duration of a probe, in seconds.
inline constexpr double kMinProbe_s = 0.3;
/// Returns how many seconds to probe all workers together before a run of `run_s` seconds: a tenth
/// of it, from kMinProbe_s to 3 s.
double probe_duration_s(double run_s);

/// Returns how much the duration of a run differs from what a probe just before it predicts,
/// relative to its makespan: the root mean square of the differences between a part of the
/// calibration that is as long as the probe and the following part that is as long as the run.
/// Returns nullopt if the file does not state the duration of the calibration. Requires samples in
/// the file.
std::optional<double> relative_drift(const PlannedRun& run);
/// The relative drift beyond which even the mean of several runs misses kAccuracyTarget.
inline constexpr double kMaxRelativeDrift = 0.04;

/// Predicts a run from the current speed of the workers. `drift` is that of relative_drift(). The
/// interval of the makespan is that of a single run, by Student's t; its degrees of freedom are the
/// number of probes with runs that fit into the calibration without overlapping, less one. Without
/// `drift` there is no interval.
Prediction predict_from_probe(const PlannedRun& run, const PerWorker<WorkerChange>& changes,
                              std::optional<double> drift);

/// Returns the platform with the current speed of its workers.
Platform apply_changes(const Platform& platform, const PerWorker<WorkerChange>& changes);

/// Returns one sentence for each significant change of a worker. `file` is the path of the platform
/// file, which the sentences name.
std::vector<std::string> describe_changes(const Platform& platform, const std::string& file,
                                          const PerWorker<WorkerChange>& changes);

}  // namespace starport::mpi
