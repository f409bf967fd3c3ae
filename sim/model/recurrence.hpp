// Running a dispatcher by the recurrence alone, without an engine.
#pragma once

#include "sim/model/dispatcher.hpp"
#include "sim/model/error.hpp"
#include "sim/model/star.hpp"
#include "sim/model/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace starport {

/// Throws SimulationError when a dispatcher asks for what cannot be: an unknown worker or one that
/// has stopped, or to wait for an update that nothing has allowed.
inline void check_order(const Star& star, const Message& message) {
  const auto workers = static_cast<std::int32_t>(star.platform().workers.size());
  if (message.worker < 0 || message.worker >= workers) {
    throw SimulationError("a transfer for worker " + std::to_string(message.worker + 1) + " of " +
                          std::to_string(workers));
  }
  const std::int64_t allowed = star.updates_allowed(message.worker);
  if (message.after_update > allowed) {
    throw SimulationError("a transfer of worker " + std::to_string(message.worker + 1) +
                          " waits for its update " + std::to_string(message.after_update) +
                          ", of " + std::to_string(allowed) + " sent");
  }
  for (const Stop& stop : star.stops()) {
    if (stop.worker == message.worker) {
      throw SimulationError("a transfer for worker " + std::to_string(message.worker + 1) +
                            ", which has stopped");
    }
  }
}

/// Calls on_message(message, dates) for each message that the dispatcher emits. A wait lasts until
/// the date it names, else until the next end of an update, or until a worker stops before; throws
/// SimulationError when there is no such date.
template <class OnMessage>
void run_recurrence(Dispatcher& dispatcher, Star& star, OnMessage&& on_message) {
  for (;;) {
    const Decision decision = dispatcher.next(star);
    if (const auto* message = std::get_if<const Message*>(&decision)) {
      check_order(star, **message);
      on_message(**message, star.advance(**message));
      continue;
    }
    if (std::holds_alternative<Done>(decision)) return;
    const double until_s = std::get<Wait>(decision).until_s;
    const double next =
        std::min(until_s == kUnknown ? star.next_update_end_s() : until_s, star.next_stop_s());
    if (next == kUnknown) {
      throw SimulationError("the dispatcher waits though no update is in progress");
    }
    star.observe_time(next);
  }
}

/// The trace of what a dispatcher emits, by the recurrence.
inline Trace trace_by_recurrence(Dispatcher& dispatcher, const Platform& platform,
                                 const Problem& problem) {
  Star star(platform, problem);
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
  Star nominal(platform, problem);
  bool fits = true;
  run_recurrence(*plan.dispatcher, nominal, [&](const Message&, const Dates&) {
    fits = transfers.size() < most;
    if (fits) transfers.push_back(plan.dispatcher->transfer());
  });
  plan.dispatcher = std::make_unique<OrderKeeper>(std::move(transfers));
  return fits;
}

}  // namespace starport
