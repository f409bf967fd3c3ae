// The platform of the tile model in SimGrid.
#pragma once

#include "sim/simgrid/simgrid_time.hpp"
#include "sim/tiles/durations.hpp"

#include <cstddef>
#include <vector>

namespace starport::tiles {

/// A machine as a SimGrid platform: one host per memory node and per worker, one SimGrid link per
/// link direction. At most one may be created in a process. Dates are in seconds of the simulated
/// machine.
class SimulatedNode {
 public:
  explicit SimulatedNode(const Platform& platform);

  sg::Host* hub() const { return memories_.front(); }
  sg::Host* worker(std::size_t number) const { return workers_[number]; }

  /// Returns the current simulated date.
  double now_s() const { return platform_.start_up_s + time_.now_s(); }
  /// Computes for `duration_s` seconds. Must be called by an actor on a host of its own worker.
  void compute(double duration_s) const;
  /// Simulates a transfer that lasts `duration_s` seconds: sleeps for the time beyond the nominal
  /// transfer time, then sends the tile, or fewer bytes if the transfer is faster than nominal.
  /// Must be called by an actor.
  void move(const Transfer& transfer, double duration_s) const;
  /// Sleeps until `date_s`; returns at once if it has passed. Must be called by an actor.
  void wait_until(double date_s) const;
  /// Ensures that SimGrid's clock can resolve dates up to `duration_s` seconds from now. To be
  /// called before starting an activity of that duration.
  void extend_precision(double duration_s) {
    time_.widen_precision_until(time_.now_s() + duration_s);
  }
  /// Runs the simulation until all actors have returned.
  void run() { time_.run(); }

 private:
  const Platform& platform_;
  SimgridTime time_;
  std::vector<sg::Host*> memories_;  ///< by node
  std::vector<sg::Host*> workers_;
};

}  // namespace starport::tiles
