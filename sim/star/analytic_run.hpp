// Runs dispatchers under the recurrence of the model, without a simulator.
#pragma once

#include "sim/star/port_clock.hpp"
#include "sim/star/trace.hpp"

#include <cstddef>
#include <utility>

namespace starport {

/// Returns true if the recurrence gives the dates for this port: on one port and two. On many ports
/// transfers may share a bandwidth, which only SimGrid simulates.
inline bool has_recurrence(const Port& port) { return port.kind != Port::Kind::multi; }

/// Throws the SimulationError that the recurrence has no dates for multi-port platforms.
[[noreturn]] void throw_unsupported_port();

/// Returns use(clock) for a new clock of the master's port. Throws SimulationError on multi-port
/// platforms.
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

/// Runs `dispatcher` to its end under `recurrence` and calls on_message(message, dates) for each of
/// its messages in the order of the schedule. Returns the date at which the last transfer ends.
/// Throws SimulationError on multi-port platforms and on invalid decisions.
template <class AnyDispatcher, class OnMessage, class Recurrence = NominalRecurrence>
double run_recurrence(AnyDispatcher& dispatcher, MasterView& master, OnMessage&& on_message,
                      Recurrence recurrence = {}) {
  return with_clock(master, std::move(recurrence), [&](auto& clock) {
    run_dispatcher(dispatcher, clock, master,
                   [&](const Message& message) { on_message(message, clock.advance(message)); });
    return clock.last_end_s();
  });
}

/// Runs `dispatcher` to its end under the recurrence without noise and returns its trace. Throws
/// SimulationError like run_recurrence().
Trace run_to_trace(Dispatcher& dispatcher, const Platform& platform, const Problem& problem);

/// Prepares a plan for a run under noise: unless the plan adapts, replaces its dispatcher by one
/// that emits exactly the transfers of the run without noise, in the same order. Returns false if
/// these are more than `max_transfers`; the plan is then incomplete.
bool fix_order(Plan& plan, const Platform& platform, const Problem& problem,
               std::size_t max_transfers);

}  // namespace starport
