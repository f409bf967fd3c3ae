#include "sim/mpi/execution/prediction.hpp"

#include "sim/files/numbers.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/samples.hpp"
#include "sim/platform/element_type.hpp"
#include "sim/platform/random.hpp"
#include "sim/platform/uncertainty.hpp"
#include "sim/star/analytic_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace starport::mpi {
namespace {

constexpr std::int64_t kDraws = 200;

std::vector<double> unchanged(const std::vector<double>& series) { return series; }

double block_bytes(const PlannedRun& run) {
  const auto q = static_cast<double>(run.problem.block_size);
  return static_cast<double>(bytes_of(elements_of(run.file))) * q * q;
}

/// What messages of a worker took, by their bytes: those of C while it did not compute, and how
/// much longer those of operands took while it did.
class MeasuredLink {
 public:
  /// By the means of what `redraw` makes of the series.
  MeasuredLink(const Calibration& samples, std::int64_t number, const Redraw& redraw) {
    const auto mean_s = [&](const std::vector<double>& series) {
      return sample_mean(redraw(series));
    };
    for (const Calibration::Link& link : samples.links) {
      if (link.worker != number) continue;
      const auto bytes = static_cast<double>(link.bytes);
      smallest_ = smallest_ == 0 ? bytes : std::min(smallest_, bytes);
      if (link.to_master_s.empty()) {
        computing_[bytes] = mean_s(link.to_worker_s);
      } else {
        idle_[0][bytes] = mean_s(link.to_worker_s);
        idle_[1][bytes] = mean_s(link.to_master_s);
      }
    }
    if (!is_measured()) return;
    for (auto& [bytes, time] : computing_) time /= idle_s(bytes, Direction::to_worker);
  }

  bool is_measured() const { return !idle_[0].empty(); }
  double smallest() const { return smallest_; }
  /// Of a message during whose first seconds the worker computes.
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
  /// On the broken line through the points; beyond them as at the last one.
  static double between(const Points& points, double x) {
    const auto above = points.lower_bound(x);
    if (above == points.end()) return points.rbegin()->second;
    if (above == points.begin()) return above->second;
    const auto& [from, first] = *std::prev(above);
    return first + (above->second - first) / (above->first - from) * (x - from);
  }

  std::array<Points, 2> idle_;  ///< seconds, by direction
  Points computing_;            ///< times as long
  double smallest_ = 0;
};

/// The recurrence of the dates with what messages took when they were measured, and each worker's
/// times so many times as long.
class MeasuredRecurrence {
 public:
  MeasuredRecurrence(const std::vector<MeasuredLink>& links, double block_bytes,
                     const std::vector<SlowDown>& factors)
      : links_(links), block_bytes_(block_bytes), times_(links.size(), {1, 1}) {
    for (const SlowDown& one : factors) {
      // What links may take is in the series drawn anew, where there are some.
      if (one.activity == Activity::transfer && links[at(one.worker)].is_measured()) continue;
      times_[at(one.worker)][static_cast<std::size_t>(one.activity)] = one.factor;
    }
  }

  Dates advance(MasterView& master, const Message& message, double start_s) const {
    const int worker = message.worker;
    const auto [transfers, updates] = times_[at(worker)];
    const double computing_s = master.ready_after_update_s(worker, master.updates_allowed(worker)) - start_s;
    const double lasts_s = transfer_s(master.worker(worker), message, computing_s / transfers);
    Dates dates = NominalRecurrence::record(master, without_update(message), start_s,
                                            start_s + transfers * lasts_s);
    if (!message.allows_update) return dates;
    NominalRecurrence::date_update(master, message, worker, master.updates_allowed(worker) + 1,
                                   dates);
    dates.update_end_s =
        dates.update_start_s + updates * (dates.update_end_s - dates.update_start_s);
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
  double transfer_s(const Worker& figures, const Message& message, double computing_s) const {
    const MeasuredLink& link = links_[at(message.worker)];
    if (!link.is_measured()) return figures.transfer_time_s(message.blocks);
    return link.seconds(block_bytes_ * static_cast<double>(message.blocks), message.direction,
                        computing_s);
  }

  const std::vector<MeasuredLink>& links_;
  double block_bytes_;
  std::vector<std::array<double, 2>> times_;  ///< by worker: transfers, updates
};

std::vector<MeasuredLink> links_of(const PlannedRun& run, const Redraw& redraw) {
  const Calibration samples = run.file.samples.value_or(Calibration{});
  std::vector<MeasuredLink> links;
  for (std::int64_t i = 1; i <= std::ssize(run.platform.workers); ++i) {
    links.emplace_back(samples, i, redraw);
  }
  return links;
}

Trace measured_trace(const PlannedRun& run, const Planner& planner,
                     const std::vector<MeasuredLink>& links, const std::vector<SlowDown>& factors) {
  const Plan plan = planner();
  MasterView master(run.platform, run.problem);
  Trace trace;
  run_recurrence(
      *plan.dispatcher, master,
      [&](const Message&, const Dates& dates) {
        trace.push_back({plan.dispatcher->transfer(), dates});
      },
      MeasuredRecurrence(links, block_bytes(run), factors));
  return trace;
}

/// Decisions that follow what happens are taken anew; the others are those of the model's run.
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

Trace predict_trace(const PlannedRun& run) {
  return measured_trace(run, ReplayablePlan(run).planner(), links_of(run, unchanged), {});
}

std::optional<Prediction> predict_with_interval(const PlannedRun& run) {
  const auto uncertain = uncertainty_of(run.file, run.problem.block_size);
  if (uncertain.empty()) return std::nullopt;
  Prediction prediction{.trace = predict_trace(run)};
  const ReplayablePlan plan(run);
  std::vector<double> makespans_s;
  Random random(1);
  for (std::int64_t draw = 1; draw <= kDraws; ++draw) {
    const Noise drawn = on_drawn_platform({}, uncertain, 0, draw);
    const auto links = links_of(run, [&](const auto& series) { return redrawn(series, random); });
    const Trace trace = measured_trace(run, plan.planner(), links, drawn.slow_downs);
    makespans_s.push_back(compute_metrics(run.platform, trace).makespan_s);
  }
  prediction.interval_s = {.low = quantile_of(makespans_s, 0.025),
                           .high = quantile_of(makespans_s, 0.975)};
  return prediction;
}

std::string describe_wide_interval(const MedianInterval& interval, double predicted_s) {
  if (interval.low >= (1 - kAccuracyTarget) * predicted_s &&
      interval.high <= (1 + kAccuracyTarget) * predicted_s) {
    return "";
  }
  return fmt::format(
      "{:.4g} to {:.4g} s instead of {:.4g} +-{:g}%, as c_i and w_i were measured (a core for each "
      "thread, an idle machine, calibrate --seconds)",
      interval.low, interval.high, predicted_s, 100 * kAccuracyTarget);
}

std::vector<std::string> find_unmeasured(const PlannedRun& run) {
  const Calibration samples = run.file.samples.value_or(Calibration{});
  const std::int64_t q = run.problem.block_size;
  std::vector<std::string> doubts;
  std::set<std::int64_t> sizes;
  for (const Calibration::Dgemm& series : samples.dgemm) sizes.insert(series.block_size);
  if (!sizes.empty() && !sizes.contains(q)) {
    doubts.push_back(
        fmt::format("w_i was measured with blocks of {}, not of {} (calibrate --block-sizes {})",
                    fmt::join(sizes, ", "), q, q));
  }
  std::vector<std::int64_t> least(run.platform.workers.size());
  for (const TracedTransfer& one : run.trace) {
    std::int64_t& mine = least[static_cast<std::size_t>(one.transfer.worker)];
    const std::int64_t blocks = one.transfer.blocks();
    mine = mine == 0 ? blocks : std::min(mine, blocks);
  }
  for (std::size_t i = 0; i < least.size(); ++i) {
    const MeasuredLink link(samples, static_cast<std::int64_t>(i) + 1, unchanged);
    const double bytes = block_bytes(run) * static_cast<double>(least[i]);
    if (!link.is_measured() || bytes == 0 || bytes >= link.smallest()) continue;
    doubts.push_back(fmt::format(
        "c_{} was measured with messages from {:.0f} bytes on, and some of this run have {:.0f}",
        i + 1, link.smallest(), bytes));
    break;
  }
  return doubts;
}

}  // namespace starport::mpi
