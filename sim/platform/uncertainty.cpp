#include "sim/platform/uncertainty.hpp"

#include "sim/platform/random.hpp"
#include "sim/platform/student_t.hpp"
#include "sim/platform/time_variation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace starport {
namespace {

/// Returns the interval of the ratio of durations at another time to those measured. Returns
/// nullopt if too few were measured.
std::optional<MedianInterval> ratio_interval(const std::vector<double>& durations) {
  const auto variation = estimate_time_variation(durations);
  if (!variation) return std::nullopt;
  const double half_width = level_half_width(*variation);
  return MedianInterval{std::exp(-half_width), std::exp(half_width)};
}

/// Returns the relative interval of the largest update in a speed function, if it has intervals.
std::optional<MedianInterval> interval_by_speed_function(const PlatformFile::Entry& entry) {
  const SpeedSample* largest = nullptr;
  for (const SpeedSample& sample : entry.speed_function) {
    if (!sample.interval_s) continue;
    if (largest == nullptr || largest->blocks() < sample.blocks()) largest = &sample;
  }
  if (largest == nullptr) return std::nullopt;
  return MedianInterval{largest->interval_s->low / largest->seconds,
                        largest->interval_s->high / largest->seconds};
}

/// Returns the relative interval of a worker's updates with block size q, else of its first series.
std::optional<MedianInterval> interval_of_updates(const Calibration& samples, std::int64_t worker,
                                                  std::int64_t q) {
  const Calibration::Dgemm* nearest = nullptr;
  for (const Calibration::Dgemm& series : samples.dgemm) {
    if (series.worker == worker && (nearest == nullptr || series.block_size == q))
      nearest = &series;
  }
  return nearest == nullptr ? std::nullopt : ratio_interval(nearest->update_s);
}

std::optional<MedianInterval> interval_of_transfers(const Calibration& samples,
                                                    std::int64_t worker) {
  return ratio_interval(relative_transfers(samples, worker));
}

/// Draws a factor whose logarithm is normal on each side of 0, with 95% between the ends of
/// `interval`.
double drawn_factor(const MedianInterval& interval, std::uint64_t sequence) {
  const double z = standard_normal(splitmix64_at(sequence, 0), splitmix64_at(sequence, 1));
  return std::exp(std::abs(z) / kNormal975 * std::log(z < 0 ? interval.low : interval.high));
}

/// Multiplies all slow-downs of a worker's activity by `factor`, from date 0 on.
void slow_down(Noise& noise, int worker, Activity activity, double factor) {
  bool at_start = false;
  for (SlowDown& change : noise.slow_downs) {
    if (change.worker != worker || change.activity != activity) continue;
    change.factor *= factor;
    at_start = at_start || change.from_s == 0;
  }
  if (!at_start) noise.slow_downs.push_back({worker, activity, 0, factor});
}

}  // namespace

std::vector<WorkerUncertainty> estimate_uncertainty(const PlatformFile& file, std::int64_t q) {
  const Calibration samples = file.samples.value_or(Calibration{});
  std::vector<WorkerUncertainty> workers;
  bool has_samples = false;
  for (const PlatformFile::Entry& entry : file.entries) {
    const std::int64_t first = std::ssize(workers) + 1;
    for (std::int64_t number = first; number < first + entry.count; ++number) {
      // A measurement of the first of several identical workers holds for all of them.
      const auto updates = [&] {
        if (const auto by_size = interval_by_speed_function(entry)) return by_size;
        const auto own = interval_of_updates(samples, number, q);
        return own ? own : interval_of_updates(samples, first, q);
      }();
      const auto own = interval_of_transfers(samples, number);
      const auto transfers = own ? own : interval_of_transfers(samples, first);
      has_samples = has_samples || updates || transfers;
      workers.push_back({.transfers = transfers.value_or(MedianInterval{1, 1}),
                         .updates = updates.value_or(MedianInterval{1, 1})});
    }
  }
  if (!has_samples) workers.clear();
  return workers;
}

Noise with_drawn_platform(const Noise& noise, const std::vector<WorkerUncertainty>& workers,
                          std::uint64_t seed, std::int64_t draw) {
  Noise drawn = noise;
  const std::uint64_t sequence = mix_bits(seed + mix_bits(static_cast<std::uint64_t>(draw)));
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const auto vary = [&](Activity activity, const MedianInterval& interval) {
      if (interval.low == interval.high) return;
      const std::uint64_t number = 2 * i + static_cast<std::uint64_t>(activity);
      slow_down(drawn, static_cast<int>(i), activity,
                drawn_factor(interval, mix_bits(sequence + mix_bits(number + 1))));
    };
    vary(Activity::transfer, workers[i].transfers);
    vary(Activity::update, workers[i].updates);
  }
  return drawn;
}

}  // namespace starport
