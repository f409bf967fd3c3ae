// The platform as SimGrid has it: a host for each memory node and worker, a link for each
// direction.
#pragma once

#include "sim/simgrid/simgrid_time.hpp"
#include "sim/tiles/durations.hpp"

#include <cstddef>
#include <vector>

namespace starport::tiles {

/// To be made once in a process.
class SimulatedNode {
 public:
  explicit SimulatedNode(const Platform& platform);

  sg::Host* hub() const { return memories_.front(); }
  sg::Host* worker(std::size_t number) const { return workers_[number]; }

  double now_s() const { return platform_.start_up_s + time_.now_s(); }
  /// In an actor of the worker's.
  void compute(double duration_s) const;
  /// In any actor: what it lasts beyond its bytes, then these; fewer where it is faster.
  void move(const Transfer& transfer, double duration_s) const;
  void wait_until(double date_s) const;
  /// Before something begins that lasts so long.
  void keep_precision(double duration_s) { time_.keep_precision(time_.now_s() + duration_s); }
  void run() { time_.run(); }

 private:
  const Platform& platform_;
  SimgridTime time_;
  std::vector<sg::Host*> memories_;  ///< of each node
  std::vector<sg::Host*> workers_;
};

}  // namespace starport::tiles
