#include "sim/star/engine/simgrid/simgrid_clock.hpp"

#include "sim/star/engine/simgrid/simulation.hpp"

namespace starport {

void SimgridClock::reach_decision() {
  for (;;) {
    observe_time(simulation_.simulated.now_s());
    if (any_port_free()) return;
    simulation_.wait_for_change();
  }
}

bool SimgridClock::wait(const Wait& /*wait*/) {
  const bool stop_to_come =
      simulation_.noise && simulation_.noise->next_stop_s(simulation_.master.now_s()) != kUnknown;
  if (simulation_.updates_in_progress == 0 && !under_way() && !stop_to_come) return false;
  simulation_.wait_for_change();
  return true;
}

std::unique_ptr<SimgridClock> simgrid_clock(Simulation& simulation) {
  switch (simulation.platform.port.kind) {
    case Port::Kind::one:
      return one_port_clock(simulation);
    case Port::Kind::two:
      return two_port_clock(simulation);
    case Port::Kind::multi:
      break;
  }
  return many_port_clock(simulation);
}

}  // namespace starport
