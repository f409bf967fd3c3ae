#include "sim/star/recurrence.hpp"

#include <fmt/format.h>

namespace starport {

void refuse(const MasterView& star, const Message& message) {
  const auto workers = static_cast<std::int64_t>(star.platform().workers.size());
  if (message.worker < 0 || message.worker >= workers) {
    throw SimulationError(
        fmt::format("a transfer for worker {} of {}", message.worker + 1, workers));
  }
  if (star.has_stopped(message.worker)) {
    throw SimulationError(
        fmt::format("a transfer for worker {}, which has stopped", message.worker + 1));
  }
  throw SimulationError(fmt::format("a transfer of worker {} waits for its update {}, of {} sent",
                                    message.worker + 1, message.after_update,
                                    star.updates_allowed(message.worker)));
}

void check_port(const Platform& platform) {
  if (platform.port.kind != Port::Kind::multi) return;
  throw SimulationError(
      "the recurrence gives the dates of one-port and two-port platforms; those of a multi-port "
      "one come from SimGrid (--engine simgrid)");
}

}  // namespace starport
