#include "sim/mpi/execution/prediction.hpp"

#include "sim/files/numbers.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/analytic_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

namespace starport::mpi {
namespace {

double block_bytes(const PlannedRun& run) {
  const auto q = static_cast<double>(run.problem.block_size);
  return static_cast<double>(bytes_of(element_type_of(run.file))) * q * q;
}

/// The durations of the messages of one worker by size: of messages of C, measured while the worker
/// does not compute, and the ratio by which operands take longer while it computes.
class MeasuredLink {
 public:
  /// Takes the means of the samples of worker `number` (from 1).
  MeasuredLink(const Calibration& samples, std::int64_t number) {
    for (const Calibration::Link& link : samples.links) {
      if (link.worker != number) continue;
      const auto bytes = static_cast<double>(link.bytes);
      smallest_bytes_ = smallest_bytes_ == 0 ? bytes : std::min(smallest_bytes_, bytes);
      if (link.to_master_s.empty()) {
        computing_[bytes] = sample_mean(link.to_worker_s);
      } else {
        idle_[0][bytes] = sample_mean(link.to_worker_s);
        idle_[1][bytes] = sample_mean(link.to_master_s);
      }
    }
    if (!is_measured()) return;
    for (auto& [bytes, time] : computing_) time /= idle_s(bytes, Direction::to_worker);
  }

  /// Returns true if there are samples of messages of C.
  bool is_measured() const { return !idle_[0].empty(); }
  /// Returns the bytes of the smallest message with samples.
  double smallest_bytes() const { return smallest_bytes_; }
  /// Returns the duration of a message, of which the worker computes during the first `computing_s`
  /// seconds.
  double seconds(double bytes, Direction direction, double computing_s) const {
    const double alone_s = idle_s(bytes, direction);
    if (computing_.empty() || computing_s <= 0) return alone_s;
    const double longer = between(computing_, bytes);
    const double done = std::min(1.0, computing_s / (longer * alone_s));
    return done * longer * alone_s + (1 - done) * alone_s;
  }

 private:
  using Points = std::map<double, double>;

  double idle_s(double bytes, Direction direction) const {
    const Points& points = idle_[static_cast<std::size_t>(direction)];
    const auto& [most_bytes, most_s] = *points.rbegin();
    return bytes > most_bytes ? most_s * bytes / most_bytes : between(points, bytes);
  }
  /// Interpolates linearly between the points; constant beyond the first and the last one.
  static double between(const Points& points, double x) {
    const auto above = points.lower_bound(x);
    if (above == points.end()) return points.rbegin()->second;
    if (above == points.begin()) return above->second;
    const auto& [from, first] = *std::prev(above);
    return first + (above->second - first) / (above->first - from) * (x - from);
  }

  std::array<Points, 2> idle_;  ///< seconds by bytes, by direction, while the worker is idle
  Points computing_;            ///< ratio by bytes, to the duration while the worker is idle
  double smallest_bytes_ = 0;
};

/// Durations of updates by several steps at once (columns of A and rows of B) on one worker,
/// compared with the sum of the durations of their steps.
struct SeveralSteps {
  /// Seconds that each step beside the first one saves, such as those of waiting for a core; 0
  /// without a sample of a column by several steps.
  double overhead_s = 0;
  /// Ratio to the sum of the steps if all operands arrive in the same message, which the worker
  /// awaits, and several columns of C are updated; nullopt without a sample of such an update.
  std::optional<double> awaited{};
};

std::vector<SeveralSteps> measured_steps(const PlannedRun& run) {
  std::vector<SeveralSteps> workers;
  for (const PlatformFile::Entry& entry : run.file.entries) {
    const Worker& figures = run.platform.workers[workers.size()];
    SeveralSteps measured;
    for (const SpeedSample& sample : entry.speed_function) {
      if (sample.inner == 1 || sample.block_size != run.problem.block_size) continue;
      const auto steps = static_cast<double>(sample.inner);
      const double step_s =
          static_cast<double>(sample.blocks()) * figures.block_update_s(sample.blocks());
      if (sample.columns == 1) {
        measured.overhead_s = std::max(0.0, (steps * step_s - sample.seconds) / (steps - 1));
      } else {
        measured.awaited = sample.seconds / (steps * step_s);
      }
    }
    workers.insert(workers.end(), static_cast<std::size_t>(entry.count), measured);
  }
  return workers;
}

/// Computes the dates of messages and updates as NominalRecurrence does, but with the measured
/// durations of messages and with all durations of each worker times its factors.
class MeasuredRecurrence {
 public:
  MeasuredRecurrence(const PlannedRun& run, const std::vector<MeasuredLink>& links,
                     const PerWorker<SpeedChange>& changes)
      : links_(links),
        block_bytes_(block_bytes(run)),
        several_steps_(measured_steps(run)),
        changes_(changes) {}

  Dates advance(MasterView& master, const Message& message, double start_s) const {
    const int worker = message.worker;
    const auto [updates, transfers] =
        worker < std::ssize(changes_) ? changes_[worker] : SpeedChange{};
    const double computing_s =
        master.ready_after_update_s(worker, master.updates_allowed(worker)) - start_s;
    const double lasts_s = transfer_s(master.worker(worker), message, computing_s / transfers);
    Dates dates = NominalRecurrence::record(master, without_update(message), start_s,
                                            start_s + transfers * lasts_s);
    if (!message.allows_update) return dates;
    NominalRecurrence::date_update(master, message, worker, master.updates_allowed(worker) + 1,
                                   dates);
    dates.update_end_s =
        dates.update_start_s + updates * relative_update_time(master.worker(worker), message) *
                                   (dates.update_end_s - dates.update_start_s);
    master.allow_update(worker, dates.update_end_s);
    return dates;
  }
  static void observe_stops(MasterView& master) { NominalRecurrence::observe_stops(master); }
  static double next_stop_s(const MasterView& master) {
    return NominalRecurrence::next_stop_s(master);
  }

 private:
  static std::size_t at(int worker) { return static_cast<std::size_t>(worker); }
  static Message without_update(Message message) {
    message.allows_update = false;
    return message;
  }
  /// Returns the duration of an update relative to the model.
  double relative_update_time(const Worker& figures, const Message& message) const {
    if (message.block_updates <= message.updated_blocks) return 1;
    const auto blocks = static_cast<double>(message.updated_blocks);
    const double steps = static_cast<double>(message.block_updates) / blocks;
    const SeveralSteps& measured = several_steps_[at(message.worker)];
    // Among rectangles of C of as many blocks, a square has the fewest operands a step, and a
    // column the most.
    const double operands = static_cast<double>(message.blocks) / steps;
    const bool brings_all = operands >= 2 * std::sqrt(blocks) && operands < blocks + 1;
    if (brings_all && measured.awaited) return *measured.awaited;
    const double step_s = blocks * figures.block_update_s(message.updated_blocks);
    return 1 - (1 - 1 / steps) * std::min(1.0, measured.overhead_s / step_s);
  }
  double transfer_s(const Worker& figures, const Message& message, double computing_s) const {
    const MeasuredLink& link = links_[at(message.worker)];
    if (!link.is_measured()) return figures.transfer_time_s(message.blocks);
    return link.seconds(block_bytes_ * static_cast<double>(message.blocks), message.direction,
                        computing_s);
  }

  const std::vector<MeasuredLink>& links_;
  double block_bytes_;
  std::vector<SeveralSteps> several_steps_;
  const PerWorker<SpeedChange>& changes_;
};

std::vector<MeasuredLink> links_of(const PlannedRun& run) {
  const Calibration samples = run.file.samples.value_or(Calibration{});
  std::vector<MeasuredLink> links;
  for (std::int64_t i = 1; i <= std::ssize(run.platform.workers); ++i) {
    links.emplace_back(samples, i);
  }
  return links;
}

Trace measured_trace(const PlannedRun& run, const Planner& planner,
                     const std::vector<MeasuredLink>& links,
                     const PerWorker<SpeedChange>& changes) {
  const Plan plan = planner();
  MasterView master(run.platform, run.problem);
  Trace trace;
  run_recurrence(
      *plan.dispatcher, master,
      [&](const Message&, const Dates& dates) {
        trace.push_back({plan.dispatcher->transfer(), dates});
      },
      MeasuredRecurrence(run, links, changes));
  return trace;
}

/// Replays the transfers of the model's run, unless the heuristic adapts to the dates; then it
/// decides anew.
class ReplayablePlan {
 public:
  explicit ReplayablePlan(const PlannedRun& run) : planner_(run.planner) {
    if (planner_().adapts) return;
    transfers_ = to_transfers(run.trace);
    list_.emplace(transfers_);
    planner_ = [this] { return make_list_plan(*list_); };
  }
  ReplayablePlan(const ReplayablePlan&) = delete;
  ReplayablePlan& operator=(const ReplayablePlan&) = delete;

  const Planner& planner() const { return planner_; }

 private:
  Planner planner_;
  std::vector<Transfer> transfers_;
  std::optional<TransferList> list_;
};

}  // namespace

Trace predict_trace(const PlannedRun& run, const PerWorker<SpeedChange>& changes) {
  return measured_trace(run, ReplayablePlan(run).planner(), links_of(run), changes);
}

std::optional<TimeVariation> estimate_makespan_variation(const PlannedRun& run) {
  struct Durations {
    std::vector<double> updates;
    std::vector<double> transfers;
  };
  const Calibration samples = run.file.samples.value_or(Calibration{});
  std::vector<Durations> workers;
  std::size_t moments = 0;
  for (std::int64_t i = 1; i <= std::ssize(run.platform.workers); ++i) {
    workers.push_back({.updates = relative_updates(samples, i, run.problem.block_size),
                       .transfers = relative_transfers(samples, i)});
    moments = std::max({moments, workers.back().updates.size(), workers.back().transfers.size()});
  }
  const auto at = [&](const std::vector<double>& series, std::size_t moment) {
    return series.empty() ? 1 : series[moment * series.size() / moments];
  };
  const ReplayablePlan plan(run);
  const std::vector<MeasuredLink> links = links_of(run);
  std::vector<double> makespans_s;
  for (std::size_t moment = 0; moment < moments; ++moment) {
    PerWorker<SpeedChange> changes;
    for (const auto& [updates, transfers] : workers) {
      changes.push_back({.updates = at(updates, moment), .transfers = at(transfers, moment)});
    }
    const Trace trace = measured_trace(run, plan.planner(), links, changes);
    makespans_s.push_back(compute_metrics(run.platform, trace).makespan_s);
  }
  return estimate_time_variation(makespans_s);
}

std::vector<std::string> find_unmeasured(const PlannedRun& run) {
  const Calibration samples = run.file.samples.value_or(Calibration{});
  const std::int64_t q = run.problem.block_size;
  std::vector<std::string> problems;
  std::set<std::int64_t> sizes;
  for (const Calibration::Dgemm& series : samples.dgemm) sizes.insert(series.block_size);
  if (!sizes.empty() && !sizes.contains(q)) {
    problems.push_back(fmt::format(
        "w_i was measured with blocks of {}, not of {}. Calibrate with --block-sizes {}",
        fmt::join(sizes, ", "), q, q));
  }
  std::vector<std::int64_t> smallest_blocks(run.platform.workers.size());
  for (const TracedTransfer& traced : run.trace) {
    std::int64_t& smallest = smallest_blocks[static_cast<std::size_t>(traced.transfer.worker)];
    const std::int64_t blocks = traced.transfer.blocks();
    smallest = smallest == 0 ? blocks : std::min(smallest, blocks);
  }
  for (std::size_t i = 0; i < smallest_blocks.size(); ++i) {
    const MeasuredLink link(samples, static_cast<std::int64_t>(i) + 1);
    const double bytes = block_bytes(run) * static_cast<double>(smallest_blocks[i]);
    if (!link.is_measured() || bytes == 0 || bytes >= link.smallest_bytes()) continue;
    problems.push_back(fmt::format(
        "c_{} was measured with messages of {:.0f} bytes and more, but this run has messages "
        "of {:.0f} bytes. Use larger blocks",
        i + 1, link.smallest_bytes(), bytes));
    break;
  }
  return problems;
}

}  // namespace starport::mpi
