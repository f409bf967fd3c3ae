// The clock of a multi-port master: several transfers at once, which may share a bandwidth.
#pragma once

#include "sim/platform/ties.hpp"
#include "sim/star/port_clock.hpp"
#include "sim/star/port_queues.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace starport {

/// The transfers under way through a multi-port master and their ends, computed without noise: each
/// flows at the bandwidth of its worker's link or, if the port has a bandwidth, at its max-min fair
/// share of that, at most the bandwidth of its link. Knows nothing of the order of transfers: the
/// owner, a clock or a search for schedules, starts them. Workers are indices from 0 in the
/// platform (not checked: undefined behaviour beyond), each in at most one transfer at a time.
/// Refers to the platform, which must outlive it.
class ActiveFlows {
 public:
  /// Starts with no transfer under way at date 0. Keeps a pointer to `platform`, which must outlive
  /// this object and have a multi-port (not checked).
  explicit ActiveFlows(const Platform& platform) : platform_(&platform) {}

  /// Returns the current date, in simulated seconds: the one that the last advance_until() reached;
  /// 0 before the first.
  double now_s() const { return now_s_; }
  /// Returns true if no transfer is under way.
  bool empty() const { return flows_.empty(); }
  /// Starts a transfer of `blocks` blocks with `worker` (index from 0, in no transfer at the time)
  /// at the simulated date `start_s` in seconds, the current date or later (none of this is
  /// checked); the blocks flow once the latency of the worker's link has passed.
  void start(int worker, std::int64_t blocks, double start_s) {
    const Worker& figures = platform_->workers[static_cast<std::size_t>(worker)];
    const Flow flow{.worker = worker,
                    .c_s = figures.c_s,
                    .start_s = start_s,
                    .flows_from_s = start_s + figures.latency_s,
                    .blocks_left = static_cast<double>(blocks),
                    .end_s = start_s + figures.transfer_time_s(blocks)};
    // By ascending bandwidth, as sharing needs it.
    const auto place = std::ranges::upper_bound(
        flows_, flow.c_s, [](double x, double y) { return x > y; }, &Flow::c_s);
    flows_.insert(place, flow);
    if (shares_bandwidth()) update_ends();
  }

  /// The worker and the date of a transfer that has ended, as advance_until() returns it.
  struct Ended {
    /// Index, from 0, of the worker that took part in the transfer.
    int worker;
    /// Date, in simulated seconds since the start of the run, at which the first of the transfers
    /// that ended together did.
    double end_s;
  };
  /// Advances the current date to the next end of a transfer, but not beyond `limit_s` simulated
  /// seconds (kUnknown: no limit), and returns the transfers that end then, which it removes; none
  /// if the limit comes first. Without transfers under way, advances to the limit or, if there is
  /// none, not at all; a limit in the past leaves the date as it is. A transfer also ends then if
  /// its end is later by at most a relative 2^-46 of the date and 1e-10 of its duration (rounding).
  /// Transfers that end together are in ascending order of the bandwidths of their links, equal
  /// ones in the order of start(). The reference is valid until the next call.
  const std::vector<Ended>& advance_until(double limit_s) {
    ended_.clear();
    for (;;) {
      double next_end_s = kUnknown;
      double next_begin_s = kUnknown;  // of a flow whose latency passes
      for (const Flow& flow : flows_) {
        next_end_s = std::min(next_end_s, flow.end_s);
        if (flow.flows_from_s > now_s_) next_begin_s = std::min(next_begin_s, flow.flows_from_s);
      }
      if (shares_bandwidth() && next_begin_s < std::min(next_end_s, limit_s)) {
        flow_until(next_begin_s);
        continue;
      }
      if (next_end_s > limit_s || next_end_s == kUnknown) {
        if (limit_s != kUnknown) flow_until(limit_s);
        return ended_;
      }
      flow_until(next_end_s);
      std::erase_if(flows_, [&](const Flow& flow) {
        if (!flow.ends_by(next_end_s)) return false;
        ended_.push_back({flow.worker, next_end_s});
        return true;
      });
      if (shares_bandwidth()) update_ends();
      return ended_;
    }
  }

 private:
  struct Flow {
    int worker;
    double c_s;  ///< of its link
    double start_s;
    double flows_from_s;  ///< when its latency has passed
    double blocks_left;
    double blocks_per_s = 0;  ///< if the bandwidth is shared
    double end_s;             ///< if nothing else starts or ends before; kUnknown while it waits

    /// Rounding alone delays it beyond `date_s`. Far less than the tolerance of the validator,
    /// which is relative to the duration.
    bool ends_by(double date_s) const {
      return !clearly_earlier(date_s, end_s - 1e-10 * (date_s - start_s));
    }
  };

  bool shares_bandwidth() const { return platform_->port.c_s > 0; }

  void flow_until(double date_s) {
    if (date_s <= now_s_) return;
    if (shares_bandwidth()) {
      for (Flow& flow : flows_) {
        flow.blocks_left = std::max(0.0, flow.blocks_left - flow.blocks_per_s * (date_s - now_s_));
      }
    }
    now_s_ = date_s;
    if (shares_bandwidth()) update_ends();
  }

  /// Shares the bandwidth: those whose links are slower than an equal share of what is left get all
  /// that their link can carry.
  void update_ends() {
    std::int64_t count = std::ranges::count_if(
        flows_, [&](const Flow& flow) { return flow.flows_from_s <= now_s_; });
    double left = 1 / platform_->port.c_s;
    for (Flow& flow : flows_) {
      if (flow.flows_from_s > now_s_) {
        flow.blocks_per_s = 0;
        flow.end_s = kUnknown;
        continue;
      }
      flow.blocks_per_s = std::min(1 / flow.c_s, left / static_cast<double>(count--));
      left = std::max(0.0, left - flow.blocks_per_s);
      flow.end_s = now_s_ + (flow.blocks_left > 0 ? flow.blocks_left / flow.blocks_per_s : 0);
    }
  }

  const Platform* platform_;
  double now_s_ = 0;
  std::vector<Flow> flows_;  ///< by ascending bandwidth of their links
  std::vector<Ended> ended_;
};

/// Clock of a multi-port master for run_dispatcher(), which computes the dates of transfers without
/// a simulator and without noise. A decided transfer waits until its worker and a port are free
/// (ManyPortQueue). Its dates are known only when it ends, after later ones may have been decided:
/// `on_message(message, dates)` is called for each in the order of decisions as soon as its dates
/// and those of all earlier ones are known. Advances a MasterView, which, like `on_message`, must
/// outlive it; one clock per view.
template <class OnMessage>
class ManyPortClock {
 public:
  /// Makes a clock at date 0 with all ports free. `master` must be newly created, for a platform
  /// with a multi-port (neither is checked). Stores references to `master` and `on_message`, which
  /// must outlive it.
  ManyPortClock(MasterView& master, OnMessage& on_message)
      : master_(master),
        on_message_(on_message),
        under_way_(master),
        workers_(master.platform().workers.size()),
        queue_(workers_.size(), master.platform().port.max_transfers),
        flows_(master.platform()) {}

  /// Advances the master's view to the first date at which a port is free: the current date if one
  /// is free now. Calls `on_message`, given to the constructor, for each transfer of which all
  /// dates, and those of all earlier ones, become known meanwhile; its exceptions pass.
  void reach_decision() {
    while (!queue_.is_any_port_free()) end_transfers(kUnknown);
  }
  /// Records the transfer of `message`, which starts when its worker and a port are free and the
  /// update that it waits for has ended. Does not advance the date. Call it once per message, in
  /// the order of decisions. The message must be valid (check_decision(); not checked: undefined
  /// behaviour if its worker does not exist, an endless loop later if the awaited update was not
  /// allowed).
  void carry_out(const Message& message) {
    const double now_s = master_.now_s();
    under_way_.begin(message.worker);
    if (message.allows_update) master_.allow_update(message.worker, kUnknown);
    workers_[message.worker].decided.push_back(decided_ + std::ssize(dated_));
    dated_.push_back({message, {}, false});
    queue_.add(message.worker, message.direction);
    start_transfers(now_s);
  }
  /// Advances the date of the master's view to the next one at which the dispatcher's decision
  /// `wait` to send nothing may change: wait.until_s (if kUnknown, the next known end of an update)
  /// or the next end of a transfer, whichever comes first. Returns false, the date unchanged, if
  /// there is none. wait.until_s must be later than the current date (run_dispatcher() checks it).
  /// Exceptions of `on_message`, given to the constructor and called for transfers that end, pass.
  bool wait(const Wait& wait) {
    const double until_s = next_decision_s(master_, wait);
    if (until_s == kUnknown && flows_.empty()) return false;
    if (!end_transfers(until_s)) master_.observe_time(until_s);
    return true;
  }
  /// Carries out all transfers that have been decided and not ended, calls `on_message` (given to
  /// the constructor) for each one that it has not been called for, in the order of decisions, and
  /// advances the master's view to the last end. To be called after the last decision of the
  /// dispatcher (which decides the transfers). Exceptions of `on_message` pass.
  void finish() {
    while (!flows_.empty()) end_transfers(kUnknown);
  }
  /// Returns the latest end of the transfers that have ended so far, a date in simulated seconds; 0
  /// if none has.
  double last_end_s() const { return last_end_s_; }

 private:
  struct Link {
    std::deque<std::int64_t> decided;  ///< numbers of its transfers that have not ended
    std::int64_t updates = 0;          ///< number of updates whose blocks have arrived
  };
  struct DatedMessage {
    Message message;
    Dates dates;
    bool is_dated;
  };

  DatedMessage& transfer_of(int worker) {
    return dated_[static_cast<std::size_t>(workers_[worker].decided.front() - decided_)];
  }

  void start_transfers(double now_s) {
    while (const auto worker = queue_.start_next()) {
      DatedMessage& dated = transfer_of(*worker);
      dated.dates.start_s =
          std::max(now_s, master_.ready_after_update_s(*worker, dated.message.after_update));
      flows_.start(*worker, dated.message.blocks, dated.dates.start_s);
    }
  }

  /// Advances to the next end of a transfer, at most `limit_s`. Returns false if none ends by then.
  bool end_transfers(double limit_s) {
    const auto& ended = flows_.advance_until(limit_s);
    for (const auto& [worker, end_s] : ended) end_transfer(worker, end_s);
    if (!ended.empty()) start_transfers(flows_.now_s());
    return !ended.empty();
  }

  void end_transfer(int worker, double end_s) {
    DatedMessage& dated = transfer_of(worker);
    workers_[worker].decided.pop_front();
    dated.dates = make_transfer_dates(dated.dates.start_s, end_s);
    master_.end_transfer(worker, end_s);
    if (dated.message.allows_update) {
      const std::int64_t n = ++workers_[worker].updates;
      NominalRecurrence::date_update(master_, dated.message, worker, n, dated.dates);
      master_.correct_update_end(worker, n, dated.dates.update_end_s);
    }
    under_way_.set_last_end(worker, end_s);
    under_way_.end(worker);
    queue_.end(worker, dated.message.direction);
    last_end_s_ = std::max(last_end_s_, end_s);
    dated.is_dated = true;
    while (!dated_.empty() && dated_.front().is_dated) {
      on_message_(dated_.front().message, dated_.front().dates);
      dated_.pop_front();
      ++decided_;
    }
  }

  MasterView& master_;
  OnMessage& on_message_;
  ActiveTransfers under_way_;
  PerWorker<Link> workers_;
  ManyPortQueue queue_;
  ActiveFlows flows_;
  std::deque<DatedMessage>
      dated_;                 ///< transfers whose dates, or those of earlier ones, are unknown
  std::int64_t decided_ = 0;  ///< number of the first transfer in dated_
  double last_end_s_ = 0;
};

}  // namespace starport
