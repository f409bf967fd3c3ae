#include "sim/mpi/today.hpp"

#include "sim/files/units.hpp"
#include "sim/kernel/samples.hpp"
#include "sim/mpi/calibration_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace starport::mpi {
namespace {

/// Two series of the same thing.
struct NowAndThen {
  std::vector<double> now;
  std::vector<double> then;
};

/// Of the sums of their means.
Change change_of(const std::vector<NowAndThen>& all) {
  if (all.empty()) return {};
  const auto times = [&](const Redraw& redraw) {
    double now_s = 0;
    double then_s = 0;
    for (const NowAndThen& one : all) {
      now_s += sample_mean(redraw(one.now));
      then_s += sample_mean(redraw(one.then));
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

std::vector<NowAndThen> transfers_of(const Calibration& samples, std::int64_t worker,
                                     const LinkMeasures& now) {
  std::vector<NowAndThen> all;
  for (const Calibration::Link& one : now.links) {
    const auto same = std::ranges::find_if(samples.links, [&](const Calibration::Link& then) {
      return then.worker == worker + 1 && then.worker == one.worker && then.bytes == one.bytes &&
             then.to_master_s.empty() == one.to_master_s.empty();
    });
    if (same == samples.links.end()) continue;
    all.push_back({one.to_worker_s, same->to_worker_s});
    if (!one.to_master_s.empty()) all.push_back({one.to_master_s, same->to_master_s});
  }
  return all;
}

}  // namespace

bool Change::seen() const {
  return std::abs(times - 1) > kPromise && (interval.low > 1 || interval.high < 1);
}

bool has_samples(const PlatformFile& file, std::int64_t q) {
  return file.samples &&
         std::ranges::any_of(file.samples->dgemm, [&](const Calibration::Dgemm& series) {
           return series.block_size == q && !series.update_s.empty();
         });
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

double makespan_today_s(const Foreseen& run, const PerWorker<WorkerToday>& today) {
  PlatformFile file = run.file;
  Platform platform = run.platform;
  for (std::int64_t i = 0; i < std::ssize(today); ++i) {
    const auto& [updates, transfers] = today[i];
    Worker& worker = platform.workers[static_cast<std::size_t>(i)];
    worker.w_s *= updates.times;
    worker.c_s *= transfers.times;
    worker.latency_s *= transfers.times;
    if (worker.speeds) {
      worker.speeds =
          std::make_shared<const SpeedFunction>(worker.speeds->faster(1 / updates.times));
    }
    for (Calibration::Link& link : file.samples->links) {
      if (link.worker != i + 1) continue;
      for (auto* series : {&link.to_worker_s, &link.to_master_s}) {
        for (double& time_s : *series) time_s *= transfers.times;
      }
    }
  }
  return metrics_of(platform, predicted_trace({.file = file,
                                               .platform = platform,
                                               .problem = run.problem,
                                               .planner = run.planner,
                                               .trace = run.trace}))
      .makespan_s;
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
