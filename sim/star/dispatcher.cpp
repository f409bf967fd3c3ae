#include "sim/star/dispatcher.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace starport {

void OrderKeeper::check_stops(const MasterView& master) {
  const auto stops = master.stops();
  for (; stops_seen_ < stops.size(); ++stops_seen_) {
    const Stop& stop = stops[stops_seen_];
    const auto left =
        static_cast<std::ptrdiff_t>(master.last_transfer_lost(stop.worker)) +
        std::count_if(transfers_.begin() + static_cast<std::ptrdiff_t>(next_), transfers_.end(),
                      [&](const Transfer& transfer) { return transfer.worker == stop.worker; });
    if (left == 0) continue;
    throw SimulationError(fmt::format("worker {} stopped at {:g} s with {} of its transfers left",
                                      stop.worker + 1, stop.at_s, left));
  }
}

}  // namespace starport
