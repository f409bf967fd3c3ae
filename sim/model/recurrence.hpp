// Running a dispatcher by the recurrence alone, without an engine.
#pragma once

#include "sim/model/dispatcher.hpp"
#include "sim/model/error.hpp"
#include "sim/model/star.hpp"

#include <utility>
#include <variant>

namespace starport {

/// Calls on_transfer(transfer, dates) for each transfer that the dispatcher emits. A wait lasts
/// until the date it names, else until the next end of an update; throws SimulationError when there
/// is none.
template <class OnTransfer>
void run_recurrence(Dispatcher& dispatcher, Star& star, OnTransfer&& on_transfer) {
  for (;;) {
    const Decision decision = dispatcher.next(star);
    if (std::holds_alternative<Done>(decision)) return;
    if (const Wait* wait = std::get_if<Wait>(&decision)) {
      const double next = wait->until_s == kUnknown ? star.next_update_end_s() : wait->until_s;
      if (next == kUnknown) {
        throw SimulationError("the dispatcher waits though no update is in progress");
      }
      star.observe_time(next);
      continue;
    }
    const Transfer& transfer = std::get<Transfer>(decision);
    on_transfer(transfer, star.advance(transfer));
  }
}

}  // namespace starport
