#include "sim/star/recurrence.hpp"

#include <fmt/format.h>

namespace starport {

void refuse(const MasterView& master, const Message& message) {
  const auto workers = std::ssize(master.platform().workers);
  if (message.worker < 0 || message.worker >= workers) {
    throw SimulationError(
        fmt::format("a transfer for worker {} of {}", message.worker + 1, workers));
  }
  if (master.has_stopped(message.worker)) {
    throw SimulationError(
        fmt::format("a transfer for worker {}, which has stopped", message.worker + 1));
  }
  throw SimulationError(fmt::format("a transfer of worker {} waits for its update {}, of {} sent",
                                    message.worker + 1, message.after_update,
                                    master.updates_allowed(message.worker)));
}

void refuse_port() {
  throw SimulationError(
      "the recurrence gives the dates of one-port and two-port platforms; those of a multi-port "
      "one come from SimGrid (--engine simgrid)");
}

Trace replay(const Platform& platform, const Problem& problem,
             const std::vector<Transfer>& transfers) {
  MasterView master(platform, problem);
  Trace trace;
  trace.reserve(transfers.size());
  with_clock(master, NominalRecurrence{}, [&](auto& clock) {
    for (const Transfer& transfer : transfers) {
      trace.push_back({transfer, clock.advance(message_of(transfer))});
    }
  });
  return trace;
}

Trace trace_by_recurrence(Dispatcher& dispatcher, const Platform& platform,
                          const Problem& problem) {
  MasterView master(platform, problem);
  Trace trace;
  run_recurrence(dispatcher, master, [&](const Message&, const Dates& dates) {
    trace.push_back({dispatcher.transfer(), dates});
  });
  return trace;
}

bool keep_to_order(Plan& plan, const Platform& platform, const Problem& problem, std::size_t most) {
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
