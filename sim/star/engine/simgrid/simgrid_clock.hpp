// The master's clock on SimGrid: its ports, as the actors go through them.
#pragma once

#include "sim/star/dispatcher.hpp"

#include <memory>

namespace starport {

struct Simulation;
struct WorkerProcess;

/// A clock as clock_loop.hpp has it, of the master's actor. Nothing blocks that actor between a
/// look at its ports and waiting for a change, so that it misses none.
class SimgridClock {
 public:
  explicit SimgridClock(Simulation& simulation) : simulation_(simulation) {}
  virtual ~SimgridClock() = default;

  void reach_decision();
  bool wait(const Wait& wait);
  /// Throws SimulationError.
  virtual void carry_out(const Message& message) = 0;
  /// Whether a transfer that has been decided is not over.
  virtual bool under_way() const { return false; }

  /// The worker's side of a transfer, by its actor.
  virtual void move(WorkerProcess& worker, const Message& message) = 0;
  /// The transfer is over, and what it held up may start.
  virtual void end(const Message& message, const Dates& dates) = 0;

 protected:
  virtual bool any_port_free() const { return true; }
  virtual void observe_time(double now_s) = 0;

  Simulation& simulation_;
};

/// The clock of the platform's port: one_port.cpp, several_ports.cpp. The simulation outlives it.
std::unique_ptr<SimgridClock> simgrid_clock(Simulation& simulation);
std::unique_ptr<SimgridClock> one_port_clock(Simulation& simulation);
std::unique_ptr<SimgridClock> two_port_clock(Simulation& simulation);
std::unique_ptr<SimgridClock> many_port_clock(Simulation& simulation);

}  // namespace starport
