// The loop between a dispatcher, which decides, and a clock, which tells when.
#pragma once

#include "sim/files/error.hpp"
#include "sim/star/dispatcher.hpp"

#include <cstddef>
#include <variant>

namespace starport {

[[noreturn]] void refuse(const MasterView& master, const Message& message);

/// Throws SimulationError when a dispatcher asks for what cannot be: an unknown worker or one that
/// has stopped, or to wait for an update that nothing has allowed.
inline void check_decision(const MasterView& master, const Message& message) {
  if (static_cast<std::size_t>(message.worker) >= master.platform().workers.size() ||
      message.after_update > master.updates_allowed(message.worker) ||
      master.has_stopped(message.worker)) {
    refuse(master, message);
  }
}

/// Calls carry_out(message) for each message that the dispatcher emits, until it has no more; the
/// clock keeps the view. Who knows the dispatcher's class spares the indirect calls.
template <class AnyDispatcher, class Clock, class CarryOut>
void run_by_clock(AnyDispatcher& dispatcher, Clock& clock, const MasterView& master,
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

}  // namespace starport
