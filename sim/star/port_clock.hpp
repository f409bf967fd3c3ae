// The loop between a dispatcher, which decides, and a clock, which tells when; and the clocks of
// the recurrence: what one port, or one each way, makes of the messages decided.
//
// A clock moves the master's view from one decision to the next:
//   void reach_decision();       the time has come to ask the dispatcher
//   bool wait(const Wait&);      it has nothing to send now; false: nothing will ever change
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

[[noreturn]] void throw_invalid_decision(const MasterView& master, const Message& message);

/// Throws SimulationError when a dispatcher asks for what cannot be: an unknown worker or one that
/// has stopped, or to wait for an update that nothing has allowed.
inline void check_decision(const MasterView& master, const Message& message) {
  if (!master.has_worker(message.worker) ||
      message.after_update > master.updates_allowed(message.worker) ||
      master.has_stopped(message.worker)) {
    throw_invalid_decision(master, message);
  }
}

/// Calls carry_out(message) for each message that the dispatcher emits, until it has no more; the
/// clock keeps the view. Who knows the dispatcher's class spares the indirect calls.
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
      if (clock.wait(*wait)) continue;
      throw SimulationError("the dispatcher waits though no update is in progress");
    } else {
      return;
    }
  }
}

/// When a dispatcher that waits is asked again, unless something happens before.
inline double next_decision_s(const MasterView& master, const Wait& wait) {
  return wait.until_s == kUnknown ? master.next_update_end_s() : wait.until_s;
}

/// One transfer at a time: the next decision is taken when it is over.
template <class Recurrence = NominalRecurrence>
class OnePortClock {
 public:
  /// The view outlives it.
  explicit OnePortClock(MasterView& master, Recurrence recurrence = {})
      : master_(master), recurrence_(std::move(recurrence)) {}

  void reach_decision() { recurrence_.observe_stops(master_); }
  /// The dates of the next message: it starts once the update that it names has ended.
  Dates advance(const Message& message) {
    return recurrence_.advance(master_, message, master_.earliest_start_s(message));
  }
  bool wait(const Wait& wait) {
    const double next_s =
        std::min(next_decision_s(master_, wait), recurrence_.next_stop_s(master_));
    if (next_s != kUnknown) master_.observe_time(next_s);
    return next_s != kUnknown;
  }
  /// When the last transfer ends of those dated.
  double last_end_s() const { return master_.now_s(); }

 private:
  MasterView& master_;
  Recurrence recurrence_;
};

/// The transfers under way on several ports. Those of one worker follow each other, and it posts
/// its next request when the last of them is over.
class ActiveTransfers {
 public:
  explicit ActiveTransfers(MasterView& master)
      : master_(master), links_(master.platform().workers.size()) {}

  /// When the worker's last transfer ends, of those dated.
  double last_end_s(int worker) const { return links_[worker].last_end_s; }
  void set_last_end(int worker, double end_s) { links_[worker].last_end_s = end_s; }

  void begin(int worker) {
    ++links_[worker].under_way;
    master_.begin_transfer(worker);
  }
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

/// One transfer at a time each way, in the order of the schedule: one that waits for its worker
/// holds up those after it. The dispatcher is asked whenever a port has nothing to do, so that the
/// dates of what it decides may lie ahead: dispatchers see what the time has reached.
template <class Recurrence = NominalRecurrence>
class TwoPortClock {
 public:
  /// The view outlives it.
  explicit TwoPortClock(MasterView& master, Recurrence recurrence = {})
      : master_(master), recurrence_(std::move(recurrence)), under_way_(master) {}

  // Also where the date is the same: a short transfer may count as over as soon as it is decided
  // (ties.hpp).
  void reach_decision() {
    observe_time(any_free() ? master_.now_s() : std::min(free_s_[0], free_s_[1]));
  }
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
  bool wait(const Wait& wait) {
    const double next_s = std::min(next_decision_s(master_, wait), next_end_s());
    if (next_s != kUnknown) observe_time(next_s);
    return next_s != kUnknown;
  }
  double last_end_s() const { return std::max(free_s_[0], free_s_[1]); }

  bool any_free() const {
    return master_.is_port_free(Direction::to_worker) || master_.is_port_free(Direction::to_master);
  }
  /// Transfers that end now count as over, and their ports as free, to a rounding: so that both
  /// engines decide on the same view.
  void observe_time(double now_s) {
    master_.observe_time(now_s);
    for (auto& endings : endings_) {
      while (!endings.empty() && !clearly_less(now_s, endings.front().end_s)) {
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
