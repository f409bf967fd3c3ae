#include "sim/mpi/calibration/today.hpp"

#include "sim/files/units.hpp"
#include "sim/kernel/samples.hpp"
#include "sim/mpi/calibration/calibration_figures.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace starport::mpi {
namespace {

/// Two series of the same thing, and how often it happens.
struct NowAndThen {
  std::vector<double> now;
  std::vector<double> then;
  double times = 1;
};

/// Of the sums of their means.
Change change_of(const std::vector<NowAndThen>& all) {
  if (all.empty()) return {};
  const auto times = [&](const Redraw& redraw) {
    double now_s = 0;
    double then_s = 0;
    for (const NowAndThen& one : all) {
      now_s += one.times * sample_mean(redraw(one.now));
      then_s += one.times * sample_mean(redraw(one.then));
    }
    return now_s / then_s;
  };
  return {.times = times([](const auto& values) { return values; }),
          .interval = bootstrap_interval(times)};
}

std::vector<NowAndThen> updates_of(const Calibration& samples, std::int64_t worker, std::int64_t q,
                                   const LinkMeasures& now) {
  for (const Calibration::Dgemm& then : samples.dgemm) {
    if (then.worker != worker + 1 || then.block_size != q || then.update_s.empty()) continue;
    return {{largest_updates_s(now.updates[worker]), then.update_s}};
  }
  return {};
}

/// Operands, which do not go home, come as often as in large products.
double often(const Calibration::Link& messages) {
  return messages.to_master_s.empty() ? kUsualSteps : 1;
}

std::vector<NowAndThen> transfers_of(const Calibration& samples, std::int64_t worker,
                                     const LinkMeasures& now) {
  std::vector<NowAndThen> all;
  for (const Calibration::Link& one : now.links) {
    const auto same = std::ranges::find_if(samples.links, [&](const Calibration::Link& then) {
      return then.worker == worker + 1 && then.worker == one.worker && then.bytes == one.bytes &&
             then.to_master_s.empty() == one.to_master_s.empty();
    });
    if (same == samples.links.end()) continue;
    all.push_back({one.to_worker_s, same->to_worker_s, often(one)});
    if (!one.to_master_s.empty()) all.push_back({one.to_master_s, same->to_master_s});
  }
  return all;
}

}  // namespace

bool Change::seen() const {
  return std::abs(times - 1) > kPromise && (interval.low > 1 || interval.high < 1);
}

bool has_samples(const PlatformFile& file, std::int64_t q) {
  if (!file.samples) return false;
  const auto mine = [&](const Calibration::Dgemm& series) { return series.block_size == q; };
  const auto few = [&](const Calibration::Dgemm& series) {
    return mine(series) && series.update_s.size() < kFewestSamples;
  };
  const auto& all = file.samples->dgemm;
  return std::ranges::any_of(all, mine) && std::ranges::none_of(all, few);
}

PerWorker<WorkerToday> compare_today(const PlatformFile& file, std::int64_t q,
                                     const LinkMeasures& now) {
  PerWorker<WorkerToday> workers;
  for (std::int64_t i = 0; i < std::ssize(now.updates); ++i) {
    workers.push_back({.updates = change_of(updates_of(*file.samples, i, q, now)),
                       .transfers = change_of(transfers_of(*file.samples, i, now))});
  }
  return workers;
}

namespace {

/// How many times as long a worker takes.
struct Times {
  double updates;
  double transfers;
};

void slow_down(Worker& worker, const Times& times) {
  worker.w_s *= times.updates;
  worker.c_s *= times.transfers;
  worker.latency_s *= times.transfers;
  if (!worker.speeds) return;
  worker.speeds = std::make_shared<const SpeedFunction>(worker.speeds->faster(1 / times.updates));
}

Trace trace_at(const Foreseen& run, const PerWorker<Times>& times) {
  PlatformFile file = run.file;
  Platform platform = run.platform;
  for (std::int64_t i = 0; i < std::ssize(times); ++i) {
    const auto& [updates, transfers] = times[i];
    slow_down(platform.workers[static_cast<std::size_t>(i)], times[i]);
    for (Calibration::Link& link : file.samples->links) {
      if (link.worker != i + 1) continue;
      for (auto* series : {&link.to_worker_s, &link.to_master_s}) {
        for (double& time_s : *series) time_s *= transfers;
      }
    }
  }
  return predicted_trace({.file = file,
                          .platform = platform,
                          .problem = run.problem,
                          .planner = run.planner,
                          .trace = run.trace});
}

/// A look into a calibration and a run right after it, as shares of the calibration's time.
struct Window {
  double from;
  double look;
  double run;
};

/// The mean over a part of the time; what comes after the end is at the beginning.
double mean_over(const std::vector<double>& series, double from, double share) {
  const std::int64_t n = std::ssize(series);
  const auto first = static_cast<std::int64_t>(from * static_cast<double>(n));
  const auto count = static_cast<std::int64_t>(
      std::clamp(std::round(share * static_cast<double>(n)), 1.0, static_cast<double>(n)));
  double sum = 0;
  for (std::int64_t k = first; k < first + count; ++k)
    sum += series[static_cast<std::size_t>(k % n)];
  return sum / static_cast<double>(count);
}

/// How many times as long as in the look the same took in the run.
class Drift {
 public:
  explicit Drift(const Window& window) : window_(window) {}

  void add(const std::vector<double>& series, double times = 1) {
    if (series.empty()) return;
    look_s_ += times * mean_over(series, window_.from, window_.look);
    run_s_ += times * mean_over(series, window_.from + window_.look, window_.run);
  }
  double times() const { return look_s_ > 0 ? run_s_ / look_s_ : 1; }

 private:
  Window window_;
  double look_s_ = 0;
  double run_s_ = 0;
};

Times drift_of(const Calibration& samples, std::int64_t worker, std::int64_t q,
               const Window& window) {
  Drift updates(window);
  Drift transfers(window);
  for (const Calibration::Dgemm& one : samples.dgemm) {
    if (one.worker == worker + 1 && one.block_size == q) updates.add(one.update_s);
  }
  for (const Calibration::Link& one : samples.links) {
    if (one.worker != worker + 1) continue;
    transfers.add(one.to_worker_s, often(one));
    transfers.add(one.to_master_s);
  }
  return {.updates = updates.times(), .transfers = transfers.times()};
}

}  // namespace

double look_s(double run_s) { return std::clamp(run_s / 10, kLook_s, 3.0); }

std::optional<double> strays(const Foreseen& run) {
  constexpr int places = 40;
  const Calibration& samples = *run.file.samples;
  if (!samples.lasted_s) return std::nullopt;
  const double run_s = metrics_of(run.platform, predicted_trace(run)).makespan_s;
  double squares = 0;
  for (int n = 0; n < places; ++n) {
    const Window window{.from = static_cast<double>(n) / places,
                        .look = std::min(1.0, look_s(run_s) / *samples.lasted_s),
                        .run = std::min(1.0, run_s / *samples.lasted_s)};
    PerWorker<Times> drifts;
    for (std::int64_t i = 0; i < std::ssize(run.platform.workers); ++i) {
      drifts.push_back(drift_of(samples, i, run.problem.block_size, window));
    }
    const double share = metrics_of(run.platform, trace_at(run, drifts)).makespan_s / run_s - 1;
    squares += share * share / places;
  }
  return std::sqrt(squares);
}

namespace {

Times times_of(const WorkerToday& today) {
  return {.updates = today.updates.times, .transfers = today.transfers.times};
}

}  // namespace

Prediction predict_today(const Foreseen& run, const PerWorker<WorkerToday>& today,
                         std::optional<double> strays) {
  PerWorker<Times> times;
  for (const WorkerToday& one : today) times.push_back(times_of(one));
  Prediction prediction{.trace = trace_at(run, times)};
  if (!strays) return prediction;
  const double run_s = metrics_of(run.platform, prediction.trace).makespan_s;
  const double apart = std::max(3.0, *run.file.samples->lasted_s / (look_s(run_s) + run_s));
  const double half_s =
      boost::math::quantile(boost::math::students_t_distribution<double>(apart - 1), 0.975) *
      std::sqrt(1 + 1 / apart) * *strays * run_s;
  prediction.interval_s =
      MedianInterval{.low = std::max(0.0, run_s - half_s), .high = run_s + half_s};
  return prediction;
}

Platform platform_today(const Platform& platform, const PerWorker<WorkerToday>& today) {
  Platform changed = platform;
  for (std::int64_t i = 0; i < std::ssize(today); ++i) {
    slow_down(changed.workers[static_cast<std::size_t>(i)], times_of(today[i]));
  }
  return changed;
}

std::vector<std::string> changes_text(const Platform& platform, const std::string& file,
                                      const PerWorker<WorkerToday>& today) {
  const std::string name = std::filesystem::path(file).filename().string();
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < std::ssize(today); ++i) {
    const Worker& worker = platform.workers[static_cast<std::size_t>(i)];
    const auto add = [&](const Change& change, const char* what, double then_s) {
      if (!change.seen()) return;
      texts.push_back(fmt::format("worker {} {} in {} today, {} in {}", i + 1, what,
                                  format_seconds(change.times * then_s), format_seconds(then_s),
                                  name));
    };
    add(today[i].updates, "updates a block", worker.w_s);
    add(today[i].transfers, "gets a block", worker.c_s);
  }
  return texts;
}

}  // namespace starport::mpi
