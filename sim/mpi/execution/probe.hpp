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

/// The change of a duration, longer or shorter, relative to that in the platform file, beyond which
/// it is reported (describe_changes()): 0.05 is 5 %.
inline constexpr double kNotableChange = 0.05;
/// The least number of samples (measured durations) that each series of updates with the block size
/// of a run must have in the platform file to be compared with a probe (a short measurement before
/// the run).
inline constexpr std::size_t kMinSamples = 8;
/// Relative standard deviation of the error of the model itself (0.01: 1 %): how far a run takes
/// longer or shorter than predicted for reasons other than the speed of the machines, such as
/// messages that disturb computations ("model inadequacy": Kennedy and O'Hagan, Bayesian
/// calibration of computer models, 2001). It is the root mean square of the median errors of twelve
/// kinds of real runs with one worker (experiments/real/README.md, "Do the intervals hold ...").
inline constexpr double kModelError = 0.015;
/// Returns true if the file has samples (measured durations) of updates with blocks of q x q
/// elements, and each of its series with this block size has at least kMinSamples (8) in update_s.
/// False without a calibration.
bool has_samples(const PlatformFile& file, std::int64_t q);

/// Compares the mean durations of a probe (a short measurement just before a run) with those in the
/// file. Returns the ratios of present durations to those in the file for each worker in
/// `probe.updates`, by index from 0: of its updates and of its messages (2: twice as long now). A
/// ratio is 1 if the file has no samples of the worker to compare with.
///
/// Updates are compared for the largest chunk (rectangle of C) in the probe: with the worker's
/// speed function in `platform` at the size of that chunk or, without one, with the mean of the
/// samples. Messages are compared with samples of the same size, direction and content (C, or A and
/// B); the durations of all that can be compared are summed, weighted as often as they occur in a
/// large product.
///
/// `platform` is that of the file for blocks of q x q elements. Requires has_samples(file, q), and
/// at least one update of each worker in `probe.updates`; otherwise the behaviour is undefined.
PerWorker<SpeedChange> compare_with_calibration(const PlatformFile& file, const Platform& platform,
                                                std::int64_t q, const LinkMeasures& probe);

/// Returns the seconds of wall time for which a probe measures all workers together before a run
/// that is predicted to take `run_s` seconds: as long as it takes to know their speed to 1.5 % with
/// 95 % confidence, by the variation of the run's makespan from moment to moment of the
/// calibration, but at most a third of the run; a tenth of the run if `variation` is nullopt.
/// Always from 0.3 to 3 s, even if that exceeds the run. A moment (a single measured duration)
/// lasted samples.lasted_s divided by the number of moments; if lasted_s is unknown, as long as the
/// run.
double probe_duration_s(const Calibration& samples, const std::optional<TimeVariation>& variation,
                        double run_s);

/// The predicted trace of a run, the 95 % interval of its makespan in seconds if that is known, and
/// the changes of the workers' speeds that it takes into account. Dates are in seconds. Result of
/// predict_from_probe(); a value that owns all its data.
struct Prediction {
  /// Predicted transfers and updates of the run; dates are seconds since the start of the run.
  Trace trace;
  /// 95 % interval of the makespan of a single run, in seconds; nullopt: unknown.
  std::optional<MedianInterval> interval_s{};
  /// Changes that `trace` is predicted with, by worker from 0: factors on the durations of its
  /// updates and messages relative to the calibration (1.1: 10 % longer), as the probe found them
  /// or, if the variation is known, weighted against the calibration and corrected
  /// (predict_level()).
  PerWorker<SpeedChange> changes{};
};

/// Returns the variance of the mean natural logarithm of the durations of updates in a probe (a
/// short measurement before a run), the greatest of the workers; has no unit. A worker that was
/// interrupted during the probe makes it large (variance_of_mean_logarithm()).
double update_variance(const LinkMeasures& probe);

/// Predicts a run from the calibration in run.file and from a probe (a short measurement) of
/// `probe_s` seconds (above 0) just before the run, which found `changes` of the workers' speeds,
/// by worker from 0; workers beyond the end of the list are unchanged. `probe_variance` is
/// update_variance() of the probe. With the `variation` of the makespan
/// (estimate_makespan_variation()), the probe is weighted against the calibration and corrected
/// (predict_level()), in the same way for all changes, and the prediction has a 95 % interval,
/// which covers the error of the model (kModelError) too; run.file must then have samples (not
/// checked: undefined behaviour). Without it, the changes count in full, and there is no interval.
/// Throws what the planner throws, and SimulationError on a multi-port platform or if the plan
/// makes an invalid decision.
Prediction predict_from_probe(const PlannedRun& run, const std::optional<TimeVariation>& variation,
                              const PerWorker<SpeedChange>& changes, double probe_s,
                              double probe_variance = 0);

/// Returns a copy of `platform` with the durations of each worker multiplied by its factors in
/// `changes`, by worker from 0: block updates (w_i; the speeds of a speed function are divided) by
/// `updates`, blocks on the link (c_i) and its latency by `transfers`. Workers beyond the end of
/// `changes` are unchanged; undefined behaviour if it has more elements than there are workers.
Platform apply_changes(const Platform& platform, const PerWorker<SpeedChange>& changes);

/// Returns one message, without a full stop and a newline, for each factor in `changes` that
/// differs from 1 by more than 5 %, in the order of the workers, updates before transfers; empty if
/// there is none. `platform` must be that of the file, not the result of apply_changes(). `file` is
/// the path of the platform file, whose name the messages contain; it is not read. `changes` is by
/// worker from 0 and has at most one element per worker (not checked: undefined behaviour
/// otherwise).
std::vector<std::string> describe_changes(const Platform& platform, const std::string& file,
                                          const PerWorker<SpeedChange>& changes);

}  // namespace starport::mpi
