#include "sim/star/engine/simgrid/simulation.hpp"

#include "sim/files/error.hpp"

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

Simulation::Simulation(const Platform& star, const Problem& product, Dispatcher& decisions,
                       const Noise& disturbance, std::size_t limit, FrameWriter& sink)
    : platform(star),
      problem(product),
      dispatcher(decisions),
      out(sink),
      noise(drawn(disturbance, star)),
      in_step(!disturbance.stops.empty() || !disturbance.slow_downs.empty()),
      master(star, product),
      simulated(star, noise ? &*noise : nullptr),
      workers(star.workers.size()),
      clock(simgrid_clock(*this)),
      most_transfers_(limit),
      most_enrolled_(most_actors() / 2) {
  int number = 0;
  for (WorkerProcess& worker : workers) worker.number = number++;
}

WorkerProcess& Simulation::assign(const Message& message) {
  if (transfers_ == most_transfers_) throw too_many_transfers(most_transfers_);
  WorkerProcess& worker = workers[message.worker];
  worker.assignments.push_back(
      {.message = message,
       .event = {.index = transfers_++,
                 .traced = {.transfer = dispatcher.transfer(), .dates = {}}}});
  if (message.allows_update) ++updates_in_progress;
  enrol(worker);
  return worker;
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
