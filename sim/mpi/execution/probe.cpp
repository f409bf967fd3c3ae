#include "sim/mpi/execution/probe.hpp"

#include "sim/files/units.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/mpi/calibration/calibrated_file.hpp"
#include "sim/platform/student_t.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace starport::mpi {
namespace {

/// Returns the ratio of the mean duration of the updates of the largest chunk in the probe to that
/// in the file, of chunks of this size if the file has the speed by size; 1 if it has no samples.
double update_ratio(const Calibration& samples, const Worker& figures, std::int64_t worker,
                    std::int64_t q, const std::vector<UpdateSample>& probed) {
  std::int64_t blocks = 0;
  for (const UpdateSample& sample : probed) {
    if (sample.inner == 1) blocks = std::max(blocks, sample.blocks());
  }
  for (const Calibration::Dgemm& series : samples.dgemm) {
    if (series.worker != worker + 1 || series.block_size != q || series.update_s.empty()) continue;
    const double calibrated_s =
        figures.speeds ? figures.block_update_s(blocks) : sample_mean(series.update_s);
    return sample_mean(largest_update_times_s(probed)) / calibrated_s;
  }
  return 1;
}

double transfer_ratio(const Calibration& samples, std::int64_t worker, const LinkMeasures& probe) {
  double probed_s = 0;
  double calibrated_s = 0;
  const auto add = [&](const std::vector<double>& now_s, const std::vector<double>& then_s,
                       double weight) {
    if (now_s.empty() || then_s.empty()) return;
    probed_s += weight * sample_mean(now_s);
    calibrated_s += weight * sample_mean(then_s);
  };
  for (const Calibration::Link& link : probe.links) {
    const auto same = std::ranges::find_if(samples.links, [&](const Calibration::Link& other) {
      return other.worker == worker + 1 && other.worker == link.worker &&
             other.bytes == link.bytes && other.to_master_s.empty() == link.to_master_s.empty();
    });
    if (same == samples.links.end()) continue;
    add(link.to_worker_s, same->to_worker_s, transfer_weight(link));
    add(link.to_master_s, same->to_master_s, 1);
  }
  return calibrated_s > 0 ? probed_s / calibrated_s : 1;
}

/// Returns the seconds that a moment of the calibration lasted: as long as the run, `run_s`, if the
/// duration of the calibration is unknown.
double moment_s(const Calibration& samples, const TimeVariation& variation, double run_s) {
  return samples.lasted_s ? *samples.lasted_s / variation.moments() : run_s;
}

}  // namespace

bool has_samples(const PlatformFile& file, std::int64_t q) {
  if (!file.samples) return false;
  const auto is_of_size = [&](const Calibration::Dgemm& series) { return series.block_size == q; };
  const auto is_too_short = [&](const Calibration::Dgemm& series) {
    return is_of_size(series) && series.update_s.size() < kMinSamples;
  };
  const auto& series = file.samples->dgemm;
  return std::ranges::any_of(series, is_of_size) && std::ranges::none_of(series, is_too_short);
}

PerWorker<SpeedChange> compare_with_calibration(const PlatformFile& file, const Platform& platform,
                                                std::int64_t q, const LinkMeasures& probe) {
  PerWorker<SpeedChange> changes;
  for (std::int64_t i = 0; i < std::ssize(probe.updates); ++i) {
    changes.push_back(
        {.updates = update_ratio(*file.samples, platform.workers[static_cast<std::size_t>(i)], i, q,
                                 probe.updates[i]),
         .transfers = transfer_ratio(*file.samples, i, probe)});
  }
  return changes;
}

double probe_duration_s(const Calibration& samples, const std::optional<TimeVariation>& variation,
                        double run_s) {
  constexpr double least_s = 0.3;
  constexpr double most_s = 3;
  constexpr double wanted_half_width = 0.015;
  double wanted_s = run_s / 10;
  if (variation) {
    const double deviation = wanted_half_width / student_t_975(variation->spans - 1);
    const double moments = variation->within / (deviation * deviation);
    wanted_s = std::min(moments * moment_s(samples, *variation, run_s), run_s / 3);
  }
  return std::clamp(wanted_s, least_s, most_s);
}

double update_variance(const LinkMeasures& probe) {
  double greatest = 0;
  for (std::int64_t i = 0; i < std::ssize(probe.updates); ++i) {
    const std::vector<double> updates_s = largest_update_times_s(probe.updates[i]);
    greatest = std::max(greatest, variance_of_mean_logarithm(updates_s));
  }
  return greatest;
}

Prediction predict_from_probe(const PlannedRun& run, const std::optional<TimeVariation>& variation,
                              const PerWorker<SpeedChange>& changes, double probe_s,
                              double probe_variance) {
  const auto makespan_s = [&](const Trace& trace) {
    return compute_metrics(run.platform, trace).makespan_s;
  };
  if (!variation) return {.trace = predict_trace(run, changes), .changes = changes};
  const double file_s = makespan_s(predict_trace(run));
  const double one_s = moment_s(*run.file.samples, *variation, file_s);
  const PredictedLevel level =
      predict_level(*variation, file_s / one_s, probe_s / one_s,
                    {.level = std::log(makespan_s(predict_trace(run, changes)) / file_s),
                     .variance = probe_variance});
  Prediction prediction{.changes = changes};
  for (SpeedChange& change : prediction.changes) {
    change = {.updates = std::exp(level.shift) * std::pow(change.updates, level.probe_weight),
              .transfers = std::exp(level.shift) * std::pow(change.transfers, level.probe_weight)};
  }
  prediction.trace = predict_trace(run, prediction.changes);
  const double predicted_s = makespan_s(prediction.trace);
  const double half_width = std::hypot(level.half_width, kNormal975 * kModelError);
  prediction.interval_s = {.low = predicted_s * std::exp(-half_width),
                           .high = predicted_s * std::exp(half_width)};
  return prediction;
}

Platform apply_changes(const Platform& platform, const PerWorker<SpeedChange>& changes) {
  Platform changed = platform;
  for (std::int64_t i = 0; i < std::ssize(changes); ++i) {
    Worker& worker = changed.workers[static_cast<std::size_t>(i)];
    worker.w_s *= changes[i].updates;
    worker.c_s *= changes[i].transfers;
    worker.latency_s *= changes[i].transfers;
    if (!worker.speeds) continue;
    worker.speeds =
        std::make_shared<const SpeedFunction>(worker.speeds->scaled_by(1 / changes[i].updates));
  }
  return changed;
}

std::vector<std::string> describe_changes(const Platform& platform, const std::string& file,
                                          const PerWorker<SpeedChange>& changes) {
  const std::string name = std::filesystem::path(file).filename().string();
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < std::ssize(changes); ++i) {
    const Worker& worker = platform.workers[static_cast<std::size_t>(i)];
    const auto add = [&](double factor, const char* what, double file_s) {
      if (std::abs(factor - 1) <= kNotableChange) return;
      texts.push_back(fmt::format("worker {} now takes {} to {} a block, but {} in {}", i + 1,
                                  format_seconds(factor * file_s), what, format_seconds(file_s),
                                  name));
    };
    add(changes[i].updates, "update", worker.w_s);
    add(changes[i].transfers, "receive", worker.c_s);
  }
  return texts;
}

}  // namespace starport::mpi
