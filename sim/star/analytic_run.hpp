// Running a dispatcher by the recurrence alone, without an engine.
#pragma once

#include "sim/star/port_clock.hpp"
#include "sim/star/trace.hpp"

#include <cstddef>
#include <utility>

namespace starport {

/// Whether the dates of such a master follow from the recurrence. On many ports they follow from
/// the bandwidth that the transfers share too: SimGrid's business.
inline bool has_recurrence(const Port& port) { return port.kind != Port::Kind::multi; }

[[noreturn]] void throw_unsupported_port();

/// What use(clock) returns, of the clock of the master's port. Throws SimulationError when it has
/// none.
template <class Recurrence, class Use>
auto with_clock(MasterView& master, Recurrence recurrence, Use&& use) {
  const Port& port = master.platform().port;
  if (!has_recurrence(port)) throw_unsupported_port();
  if (port.kind == Port::Kind::two) {
    TwoPortClock<Recurrence> clock(master, std::move(recurrence));
    return use(clock);
  }
  OnePortClock<Recurrence> clock(master, std::move(recurrence));
  return use(clock);
}

/// Calls on_message(message, dates) for each message that the dispatcher emits, in the order of the
/// schedule. Returns when the last of them ends.
template <class AnyDispatcher, class OnMessage, class Recurrence = NominalRecurrence>
double run_recurrence(AnyDispatcher& dispatcher, MasterView& master, OnMessage&& on_message,
                      Recurrence recurrence = {}) {
  return with_clock(master, std::move(recurrence), [&](auto& clock) {
    run_dispatcher(dispatcher, clock, master,
                   [&](const Message& message) { on_message(message, clock.advance(message)); });
    return clock.last_end_s();
  });
}

/// The trace of what a dispatcher emits, by the recurrence.
Trace run_to_trace(Dispatcher& dispatcher, const Platform& platform, const Problem& problem);

/// Under noise a static heuristic keeps to the order it planned, down to its last transfer: that of
/// its run without noise. False when that has more than `most` transfers.
bool fix_order(Plan& plan, const Platform& platform, const Problem& problem, std::size_t most);

}  // namespace starport
