#include "sim/platform/time_variation.hpp"

#include "sim/files/numbers.hpp"
#include "sim/platform/student_t.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace starport {
namespace {

/// The least number of durations whose variation is estimated, and the most spans into which they
/// are divided.
constexpr std::size_t kLeastDurations = 4;
constexpr std::size_t kMostSpans = 8;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> divided_by_mean(std::vector<double> values) {
  const double divisor = mean(values);
  for (double& value : values) value /= divisor;
  return values;
}

double square(double x) { return x * x; }

/// Returns the natural logarithms of `durations`, with those that are rare exceptions closer to the
/// median (see estimate_time_variation()).
std::vector<double> winsorized_logs(const std::vector<double>& durations) {
  constexpr double most_deviations = 3;
  constexpr double deviation_by_median = 1.4826;  // of a normal distribution
  std::vector<double> logs;
  for (const double duration : durations) logs.push_back(std::log(duration));
  const double center = median_of(logs);
  std::vector<double> distances;
  for (const double value : logs) distances.push_back(std::abs(value - center));
  const double most = most_deviations * deviation_by_median * median_of(std::move(distances));
  if (most == 0) return logs;
  for (double& value : logs) value = std::clamp(value, center - most, center + most);
  return logs;
}

/// Returns the variance of the mean at another time, given the calibration: that of the difference
/// of the effects of both times, and that of the mean of the calibration.
double variance_at_another_time(const TimeVariation& variation) {
  return 2 * variation.between() + variation.variance_of_mean(variation.moments());
}

}  // namespace

double transfer_weight(const Calibration::Link& messages) {
  return messages.to_master_s.empty() ? kTypicalUpdatesPerChunk : 1;
}

std::vector<double> relative_updates(const Calibration& samples, std::int64_t worker,
                                     std::int64_t q) {
  for (const Calibration::Dgemm& series : samples.dgemm) {
    if (series.worker == worker && series.block_size == q) return divided_by_mean(series.update_s);
  }
  return {};
}

std::vector<double> relative_transfers(const Calibration& samples, std::int64_t worker) {
  std::size_t moments = 0;
  for (const Calibration::Link& link : samples.links) {
    if (link.worker == worker) moments = std::max(moments, link.to_worker_s.size());
  }
  std::vector<double> sums(moments);
  const auto add = [&](const std::vector<double>& series, double weight) {
    for (std::size_t k = 0; k < moments && !series.empty(); ++k) {
      sums[k] += weight * series[k * series.size() / moments];
    }
  };
  for (const Calibration::Link& link : samples.links) {
    if (link.worker != worker) continue;
    add(link.to_worker_s, transfer_weight(link));
    add(link.to_master_s, 1);
  }
  return divided_by_mean(std::move(sums));
}

double TimeVariation::between() const {
  return std::max(0.0, (mean_square_between - within) / moments_per_span);
}

double TimeVariation::variance_of_mean(double moments) const {
  return between() / std::max(1.0, moments / moments_per_span) + within / moments;
}

double variance_of_mean_logarithm(const std::vector<double>& durations) {
  if (durations.size() < kLeastDurations) return 0;
  const std::size_t spans = std::min(kMostSpans, durations.size());
  std::vector<double> means;
  for (std::size_t span = 0; span < spans; ++span) {
    double sum = 0;
    const std::size_t begin = span * durations.size() / spans;
    const std::size_t end = (span + 1) * durations.size() / spans;
    for (std::size_t k = begin; k < end; ++k) sum += std::log(durations[k]);
    means.push_back(sum / static_cast<double>(end - begin));
  }
  double squares = 0;
  for (const double value : means) squares += square(value - mean(means));
  return squares / static_cast<double>(spans * (spans - 1));
}

std::optional<TimeVariation> estimate_time_variation(const std::vector<double>& durations) {
  if (durations.size() < kLeastDurations || std::ranges::min(durations) <= 0) return std::nullopt;
  const std::size_t spans = std::min(kMostSpans, durations.size() / 2);
  const std::size_t moments = durations.size() / spans;
  const std::vector<double> all_logs = winsorized_logs(durations);
  std::vector<double> means;
  double within = 0;
  for (std::size_t span = 0; span < spans; ++span) {
    const auto first = all_logs.begin() + static_cast<std::ptrdiff_t>(span * moments);
    const std::vector<double> logs(first, first + static_cast<std::ptrdiff_t>(moments));
    means.push_back(mean(logs));
    for (const double value : logs) within += square(value - means.back());
  }
  double between = 0;
  for (const double value : means) between += square(value - mean(means));
  return TimeVariation{.mean_square_between =
                           static_cast<double>(moments) * between / static_cast<double>(spans - 1),
                       .within = within / static_cast<double>(spans * (moments - 1)),
                       .spans = static_cast<double>(spans),
                       .moments_per_span = static_cast<double>(moments)};
}

double level_half_width(const TimeVariation& variation) {
  return student_t_975(variation.spans - 1) * std::sqrt(variance_at_another_time(variation));
}

PredictedLevel predict_level(const TimeVariation& variation, double run_moments,
                             double probe_moments, const ProbedLevel& probe) {
  const double calibrated = variation.variance_of_mean(variation.moments());
  const double probed = std::max(variation.variance_of_mean(probe_moments), probe.variance);
  const double running = variation.variance_of_mean(run_moments);
  const double of_span = variation.mean_square_between / variation.moments_per_span;
  const double drift = of_span * std::min(1.0, run_moments / variation.moments());
  const double expected = variance_at_another_time(variation) + square(kVariationOverMinutes);
  // The expected square of the level is the variance of the change and that of the probe.
  const double changed = std::max(expected, square(probe.level) - probed);
  const double weight = changed / (changed + probed);
  return {.probe_weight = weight,
          .shift = ((1 - weight) * calibrated + weight * probed - running) / 2,
          .half_width = student_t_975(variation.spans - 1) *
                        std::sqrt(weight * probed + std::max(running + drift, probe.variance))};
}

}  // namespace starport
