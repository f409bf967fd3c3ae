// A random-effects model of the variation of durations with time, and the intervals that follow.
#pragma once

#include "sim/platform/calibration.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// Returns the durations of the block updates of q x q elements of worker `worker` (from 1), as
/// measured in updates of whole chunks (rectangles of C; Calibration::Dgemm::update_s), at the
/// consecutive moments of a calibration (each moment is one measured duration), each divided by the
/// mean of all; empty if there are none. Of several series for that worker and q, the first is
/// taken.
std::vector<double> relative_updates(const Calibration& samples, std::int64_t worker,
                                     std::int64_t q);
/// Returns the durations of the messages of worker `worker` (from 1) at the consecutive moments of
/// a calibration, each divided by the mean of all; empty if there are none. There are as many
/// moments as the longest series of messages to the worker has durations; other series are
/// stretched or shortened to it. The duration at a moment is the sum over all sizes and both
/// directions, weighted by how often such messages are sent in a large product (transfer_weight()).
std::vector<double> relative_transfers(const Calibration& samples, std::int64_t worker);
/// Number of times that each chunk (rectangle of C on a worker) is assumed to be updated in a large
/// product, each time with other blocks of A and B.
inline constexpr std::int32_t kTypicalUpdatesPerChunk = 64;
/// Returns how often messages like those of the series `messages` are sent for each chunk
/// (rectangle of C on a worker) in a large product: kTypicalUpdatesPerChunk times for blocks of A
/// and B, whose series has no durations to the master, and once for others.
double transfer_weight(const Calibration::Link& messages);

/// The variation of durations with time, as estimate_time_variation() returns it, by a one-way
/// random-effects model (Searle, Casella and McCulloch, Variance Components, 1992, chapter 3),
/// estimated by analysis of variance: the natural logarithm of a duration is a mean, plus an effect
/// of the span of time (a group of consecutive moments), plus an effect of the moment (a single
/// measured duration). The effects are independent and normal.
struct TimeVariation {
  /// Mean square, in the analysis of variance of the natural logarithms of durations, between spans
  /// (groups of consecutive moments); has no unit. Its expected value is the variance of the effect
  /// of a moment plus moments_per_span times that of the effect of a span.
  double mean_square_between = 0;
  /// Mean square, in the analysis of variance of the natural logarithms of durations, within spans
  /// (groups of consecutive moments), which estimates the variance of the effect of a single
  /// moment; has no unit.
  double within = 0;
  /// Number of spans (groups of consecutive moments) into which the calibration was divided, at
  /// least 2.
  double spans = 2;
  /// Number of moments (single durations measured) in each span; a whole number of at least 2, the
  /// same for all spans.
  double moments_per_span = 2;

  /// Returns the number of moments (single measured durations) of the calibration that were used,
  /// in all spans together.
  double moments() const { return spans * moments_per_span; }
  /// Returns the estimated variance, between spans (groups of consecutive moments of a
  /// calibration), of the mean logarithm of the durations in a span, beyond what the variation from
  /// moment to moment explains; without unit, at least 0. 0.01 means that durations drift by about
  /// 10 % from span to span.
  double between() const;
  /// Returns the variance of the mean natural logarithm of `moments` consecutive durations (more
  /// than 0, not necessarily whole; not checked): `within` / moments + between() / max(1, moments /
  /// moments_per_span). It has no unit.
  double variance_of_mean(double moments) const;
};
/// Estimates the variation of durations from their values at consecutive moments, in any unit, none
/// of them NaN (not checked). They are divided into eight spans of equal length, or spans of two
/// values each if there are fewer than 16; values left over at the end are ignored. So that rare
/// interruptions count little, a logarithm farther from the median of all than three standard
/// deviations is moved to that distance (Huber, Robust Statistics, 1981, chapter 1). The standard
/// deviation is estimated by the median absolute deviation; if this is 0, nothing is moved. Returns
/// nullopt for fewer than four values, or if one is not positive.
std::optional<TimeVariation> estimate_time_variation(const std::vector<double>& durations);

/// Returns an estimate of the variance of the mean natural logarithm of consecutive durations, all
/// greater than 0, from how the means of up to eight spans of them differ, interruptions included;
/// 0 for fewer than four durations. It has no unit; 0.0004 means that their mean is known to about
/// 2 %.
double variance_of_mean_logarithm(const std::vector<double>& durations);

/// Standard deviation of the difference between the mean natural logarithm of durations now and
/// that in a calibration, beyond what the variation within the calibration explains: 0.07 is about
/// 7 %. It stands for variation over minutes, which a calibration of seconds cannot see. Estimated
/// by maximum likelihood from real runs (experiments/real/README.md, "Do the intervals hold ...").
inline constexpr double kVariationOverMinutes = 0.07;

/// Returns half the width of the 95 % interval (by Student's t) of ln(m / c), where c is the mean
/// duration of the calibration and m that at another time, if durations vary from then to now as
/// they do between the spans (groups of consecutive durations) of the calibration; has no unit.
/// About the share by which the mean may differ. Leaves out kVariationOverMinutes.
double level_half_width(const TimeVariation& variation);

/// The prediction of the duration of a run from that of a probe (a short measurement) that
/// predict_level() returns: two coefficients, and half the width of the 95 % interval. All are of
/// natural logarithms of durations divided by the mean of the calibration.
struct PredictedLevel {
  /// Weight of the probe, from 0 to 1, as against the calibration: the logarithm of the predicted
  /// duration is this times the logarithm of the probed one, plus `shift`; both durations relative
  /// to the mean of the calibration.
  double probe_weight = 0;
  /// Correction of the prediction: term added to the natural logarithm of the predicted duration
  /// relative to the mean of the calibration (see `probe_weight`); has no unit and may be negative.
  /// The mean duration over a short time has, on average, a smaller logarithm than that over a long
  /// time; this makes up for the different lengths of run, probe and calibration.
  double shift = 0;
  /// Half the width of the 95 % interval of the natural logarithm of the duration of a single run;
  /// has no unit. The interval of the duration is from exp(-half_width) to exp(half_width) times
  /// the predicted one.
  double half_width = 0;
};

/// The speed of the workers as a probe, a short measurement just before a run, finds it, and how
/// certain it is; predict_level() weighs it against the calibration.
struct ProbedLevel {
  /// Natural logarithm of the ratio d / c, where d is the duration of the run as it follows from
  /// the probe alone, and c as it follows from the calibration alone; has no unit. Above 0: slower
  /// now.
  double level = 0;
  /// Variance of the mean natural logarithm of the durations in the probe as these show it
  /// (variance_of_mean_logarithm()), at least 0; has no unit.
  double variance = 0;
};
/// Returns the coefficients that predict the duration of a run from that of a probe (a short
/// measurement) just before it, by best linear unbiased prediction, with a 95 % interval by
/// Student's t. Durations are assumed to have changed since the calibration as between two of its
/// spans (groups of consecutive moments), and by a further standard deviation of 7 %
/// (kVariationOverMinutes); by more if the probe differs more than that and its own variance
/// explain, as when another program has begun or ended since (method of moments: DerSimonian and
/// Laird, Meta-analysis in clinical trials, 1986, for two measurements). During a run as long as
/// the calibration, or longer, they are assumed to drift as much as the means of its spans vary;
/// during shorter runs proportionally less (in variance), but at least as much as the mean of the
/// probe varies. `run_moments` and `probe_moments` are the lengths of run and probe, in multiples
/// of that of a moment (a single measured duration) of the calibration; more than 0, not
/// necessarily whole (not checked). The variance of the probe is the greater one of `probe` and
/// that which follows from `variation`.
PredictedLevel predict_level(const TimeVariation& variation, double run_moments,
                             double probe_moments, const ProbedLevel& probe = {});

}  // namespace starport
