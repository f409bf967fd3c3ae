// Running a dispatcher by the recurrence alone, without an engine.
#pragma once

#include "sim/model/dispatcher.hpp"
#include "sim/model/error.hpp"
#include "sim/model/star.hpp"

#include <string>
#include <utility>
#include <variant>

namespace starport {

/// Throws SimulationError when a dispatcher asks for what cannot be: an unknown worker, or to wait
/// for an update that nothing has allowed.
inline void check_order(const Star& star, const Transfer& transfer) {
  const auto workers = static_cast<std::int32_t>(star.platform().workers.size());
  if (transfer.worker < 0 || transfer.worker >= workers) {
    throw SimulationError("a transfer for worker " + std::to_string(transfer.worker + 1) + " of " +
                          std::to_string(workers));
  }
  const std::int64_t allowed = star.updates_allowed(transfer.worker);
  if (transfer.after_update > allowed) {
    throw SimulationError("a transfer of worker " + std::to_string(transfer.worker + 1) +
                          " waits for its update " + std::to_string(transfer.after_update) +
                          ", of " + std::to_string(allowed) + " sent");
  }
}

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
    check_order(star, transfer);
    on_transfer(transfer, star.advance(transfer));
  }
}

}  // namespace starport
