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

/// The change, since the calibration of the platform file, of the durations of one activity of a
/// worker (its updates, or its messages), as a ratio with its uncertainty; the default is no
/// change.
struct SpeedChange {
  /// Mean duration of the activity (updates of the worker, or messages to and from it) in the
  /// probe, divided by that in the calibration; of several kinds of messages, sums are compared,
  /// weighted as the kinds occur in a large product. Above 1: slower now. 1 also without samples to
  /// compare with.
  double factor = 1;
  /// 95 % confidence interval of `factor`, the ratio of the current duration to the calibrated one.
  MedianInterval interval{1, 1};

  /// Returns true if `factor` (current over calibrated duration) differs from 1 by more than 5 %
  /// and its 95 % interval excludes 1.
  bool is_significant() const;
};

/// The changes of the durations of one worker since the calibration, as compare_with_calibration()
/// finds them.
struct WorkerChange {
  /// Change of the durations of the worker's updates.
  SpeedChange updates;
  /// Change of the durations of the messages between the master and the worker.
  SpeedChange transfers;
};

/// The least number of samples (measured durations) of a worker's updates that a platform file must
/// have to be compared with a probe.
inline constexpr std::size_t kMinSamples = 8;
/// Returns true if the file has samples (measured durations) of updates with blocks of q x q
/// elements, and each of its series with this block size has at least kMinSamples (8) in update_s.
/// False without a calibration.
bool has_samples(const PlatformFile& file, std::int64_t q);

/// Compares the durations of a probe (a short measurement just before a run) with the samples of
/// the file, and returns the change of each worker in `probe.updates`, by index from 0. Requires
/// has_samples(file, q), and updates of each worker in `probe`; otherwise the behaviour is
/// undefined. `q` is the side of a block in elements. Messages are compared with those of the same
/// size, direction and kind; a worker without such samples has the factor 1.
PerWorker<WorkerChange> compare_with_calibration(const PlatformFile& file, std::int64_t q,
                                                 const LinkMeasures& probe);

/// The shortest duration of a probe (a measurement just before a run) of all workers together, in
/// seconds of wall time.
inline constexpr double kMinProbe_s = 0.3;
/// Returns the seconds of wall time for which to probe all workers together before a run of `run_s`
/// seconds: a tenth of it, but at least kMinProbe_s and at most 3.
double probe_duration_s(double run_s);

/// Returns the difference to expect between the duration of a run and its prediction from a probe
/// just before it, relative to the makespan (0.04: 4 %), since machine speeds drift: the root mean
/// square of the differences between a part of the calibration that is as long as the probe and the
/// following part that is as long as the run. Returns nullopt if the file does not state the
/// duration of the calibration. Requires samples in run.file; otherwise undefined. Costs 41
/// predictions; throws what the planner throws.
std::optional<double> relative_drift(const PlannedRun& run);
/// The value of relative_drift() (0.04: 4 % of the makespan) beyond which even the mean of several
/// runs is not predicted to within kAccuracyTarget (5 %).
inline constexpr double kMaxRelativeDrift = 0.04;

/// Predicts a run from the current speed of the workers: all durations of a worker are multiplied
/// by the factors in `changes` (current over calibrated durations), which has one element per
/// worker. `drift` is the relative difference to expect, the result of relative_drift() for the
/// run. The 95 % interval of the makespan is that of a single run, by Student's t; its degrees of
/// freedom are the number of probes with runs that fit into the calibration without overlapping (at
/// least 3), less one. If `drift` is nullopt, so is the interval. Requires samples in run.file,
/// with their duration if there is a drift; otherwise undefined. Throws what the planner throws.
Prediction predict_from_probe(const PlannedRun& run, const PerWorker<WorkerChange>& changes,
                              std::optional<double> drift);

/// Returns a copy of `platform` in which the times per block, the latencies and the speed functions
/// of each worker are adapted to the factors in `changes` (current over calibrated durations of
/// updates and messages), by worker from 0. Workers beyond the end of `changes` are unchanged;
/// undefined if it has more elements than there are workers.
Platform apply_changes(const Platform& platform, const PerWorker<WorkerChange>& changes);

/// Returns one message, without a full stop and a newline, for each significant change
/// (SpeedChange::is_significant()) of the updates or transfers of a worker, by worker; empty if
/// there is none. `platform` must be that of the file, not the result of apply_changes(), which
/// would give wrong figures. `file` is the path of the platform file, whose name the messages
/// contain; it is not read. `changes` is by worker from 0 and has at most one element per worker
/// (not checked; undefined otherwise).
std::vector<std::string> describe_changes(const Platform& platform, const std::string& file,
                                          const PerWorker<WorkerChange>& changes);

}  // namespace starport::mpi
