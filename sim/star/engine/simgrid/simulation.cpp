#include "sim/star/engine/simgrid/simulation.hpp"

#include "sim/files/error.hpp"
#include "sim/star/engine/simgrid/worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace starport {
namespace {

/// Each actor's stack and its guard page are two memory maps, of which a process has so many.
std::int64_t most_actors() {
  std::int64_t maps = 65530;
  std::ifstream("/proc/sys/vm/max_map_count") >> maps;
  constexpr std::int64_t maps_of_the_program = 1000;
  return std::max<std::int64_t>(2, (maps - maps_of_the_program) / 2);
}

}  // namespace

Simulation::Simulation(const Platform& on, const Problem& of, Dispatcher& by, const Noise& under,
                       std::size_t most, FrameWriter& to)
    : platform(on),
      problem(of),
      dispatcher(by),
      most_transfers(most),
      out(to),
      noise(under.none() ? std::nullopt : std::optional<NoiseClock>(std::in_place, under, on)),
      in_step(!under.stops.empty() || !under.slow_downs.empty()),
      star(on, of, noise ? &*noise : nullptr),
      simulated(on, noise ? &*noise : nullptr),
      ports(on),
      most_enrolled_(most_actors() / 2) {
  for (std::size_t i = 0; i < on.workers.size(); ++i) {
    workers.emplace_back().number = static_cast<int>(i);
  }
}

WorkerProcess& Simulation::give_order(const Message& message, std::size_t index) {
  WorkerProcess& to = worker(message.worker);
  to.orders.push_back(
      {.message = message,
       .event = {.index = index, .traced = {.transfer = dispatcher.transfer(), .dates = {}}}});
  if (message.allows_update) ++updates_in_progress;
  enrol(to);
  return to;
}

/// A worker's actors start with its first transfer: most of a large platform may never get one.
void Simulation::enrol(WorkerProcess& worker) {
  if (worker.enrolled) return;
  if (++enrolled_ > most_enrolled_) {
    throw SimulationError(fmt::format(
        "SimGrid cannot run more than {} workers here: the stacks of their actors would exceed the "
        "memory maps of a process (vm.max_map_count)",
        most_enrolled_));
  }
  worker.enrolled = true;
  sg::Host* host = simulated.worker(worker.number).host;
  sg::Actor::create("communicate", host, [this, &worker] { communicate(*this, worker); });
  sg::Actor::create("compute", host, [this, &worker] { compute(*this, worker); });
}

void Simulation::wait_for_change() {
  master_waits_ = true;
  change_->acquire();
}

void Simulation::signal_change() {
  if (!master_waits_) return;
  master_waits_ = false;
  change_->release();
}

}  // namespace starport
