// The loop between a dispatcher and a clock, and the clocks of the recurrence for one and two
// ports.
//
// A clock moves the master's view from one decision to the next. Every clock has
//   void reach_decision();       advances to the date of the next decision
//   bool wait(const Wait&);      advances to the next date at which a decision that was Wait may
//                                change; returns false if there is none
#pragma once

#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/recurrence.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <variant>

namespace starport {

/// Throws SimulationError, which says why `message`, a transfer decided by a dispatcher, is invalid
/// in the state `master` of the run: its worker does not exist or has stopped, or else the update
/// that it waits for has not been allowed. To be called only for a message that check_decision()
/// rejects.
[[noreturn]] void throw_invalid_decision(const MasterView& master, const Message& message);

/// Throws SimulationError if `message`, a transfer decided by a dispatcher, is invalid in the state
/// `master` of the run: its worker does not exist or has stopped, or it waits for an update that no
/// earlier transfer has allowed. Does nothing otherwise. Does not check the numbers of blocks.
inline void check_decision(const MasterView& master, const Message& message) {
  if (!master.has_worker(message.worker) ||
      message.after_update > master.updates_allowed(message.worker) ||
      master.has_stopped(message.worker)) {
    throw_invalid_decision(master, message);
  }
}

/// Throws SimulationError, which says that a dispatcher waits until a date that is not later than
/// the current one of `master`.
[[noreturn]] void throw_wait_until_past(const MasterView& master, const Wait& wait);

/// Runs a schedule: calls dispatcher.next(master) until it returns Done (endless if it never does).
/// For each message (transfer) that it returns, which must not be null (undefined behaviour) and is
/// valid until the next call, calls carry_out(message), which must carry the transfer out on
/// `clock`. `clock` must update `master`, the state of the run: reach_decision() advances to the
/// date of the next decision, and wait(Wait) to the next date at which the decision to wait may
/// change; it returns false if there is none. On return, transfers of a master with several ports
/// may still be under way. Throws SimulationError on an invalid message (check_decision()), and if
/// the dispatcher waits although nothing can change or until a date that is not in the future;
/// exceptions of dispatcher, clock and `carry_out` pass.
template <class AnyDispatcher, class Clock, class CarryOut>
void run_dispatcher(AnyDispatcher& dispatcher, Clock& clock, const MasterView& master,
                    CarryOut&& carry_out) {
  for (;;) {
    clock.reach_decision();
    const Decision decision = dispatcher.next(master);
    if (const auto* message = std::get_if<const Message*>(&decision)) {
      check_decision(master, **message);
      carry_out(**message);
    } else if (const auto* wait = std::get_if<Wait>(&decision)) {
      if (!(wait->until_s > master.now_s())) throw_wait_until_past(master, *wait);
      if (clock.wait(*wait)) continue;
      throw SimulationError("the dispatcher waits though no update is in progress");
    } else {
      return;
    }
  }
}

/// Returns the simulated date in seconds at which a dispatcher that decided `wait` (to send nothing
/// now) is asked again unless a transfer ends or a worker stops before: wait.until_s, or if that is
/// kUnknown (infinity) the next known end of an update of any worker. kUnknown if there is none.
inline double next_decision_s(const MasterView& master, const Wait& wait) {
  return wait.until_s == kUnknown ? master.next_update_end_s() : wait.until_s;
}

/// Clock of a one-port master, an argument of run_dispatcher(): computes the dates of each message
/// (transfer) from those of earlier ones and advances a MasterView to the end of the transfer
/// before the next decision. `Recurrence` gives the durations: NominalRecurrence (no noise),
/// NoisyRecurrence (recurrence.hpp) or a class with the same advance(), observe_stops() and
/// next_stop_s(). Refers to the view, which must outlive it; one clock per view.
template <class Recurrence = NominalRecurrence>
class OnePortClock {
 public:
  /// Makes a clock that starts at the current date of `master`, which must outlive it. Copies
  /// `recurrence`, the rules by which durations are computed.
  explicit OnePortClock(MasterView& master, Recurrence recurrence = {})
      : master_(master), recurrence_(std::move(recurrence)) {}

  /// Prepares the next decision of the dispatcher, at the current date: records in the master's
  /// view which workers have stopped for good (noise) by then. The date does not change. Does
  /// nothing without noise.
  void reach_decision() { recurrence_.observe_stops(master_); }
  /// Carries out the transfer of `message` and the update that it allows, and returns their dates
  /// in simulated seconds. The transfer starts now or, if later, when the update that it waits for
  /// ends. Records the dates in the master's view and advances its current date to the end of the
  /// transfer, or to the stop of its worker if that comes first (Dates::fate). Call it once per
  /// message, in the order of decisions. The worker must exist (not checked: undefined behaviour);
  /// dates are infinite if the awaited update has not been allowed.
  Dates advance(const Message& message) {
    return recurrence_.advance(master_, message, master_.earliest_start_s(message));
  }
  /// Advances the date of the master's view to the next one at which the dispatcher's decision
  /// `wait` to send nothing may change: wait.until_s (if kUnknown, the next known end of an update)
  /// or the next stop of a worker (noise), whichever comes first. Returns false, the date
  /// unchanged, if there is none. wait.until_s must be later than the current date
  /// (run_dispatcher() checks it).
  bool wait(const Wait& wait) {
    const double next_s =
        std::min(next_decision_s(master_, wait), recurrence_.next_stop_s(master_));
    if (next_s != kUnknown) master_.observe_time(next_s);
    return next_s != kUnknown;
  }
  /// Returns the current date in simulated seconds, which is the end of the last transfer unless
  /// the dispatcher has waited since; 0 at the start of the run.
  double last_end_s() const { return master_.now_s(); }

 private:
  MasterView& master_;
  Recurrence recurrence_;
};

/// Counters, one per worker, of the transfers under way (decided, not ended) with a master that has
/// several ports. Records in the master's view when a worker can take part in its next transfer: at
/// the end of the last one decided for it. Owned by a clock of several ports. Refers to the view,
/// which must outlive it. Workers are indices from 0, which must exist (not checked: undefined
/// behaviour).
class ActiveTransfers {
 public:
  /// Starts with no transfer under way. `master`, the state of the run in which transfers are
  /// recorded, must outlive this object.
  explicit ActiveTransfers(MasterView& master)
      : master_(master), links_(master.platform().workers.size()) {}

  /// Returns the simulated date in seconds at which the last transfer decided for `worker` (index
  /// from 0, not checked) ends, as set by set_last_end(); it may lie in the future. 0 if none was
  /// set.
  double last_end_s(int worker) const { return links_[worker].last_end_s; }
  /// Sets the simulated date in seconds at which the last transfer decided so far for `worker`
  /// (index from 0, not checked) ends. Call it before end() for that transfer, since end()
  /// otherwise takes the date of an earlier transfer (not checked).
  void set_last_end(int worker, double end_s) { links_[worker].last_end_s = end_s; }

  /// Records, also in the master's view, that a transfer with `worker` (index from 0, not checked)
  /// has been decided and is under way.
  void begin(int worker) {
    ++links_[worker].under_way;
    master_.begin_transfer(worker);
  }
  /// Records, also in the master's view, that a transfer with `worker` (index from 0), recorded
  /// with begin() (neither is checked), has ended. If it was the worker's last one under way, it
  /// ended at the date set by set_last_end(), from which the worker can take part in another.
  void end(int worker) {
    Link& link = links_[worker];
    --link.under_way;
    master_.finish_transfer(worker, link.under_way == 0 ? link.last_end_s : kUnknown);
  }

 private:
  struct Link {
    double last_end_s = 0;
    std::int64_t under_way = 0;
  };

  MasterView& master_;
  PerWorker<Link> links_;
};

/// Clock of a two-port master, an argument of run_dispatcher(): computes the dates of each message
/// (transfer) from those of earlier ones and advances a MasterView. Transfers take place one at a
/// time in each direction, in the order of decisions; one that waits for its worker delays the
/// later ones of its direction. The dispatcher is asked whenever one of the ports is free, so that
/// a transfer may be decided before it can start; the view shows it as ended only once its end is
/// reached. `Recurrence` gives the durations: NominalRecurrence (no noise), NoisyRecurrence, whose
/// noise must not stop workers (not checked), or a class with the same advance(). Refers to the
/// view, which must be of a two-port platform (not checked) and outlive it; one clock per view.
template <class Recurrence = NominalRecurrence>
class TwoPortClock {
 public:
  /// Makes a clock that starts with free ports at the current date of `master`, which must outlive
  /// it. Copies `recurrence`, the rules by which durations are computed.
  explicit TwoPortClock(MasterView& master, Recurrence recurrence = {})
      : master_(master), recurrence_(std::move(recurrence)), under_way_(master) {}

  // observe_time() is needed even at an unchanged date: a transfer shorter than the tolerance
  // (ties.hpp) counts as over as soon as it is decided.
  /// Advances the master's view to the first date at which one of the master's two ports is free,
  /// so that the dispatcher can decide: the current date if one is free now, kUnknown (infinity) if
  /// transfers that wait for updates never allowed block both (check_decision() rejects these).
  void reach_decision() {
    observe_time(is_any_port_free() ? master_.now_s() : std::min(free_s_[0], free_s_[1]));
  }
  /// Computes and returns the dates, in simulated seconds, of the transfer of `message` and of the
  /// update that it allows, and records them in the master's view, whose current date does not
  /// change. The transfer starts now or, if later, when its port and its worker are free and the
  /// update that it waits for has ended. Call it once per message, in the order of decisions. The
  /// worker must exist (not checked: undefined behaviour); dates are infinite if the awaited update
  /// has not been allowed.
  Dates advance(const Message& message) {
    double& free_s = free_s_[static_cast<std::size_t>(message.direction)];
    const double start_s = std::max(
        {master_.earliest_start_s(message), free_s, under_way_.last_end_s(message.worker)});
    const double now_s = master_.now_s();
    const Dates dates = recurrence_.advance(master_, message, start_s);
    free_s = dates.end_s;
    under_way_.begin(message.worker);
    under_way_.set_last_end(message.worker, dates.end_s);
    endings_[static_cast<std::size_t>(message.direction)].push_back({dates.end_s, message.worker});
    master_.observe_time(now_s);
    observe_ports();
    return dates;
  }
  /// Advances the date of the master's view to the next one at which the dispatcher's decision
  /// `wait` to send nothing may change: wait.until_s (if kUnknown, the next known end of an update)
  /// or the next end of a transfer, whichever comes first. Returns false, the date unchanged, if
  /// there is none. wait.until_s must be later than the current date (run_dispatcher()
  /// checks it).
  bool wait(const Wait& wait) {
    const double next_s = std::min(next_decision_s(master_, wait), next_end_s());
    if (next_s != kUnknown) observe_time(next_s);
    return next_s != kUnknown;
  }
  /// Returns the simulated date in seconds, which may lie in the future, by which all transfers
  /// decided so far, in both directions, end; 0 before the first one.
  double last_end_s() const { return std::max(free_s_[0], free_s_[1]); }

  /// Returns whether at least one of the master's two ports is free at the current simulated date.
  bool is_any_port_free() const {
    return master_.is_port_free(Direction::to_worker) || master_.is_port_free(Direction::to_master);
  }
  /// Advances the master's view to `now_s` simulated seconds, which must not be earlier than the
  /// current date (not checked). Transfers that end by then, or later by no more than a relative
  /// 1e-9, count as over; a port counts as free if all transfers decided for its direction are
  /// over.
  void observe_time(double now_s) {
    master_.observe_time(now_s);
    for (auto& endings : endings_) {
      while (!endings.empty() && !clearly_less(now_s, endings.front().end_s)) {
        master_.forget_updates(endings.front().worker, endings.front().end_s);
        under_way_.end(endings.front().worker);
        endings.pop_front();
      }
    }
    observe_ports();
  }

 private:
  struct Ending {
    double end_s;
    int worker;
  };

  void observe_ports() {
    const double now_s = master_.now_s();
    master_.observe_ports({!clearly_less(now_s, free_s_[0]), !clearly_less(now_s, free_s_[1])});
  }
  double next_end_s() const {
    double next = kUnknown;
    for (const auto& endings : endings_) {
      if (!endings.empty()) next = std::min(next, endings.front().end_s);
    }
    return next;
  }

  MasterView& master_;
  Recurrence recurrence_;
  ActiveTransfers under_way_;
  std::array<double, 2> free_s_{};             ///< by direction
  std::array<std::deque<Ending>, 2> endings_;  ///< of the transfers under way
};

}  // namespace starport
