// Running a dispatcher by the recurrence alone, without an engine.
#pragma once

#include "sim/files/error.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <variant>

namespace starport {

[[noreturn]] void refuse(const MasterView& star, const Message& message);

/// Throws SimulationError when a dispatcher asks for what cannot be: an unknown worker or one that
/// has stopped, or to wait for an update that nothing has allowed.
inline void check_order(const MasterView& star, const Message& message) {
  const std::size_t workers = star.platform().workers.size();
  if (static_cast<std::size_t>(message.worker) >= workers ||
      message.after_update > star.updates_allowed(message.worker) ||
      star.has_stopped(message.worker)) {
    refuse(star, message);
  }
}

/// Throws SimulationError for a port whose dates follow from more than the recurrence.
void check_port(const Platform& platform);

/// Calls on_message(message, dates) for each message that the dispatcher emits, in the order of the
/// schedule: on two ports, asked whenever one of them has nothing to do. A wait lasts until the
/// date it names, else until the next end of an update, and no longer than until that of a
/// transfer or until a worker stops; throws SimulationError when there is no such date. Who knows
/// the dispatcher's class spares the indirect calls.
template <class AnyDispatcher, class OnMessage>
void run_recurrence(AnyDispatcher& dispatcher, MasterView& star, OnMessage&& on_message) {
  check_port(star.platform());
  for (;;) {
    if (!star.one_port()) {
      // Also where the date is the same: a short transfer may count as over as soon as it is
      // decided (ties.hpp).
      const bool free = star.free(Direction::to_worker) || star.free(Direction::to_master);
      star.observe_time(free ? star.now_s() : star.next_free_s());
    }
    const Decision decision = dispatcher.next(star);
    if (const auto* message = std::get_if<const Message*>(&decision)) {
      check_order(star, **message);
      on_message(**message, star.advance(**message));
      continue;
    }
    if (std::holds_alternative<Done>(decision)) return;
    const double until_s = std::get<Wait>(decision).until_s;
    const double next = std::min({until_s == kUnknown ? star.next_update_end_s() : until_s,
                                  star.next_transfer_end_s(), star.next_stop_s()});
    if (next == kUnknown) {
      throw SimulationError("the dispatcher waits though no update is in progress");
    }
    star.observe_time(next);
  }
}

/// The trace of what a dispatcher emits, by the recurrence.
inline Trace trace_by_recurrence(Dispatcher& dispatcher, const Platform& platform,
                                 const Problem& problem) {
  MasterView star(platform, problem);
  Trace trace;
  run_recurrence(dispatcher, star, [&](const Message&, const Dates& dates) {
    trace.push_back({dispatcher.transfer(), dates});
  });
  return trace;
}

/// Under noise a static heuristic keeps to the order it planned, down to its last transfer: that of
/// its run without noise. False when that has more than `most` transfers.
inline bool keep_to_order(Plan& plan, const Platform& platform, const Problem& problem,
                          std::size_t most) {
  if (plan.adapts) return true;
  std::vector<Transfer> transfers;
  MasterView nominal(platform, problem);
  bool fits = true;
  run_recurrence(*plan.dispatcher, nominal, [&](const Message&, const Dates&) {
    fits = transfers.size() < most;
    if (fits) transfers.push_back(plan.dispatcher->transfer());
  });
  plan.dispatcher = std::make_unique<OrderKeeper>(std::move(transfers));
  return fits;
}

}  // namespace starport
