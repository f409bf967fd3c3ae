// Validator rules about dates: ports (number of simultaneous transfers, their durations),
// causality, durations.
#pragma once

#include "sim/platform/noise/expected_noise.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/trace.hpp"
#include "sim/star/update_end_dates.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace starport {

/// The data of one transfer of a multi-port master, which goes through a link of its own and a
/// bandwidth shared by all transfers; input of max_min_end_dates().
struct Flow {
  /// Simulated date in seconds at which the data of the transfer start to flow (after its latency);
  /// finite.
  double start_s;
  /// Amount of data of the transfer, in blocks of a matrix; above 0.
  double blocks;
  /// Seconds per block on the link of the transfer's worker if nothing else limited the flow; above
  /// 0.
  double c_s;
};

/// Returns the simulated date in seconds at which each of `flows` (data of transfers) ends, by the
/// same index, if a bandwidth of 1 / shared_c_s blocks per second is shared max-min fairly at any
/// time: equally, except that a flow never gets more than its own link allows (progressive
/// filling). Flows may come in any order; none give an empty result. `shared_c_s`, and blocks and
/// c_s of each flow, must be above 0, and all numbers finite (not checked: may be endless). O(n (k
/// + log n)) for n flows, at most k at once.
std::vector<double> max_min_end_dates(const std::vector<Flow>& flows, double shared_c_s);

/// Checker of the rules about the master's ports for one trace, transfer by transfer: one transfer
/// at a time on a port and with a worker, durations, and for a multi-port master the limit on
/// transfers at once and fair shares of a common bandwidth. Part of the validator (DateRules, which
/// makes it). For each transfer, in the order of decisions, call check_start(), check_duration() if
/// durations must be those of the model without noise, and add(); after the last one finish().
/// Workers of transfers must exist (not checked: undefined behaviour), dates must be finite. The
/// platform must outlive it.
class PortRules {
 public:
  /// Makes a checker for an empty trace of a run on `platform`, which must outlive it.
  explicit PortRules(const Platform& platform) : platform_(platform) {
    switch (platform.port.kind) {
      case Port::Kind::one:
        single_ports_ = {{.name = "port"}};
        return;
      case Port::Kind::two:
        single_ports_ = {{.name = "send port"}, {.name = "receive port"}};
        break;
      case Port::Kind::multi:
        break;
    }
    ends_s_.resize(platform.workers.size());
  }

  /// Returns the simulated date in seconds from which the master's port and the worker are free for
  /// a transfer, after the transfers added so far; 0 if there is none before. For a multi-port
  /// master considers only the worker; finish() checks the number of transfers at once. Throws
  /// BrokenRule if the transfer starts before that date by more than a relative 2^-46. The worker
  /// must exist (not checked: undefined behaviour).
  double check_start(const TracedTransfer& event) const {
    const auto& [transfer, dates] = event;
    double due_s = 0;
    if (!single_ports_.empty()) {
      const auto& [name, free_s] = single_ports_[port_of(transfer)];
      if (clearly_earlier(dates.start_s, free_s)) {
        throw_broken_rule("the transfer starts at {} s, the {} is busy until {} s", dates.start_s,
                          name, free_s);
      }
      due_s = free_s;
    }
    if (ends_s_.empty() || ends_s_[transfer.worker].empty()) return due_s;
    const auto& ends = ends_s_[transfer.worker];
    if (clearly_earlier(dates.start_s, ends.back())) {
      throw_broken_rule("the transfer starts at {} s, worker {} is in another one until {} s",
                        dates.start_s, transfer.worker + 1, ends.back());
    }
    return std::max(due_s, ends.back());
  }

  /// Throws BrokenRule if the duration of a transfer is not that of the model without noise
  /// (latency plus seconds per block times blocks), within 1e-9 of it plus 1e-13 of the end date.
  /// If all transfers share a bandwidth, checks only that it lasts no less than its worker's link
  /// and the whole bandwidth allow; finish() checks the rest. The worker must exist (not checked:
  /// undefined behaviour).
  void check_duration(const TracedTransfer& event) const {
    const auto& [transfer, dates] = event;
    const Worker& worker = platform_.workers[transfer.worker];
    const double alone_s = worker.transfer_time_s(transfer.blocks());
    if (platform_.port.c_s == 0) {
      starport::check_duration("transfer", dates.start_s, dates.end_s, alone_s);
      return;
    }
    const double shared_s =
        worker.latency_s + static_cast<double>(transfer.blocks()) * platform_.port.c_s;
    const double least_s = std::max(alone_s, shared_s);
    if (dates.end_s - dates.start_s < least_s - duration_tolerance_s(dates.end_s, least_s)) {
      throw_broken_rule("the transfer lasts {} s, but at least {} s in the model",
                        dates.end_s - dates.start_s, least_s);
    }
  }

  /// Records a transfer that passed check_start(), so that later ones can be checked against it.
  /// Call it once per transfer, in the order of the trace. The worker must exist (not checked:
  /// undefined behaviour).
  void add(const TracedTransfer& event) {
    const auto& [transfer, dates] = event;
    if (!ends_s_.empty()) ends_s_[transfer.worker].push_back(dates.end_s);
    if (!single_ports_.empty()) {
      single_ports_[port_of(transfer)].free_s = dates.end_s;
      return;
    }
    const Worker& worker = platform_.workers[transfer.worker];
    flows_.push_back({.start_s = dates.start_s + worker.latency_s,
                      .blocks = static_cast<double>(transfer.blocks()),
                      .c_s = worker.c_s});
    start_s_.push_back(dates.start_s);
    end_s_.push_back(dates.end_s);
  }

  /// Returns true if a transfer added so far ends at `date_s` simulated seconds, within a relative
  /// 2^-46. Always false for a one-port master, for which the ends of transfers are not stored.
  bool has_transfer_ending_at(double date_s) const {
    return std::any_of(ends_s_.begin(), ends_s_.end(),
                       [&](const auto& ends) { return is_among(ends, date_s); });
  }

  /// Checks the rules for a multi-port master that need the complete trace. Returns a violation by
  /// the earliest transfer that starts beyond the limit on simultaneous transfers, else by the
  /// first added whose end is not that of max-min fair shares of a common bandwidth (equal, but
  /// none more than its link allows), with its index from 0 among those added; nullopt if there is
  /// none, as always for one-port and two-port masters.
  std::optional<Violation> finish() const {
    if (!single_ports_.empty()) return std::nullopt;
    if (const auto violation = find_excess_transfers()) return violation;
    return platform_.port.c_s > 0 ? find_unfair_share() : std::nullopt;
  }

 private:
  struct SinglePort {
    const char* name;
    double free_s = 0;
  };
  /// Returns the index of the transfer's port in single_ports_.
  std::size_t port_of(const Transfer& transfer) const {
    return single_ports_.size() == 2 && transfer.direction == Direction::to_master ? 1 : 0;
  }

  std::optional<Violation> find_excess_transfers() const {
    const std::int64_t limit = platform_.port.max_transfers;
    if (limit == 0) return std::nullopt;
    struct Start {
      double start_s;
      std::size_t transfer;
    };
    std::vector<Start> starts;
    for (std::size_t i = 0; i < flows_.size(); ++i) starts.push_back({start_s_[i], i});
    std::stable_sort(starts.begin(), starts.end(),
                     [](const Start& x, const Start& y) { return x.start_s < y.start_s; });
    std::priority_queue<double, std::vector<double>, std::greater<>> ends;  // of those under way
    for (const auto& [start_s, transfer] : starts) {
      while (!ends.empty() && !clearly_earlier(start_s, ends.top())) ends.pop();
      ends.push(end_s_[transfer]);
      if (std::cmp_greater(ends.size(), limit)) {
        return Violation{transfer,
                         fmt::format("{} transfers at once at {} s, but at most {} are allowed",
                                     ends.size(), start_s, limit)};
      }
    }
    return std::nullopt;
  }

  /// Computes the ends of all transfers from their starts, and compares.
  std::optional<Violation> find_unfair_share() const {
    const std::vector<double> expected = max_min_end_dates(flows_, platform_.port.c_s);
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const double lasts_s = expected[i] - flows_[i].start_s;
      // Each end depends on the other ends, so that rounding errors add up.
      const double tolerance_s = 100 * duration_tolerance_s(expected[i], lasts_s);
      if (std::abs(end_s_[i] - expected[i]) > tolerance_s) {
        return Violation{i,
                         fmt::format("the transfer ends at {} s, but at {} s if the bandwidth is "
                                     "shared max-min fairly",
                                     end_s_[i], expected[i])};
      }
    }
    return std::nullopt;
  }

  const Platform& platform_;
  std::vector<SinglePort> single_ports_;  ///< one, or one per direction; empty: many ports
  PerWorker<std::vector<double>>
      ends_s_;                   ///< several ports: ends of each worker's transfers, sorted
  std::vector<Flow> flows_;      ///< many ports: all transfers, after their latencies
  std::vector<double> start_s_;  ///< many ports: starts of all transfers
  std::vector<double> end_s_;
};

/// Checker of the rules about dates for one trace (all transfers of a run), transfer by transfer:
/// no activity starts before its port, its worker and what it waits for are ready, or later than
/// the model allows; durations are those of the model; and exactly what a stop of a worker
/// interrupts or prevents is lost. Part of the validator (TraceValidator, find_violation()), which
/// makes it. For each transfer, in the order of decisions, call check(); after the last one
/// finish(). Workers of transfers must exist (not checked: undefined behaviour). Refers to
/// platform, problem and noise, which must outlive it. Stores 8 bytes per update, and more per
/// transfer for masters with several ports.
class DateRules {
 public:
  /// Makes a checker for an empty trace of the product `problem` on `platform`. `noise`, made for
  /// `platform`, may be null: no noise. Platform, problem and noise must outlive this object.
  /// Timing::model checks all rules; Timing::observed, for real runs, skips those on durations (not
  /// on fair shares), on how promptly activities start and on what is lost.
  DateRules(const Platform& platform, const Problem& problem, const ExpectedNoise* noise,
            Timing timing)
      : platform_(platform),
        problem_(problem),
        noise_(noise),
        timing_(timing),
        port_(platform),
        workers_(platform.workers.size()) {}

  /// Checks the dates of the next transfer of the trace and of the update that it allows, in the
  /// order in which the master decided them. Throws BrokenRule if a rule is broken, also for dates
  /// that are negative or not finite; no more transfers may be checked then. The worker must exist
  /// (not checked: undefined behaviour).
  void check(const TracedTransfer& event) {
    const auto& [transfer, dates] = event;
    WorkerDates& state = workers_[transfer.worker];
    if (transfer.after_update < 0 || transfer.after_update > std::ssize(state.update_end_s)) {
      throw_broken_rule("the transfer waits for update {} of worker {}, of which {} exist",
                        transfer.after_update, transfer.worker + 1, state.update_end_s.size());
    }
    for (const double date :
         {dates.start_s, dates.end_s, dates.update_start_s, dates.update_end_s}) {
      if (!std::isfinite(date) || date < 0)
        throw_broken_rule("a date that is negative or not finite");
    }
    ++state.transfers;
    check_start(event, state);
    check_end(event, state);
    port_.add(event);
    if (dates.fate != Fate::lost) {
      state.last_awaited_update = std::max(state.last_awaited_update, transfer.after_update);
    }
    check_update(event, state);
  }

  /// Checks the rules for a multi-port master that need the complete trace: the limit on
  /// simultaneous transfers and fair shares of a common bandwidth. To be called after the last
  /// transfer. Returns a violation, with the index from 0 of a transfer among those checked;
  /// nullopt if there is none, as always for one-port and two-port masters.
  std::optional<Violation> finish() const { return port_.finish(); }

  /// Returns the largest number, from 1, of an update of the worker (index from 0, which must
  /// exist, not checked) for whose end one of the transfers checked so far has waited, lost
  /// transfers not counted; 0: none. Updates up to this number are complete when the worker's last
  /// transfer starts.
  std::int64_t last_awaited_update(int worker) const {
    return workers_[worker].last_awaited_update;
  }

 private:
  struct WorkerDates {
    std::vector<double> update_end_s;  ///< in growing order; infinite for those lost
    std::int64_t last_awaited_update = 0;
    std::int64_t transfers = 0;
  };

  /// Returns true if an update or a transfer ends or a worker stops at `date_s`. A master that left
  /// its port idle decides again only at such dates.
  bool has_event_at(double date_s) const {
    if (noise_ != nullptr && std::ranges::any_of(noise_->stops(), [&](const Stop& stop) {
          return nearly_equal(stop.at_s, date_s);
        })) {
      return true;
    }
    if (port_.has_transfer_ending_at(date_s)) return true;
    return std::any_of(workers_.begin(), workers_.end(), [&](const WorkerDates& state) {
      return is_among(state.update_end_s, date_s);
    });
  }

  double stop_s(const Transfer& transfer) const {
    return noise_ == nullptr ? kUnknown : noise_->stop_s(transfer.worker);
  }
  void check_start(const TracedTransfer& event, const WorkerDates& state) const {
    const auto& [transfer, dates] = event;
    const double free_s = port_.check_start(event);
    double due = free_s;
    if (transfer.after_update > 0) {
      // If the worker stops before the update ends, the transfer holds the port until the stop.
      const double end =
          std::min(state.update_end_s[static_cast<std::size_t>(transfer.after_update - 1)],
                   stop_s(transfer));
      if (clearly_earlier(dates.start_s, end)) {
        throw_broken_rule("the transfer starts at {} s, before the end of update {} at {} s",
                          dates.start_s, transfer.after_update, end);
      }
      due = std::max(due, end);
    }
    if (!clearly_less(free_s, stop_s(transfer)) || clearly_less(stop_s(transfer), due)) {
      throw_broken_rule("a transfer for worker {}, which has stopped at {} s", transfer.worker + 1,
                        stop_s(transfer));
    }
    if (timing_ == Timing::observed) return;
    if (clearly_earlier(due, dates.start_s) && !has_event_at(dates.start_s)) {
      throw_broken_rule("the transfer starts at {} s, but it was due at {} s", dates.start_s, due);
    }
  }

  void check_end(const TracedTransfer& event, const WorkerDates& state) const {
    const auto& [transfer, dates] = event;
    if (timing_ == Timing::observed) {
      if (dates.end_s < dates.start_s) throw_broken_rule("the transfer ends before it starts");
      return;
    }
    if (noise_ == nullptr) {
      port_.check_duration(event);
      if (dates.fate != Fate::complete)
        throw_broken_rule("something is lost though no worker stops");
      return;
    }
    const Worker& worker = platform_.workers[transfer.worker];
    const double factor = noise_->factor(Activity::transfer, transfer.worker, state.transfers);
    const double end = noise_->end_of_work_s(
        Activity::transfer, {transfer.worker}, dates.start_s + factor * worker.latency_s,
        factor * worker.c_s * static_cast<double>(transfer.blocks()));
    const bool lost = clearly_less(stop_s(transfer), end);
    check_duration("transfer", dates.start_s, dates.end_s,
                   (lost ? stop_s(transfer) : end) - dates.start_s);
    if (lost != (dates.fate == Fate::lost)) {
      throw_broken_rule("the transfer is {}lost", lost ? "not shown as " : "");
    }
  }

  void check_update(const TracedTransfer& event, WorkerDates& state) {
    const auto& [transfer, dates] = event;
    if (transfer.update.empty()) {
      if (dates.update_start_s != dates.end_s || dates.update_end_s != dates.end_s) {
        throw_broken_rule("dates for an update that does not exist");
      }
      return;
    }
    const Worker& worker = platform_.workers[transfer.worker];
    const double stop = stop_s(transfer);
    const double previous_end =
        state.update_end_s.empty() ? 0 : std::min(state.update_end_s.back(), stop);
    const double due = std::max(dates.end_s, previous_end);
    if (clearly_earlier(dates.update_start_s, std::min(dates.end_s, stop))) {
      throw_broken_rule("the update starts before its transfer has arrived");
    }
    if (clearly_earlier(dates.update_start_s, previous_end)) {
      throw_broken_rule("the update starts before the previous one has ended");
    }
    if (timing_ == Timing::observed) {
      if (dates.update_end_s < dates.update_start_s)
        throw_broken_rule("the update ends before it starts");
      state.update_end_s.push_back(dates.update_end_s);
      return;
    }
    if (clearly_earlier(due, dates.update_start_s)) {
      throw_broken_rule("the update starts at {} s, but it was due at {} s", dates.update_start_s,
                        due);
    }
    const double cost = update_cost(to_message(transfer), problem_, worker);
    if (noise_ == nullptr) {
      check_duration("update", dates.update_start_s, dates.update_end_s, cost * worker.w_s);
      state.update_end_s.push_back(dates.update_end_s);
      return;
    }
    const std::int64_t n = std::ssize(state.update_end_s) + 1;
    const double factor = noise_->factor(Activity::update, transfer.worker, n);
    const double end = noise_->end_of_work_s(Activity::update, {transfer.worker},
                                             dates.update_start_s, factor * worker.w_s * cost);
    const bool lost = dates.fate == Fate::lost || clearly_less(stop, end);
    check_duration("update", dates.update_start_s, dates.update_end_s,
                   (lost ? std::max(stop, dates.update_start_s) : end) - dates.update_start_s);
    if (lost == (dates.fate == Fate::complete)) {
      throw_broken_rule("the update is {}lost", lost ? "not shown as " : "");
    }
    state.update_end_s.push_back(lost ? kUnknown : dates.update_end_s);
  }

  const Platform& platform_;
  const Problem& problem_;
  const ExpectedNoise* noise_;
  Timing timing_;
  PortRules port_;
  PerWorker<WorkerDates> workers_;
};

}  // namespace starport
