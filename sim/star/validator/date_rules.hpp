// Validator rules about dates: ports, causality, durations.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/trace.hpp"
#include "sim/star/update_end_dates.hpp"
#include "sim/star/validator/broken_rule.hpp"
#include "sim/star/validator/port_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// Checks the dates of a trace transfer by transfer: ports, causality, durations. Part of the
/// validator. For each transfer, in the order of decisions, call check(); after the last one
/// finish(). Workers of transfers must exist (not checked).
class DateRules {
 public:
  /// Starts with an empty trace. `noise` may be null: no noise. Platform, problem and noise must
  /// outlive this object.
  DateRules(const Platform& platform, const Problem& problem, const DrawnNoise* noise,
            Timing timing)
      : platform_(platform),
        problem_(problem),
        noise_(noise),
        timing_(timing),
        port_(platform),
        workers_(platform.workers.size()) {}

  /// Checks the dates of the next transfer of the trace, in the order of decisions. Throws
  /// BrokenRule; no more transfers may be checked then.
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

  /// Checks rules that need the complete trace, after the last transfer. Returns the first
  /// violation, nullopt if there is none.
  std::optional<Violation> finish() const { return port_.finish(); }

  /// Returns the largest number, from 1, of an update that a transfer of the worker (index from 0)
  /// has waited for; 0: none. Updates up to this number are complete when the worker's last
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
    if (noise_ != nullptr && noise_->any_stop_at(date_s)) return true;
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
    const double end =
        noise_->transfer_end_s(transfer.worker, state.transfers, dates.start_s, transfer.blocks());
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
    const double end = noise_->update_end_s(transfer.worker, n, dates.update_start_s, cost);
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
  const DrawnNoise* noise_;
  Timing timing_;
  PortRules port_;
  PerWorker<WorkerDates> workers_;
};

}  // namespace starport
