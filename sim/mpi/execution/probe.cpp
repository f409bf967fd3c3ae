#include "sim/mpi/execution/probe.hpp"

#include "sim/files/units.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/mpi/calibration/calibrated_file.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace starport::mpi {
namespace {

/// Durations of the same activity in a probe and in the calibration.
struct PairedSamples {
  std::vector<double> probe_s;
  std::vector<double> calibration_s;
  double weight = 1;  ///< number of occurrences of the activity
};

/// Returns the ratio of the weighted sums of the means, with its interval.
SpeedChange ratio_of(const std::vector<PairedSamples>& pairs) {
  if (pairs.empty()) return {};
  const auto ratio = [&](const Resample& redraw) {
    double probe_s = 0;
    double calibration_s = 0;
    for (const PairedSamples& pair : pairs) {
      probe_s += pair.weight * sample_mean(redraw(pair.probe_s));
      calibration_s += pair.weight * sample_mean(redraw(pair.calibration_s));
    }
    return probe_s / calibration_s;
  };
  return {.factor = ratio([](const auto& values) { return values; }),
          .interval = bootstrap_interval(ratio)};
}

std::vector<PairedSamples> pair_updates(const Calibration& samples, std::int64_t worker,
                                        std::int64_t q, const LinkMeasures& probe) {
  for (const Calibration::Dgemm& series : samples.dgemm) {
    if (series.worker != worker + 1 || series.block_size != q || series.update_s.empty()) continue;
    return {{largest_update_times_s(probe.updates[worker]), series.update_s}};
  }
  return {};
}

/// Returns how often messages of this kind occur for each chunk in a large product. Operands are
/// the messages that have no samples to the master.
double weight_of(const Calibration::Link& messages) {
  return messages.to_master_s.empty() ? kTypicalUpdatesPerChunk : 1;
}

std::vector<PairedSamples> pair_transfers(const Calibration& samples, std::int64_t worker,
                                          const LinkMeasures& probe) {
  std::vector<PairedSamples> pairs;
  for (const Calibration::Link& link : probe.links) {
    const auto same = std::ranges::find_if(samples.links, [&](const Calibration::Link& other) {
      return other.worker == worker + 1 && other.worker == link.worker &&
             other.bytes == link.bytes && other.to_master_s.empty() == link.to_master_s.empty();
    });
    if (same == samples.links.end()) continue;
    pairs.push_back({link.to_worker_s, same->to_worker_s, weight_of(link)});
    if (!link.to_master_s.empty()) pairs.push_back({link.to_master_s, same->to_master_s});
  }
  return pairs;
}

/// By which factors the durations of a worker are longer.
struct Factors {
  double updates;
  double transfers;
};

Factors factors_of(const WorkerChange& change) {
  return {.updates = change.updates.factor, .transfers = change.transfers.factor};
}

void slow_down(Worker& worker, const Factors& factors) {
  worker.w_s *= factors.updates;
  worker.c_s *= factors.transfers;
  worker.latency_s *= factors.transfers;
  if (!worker.speeds) return;
  worker.speeds =
      std::make_shared<const SpeedFunction>(worker.speeds->scaled_by(1 / factors.updates));
}

/// Predicts the run with all durations of the workers, and all samples of messages, times the
/// factors.
Trace predict_slowed(const PlannedRun& run, const PerWorker<Factors>& factors) {
  PlatformFile file = run.file;
  Platform platform = run.platform;
  for (std::int64_t i = 0; i < std::ssize(factors); ++i) {
    slow_down(platform.workers[static_cast<std::size_t>(i)], factors[i]);
    for (Calibration::Link& link : file.samples->links) {
      if (link.worker != i + 1) continue;
      for (auto* series : {&link.to_worker_s, &link.to_master_s}) {
        for (double& time_s : *series) time_s *= factors[i].transfers;
      }
    }
  }
  return predict_trace({.file = file,
                        .platform = platform,
                        .problem = run.problem,
                        .planner = run.planner,
                        .trace = run.trace});
}

/// A part of a calibration that serves as a probe, followed by a part that serves as a run; as
/// shares of its duration.
struct Window {
  double start;
  double probe;
  double run;
};

/// Returns the mean of a part of the series, which is cyclic. `start` and `share` are shares of its
/// length.
double mean_of_part(const std::vector<double>& series, double start, double share) {
  const std::int64_t size = std::ssize(series);
  const auto first = static_cast<std::int64_t>(start * static_cast<double>(size));
  const auto count = static_cast<std::int64_t>(
      std::clamp(std::round(share * static_cast<double>(size)), 1.0, static_cast<double>(size)));
  double sum = 0;
  for (std::int64_t k = first; k < first + count; ++k) {
    sum += series[static_cast<std::size_t>(k % size)];
  }
  return sum / static_cast<double>(count);
}

/// The ratio of the durations in the run of a window to those in its probe.
class WindowRatio {
 public:
  explicit WindowRatio(const Window& window) : window_(window) {}

  void add(const std::vector<double>& series, double weight = 1) {
    if (series.empty()) return;
    probe_s_ += weight * mean_of_part(series, window_.start, window_.probe);
    run_s_ += weight * mean_of_part(series, window_.start + window_.probe, window_.run);
  }
  double ratio() const { return probe_s_ > 0 ? run_s_ / probe_s_ : 1; }

 private:
  Window window_;
  double probe_s_ = 0;
  double run_s_ = 0;
};

Factors factors_in_window(const Calibration& samples, std::int64_t worker, std::int64_t q,
                          const Window& window) {
  WindowRatio updates(window);
  WindowRatio transfers(window);
  for (const Calibration::Dgemm& series : samples.dgemm) {
    if (series.worker == worker + 1 && series.block_size == q) updates.add(series.update_s);
  }
  for (const Calibration::Link& link : samples.links) {
    if (link.worker != worker + 1) continue;
    transfers.add(link.to_worker_s, weight_of(link));
    transfers.add(link.to_master_s);
  }
  return {.updates = updates.ratio(), .transfers = transfers.ratio()};
}

}  // namespace

bool SpeedChange::is_significant() const {
  return std::abs(factor - 1) > kAccuracyTarget && (interval.low > 1 || interval.high < 1);
}

bool has_samples(const PlatformFile& file, std::int64_t q) {
  if (!file.samples) return false;
  const auto is_of_size = [&](const Calibration::Dgemm& series) { return series.block_size == q; };
  const auto is_too_short = [&](const Calibration::Dgemm& series) {
    return is_of_size(series) && series.update_s.size() < kMinSamples;
  };
  const auto& series = file.samples->dgemm;
  return std::ranges::any_of(series, is_of_size) && std::ranges::none_of(series, is_too_short);
}

PerWorker<WorkerChange> compare_with_calibration(const PlatformFile& file, std::int64_t q,
                                                 const LinkMeasures& probe) {
  PerWorker<WorkerChange> changes;
  for (std::int64_t i = 0; i < std::ssize(probe.updates); ++i) {
    changes.push_back({.updates = ratio_of(pair_updates(*file.samples, i, q, probe)),
                       .transfers = ratio_of(pair_transfers(*file.samples, i, probe))});
  }
  return changes;
}

double probe_duration_s(double run_s) { return std::clamp(run_s / 10, kMinProbe_s, 3.0); }

std::optional<double> relative_drift(const PlannedRun& run) {
  constexpr int windows = 40;
  const Calibration& samples = *run.file.samples;
  if (!samples.lasted_s) return std::nullopt;
  const double run_s = compute_metrics(run.platform, predict_trace(run)).makespan_s;
  double mean_square = 0;
  for (int n = 0; n < windows; ++n) {
    const Window window{.start = static_cast<double>(n) / windows,
                        .probe = std::min(1.0, probe_duration_s(run_s) / *samples.lasted_s),
                        .run = std::min(1.0, run_s / *samples.lasted_s)};
    PerWorker<Factors> factors;
    for (std::int64_t i = 0; i < std::ssize(run.platform.workers); ++i) {
      factors.push_back(factors_in_window(samples, i, run.problem.block_size, window));
    }
    const double difference =
        compute_metrics(run.platform, predict_slowed(run, factors)).makespan_s / run_s - 1;
    mean_square += difference * difference / windows;
  }
  return std::sqrt(mean_square);
}

Prediction predict_from_probe(const PlannedRun& run, const PerWorker<WorkerChange>& changes,
                              std::optional<double> drift) {
  PerWorker<Factors> factors;
  for (const WorkerChange& change : changes) factors.push_back(factors_of(change));
  Prediction prediction{.trace = predict_slowed(run, factors)};
  if (!drift) return prediction;
  const double run_s = compute_metrics(run.platform, prediction.trace).makespan_s;
  // The drift is estimated from n pairs of probe and run that do not overlap. The interval of a
  // single further one is t(n - 1) sqrt(1 + 1 / n) times as wide as the standard deviation.
  const double n = std::max(3.0, *run.file.samples->lasted_s / (probe_duration_s(run_s) + run_s));
  const double half_width_s =
      boost::math::quantile(boost::math::students_t_distribution<double>(n - 1), 0.975) *
      std::sqrt(1 + 1 / n) * *drift * run_s;
  prediction.interval_s =
      MedianInterval{.low = std::max(0.0, run_s - half_width_s), .high = run_s + half_width_s};
  return prediction;
}

Platform apply_changes(const Platform& platform, const PerWorker<WorkerChange>& changes) {
  Platform changed = platform;
  for (std::int64_t i = 0; i < std::ssize(changes); ++i) {
    slow_down(changed.workers[static_cast<std::size_t>(i)], factors_of(changes[i]));
  }
  return changed;
}

std::vector<std::string> describe_changes(const Platform& platform, const std::string& file,
                                          const PerWorker<WorkerChange>& changes) {
  const std::string name = std::filesystem::path(file).filename().string();
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < std::ssize(changes); ++i) {
    const Worker& worker = platform.workers[static_cast<std::size_t>(i)];
    const auto add = [&](const SpeedChange& change, const char* what, double file_s) {
      if (!change.is_significant()) return;
      texts.push_back(fmt::format("worker {} now takes {} to {} a block, but {} in {}", i + 1,
                                  format_seconds(change.factor * file_s), what,
                                  format_seconds(file_s), name));
    };
    add(changes[i].updates, "update", worker.w_s);
    add(changes[i].transfers, "receive", worker.c_s);
  }
  return texts;
}

}  // namespace starport::mpi
