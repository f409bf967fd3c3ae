// The platform as SimGrid has it: a host for each memory node and worker, a link for each
// direction.
#pragma once

#include "sim/tiles/durations.hpp"

#include <simgrid/s4u.hpp>

#include <cstddef>
#include <vector>

namespace starport::tiles {

namespace sg = simgrid::s4u;

/// Dates are in seconds: SimGrid's clock counts in another unit. To be made once in a process,
/// after SimGrid's Engine.
class SimulatedNode {
 public:
  explicit SimulatedNode(const Platform& platform);

  sg::Host* hub() const { return memories_.front(); }
  sg::Host* worker(std::size_t number) const { return workers_[number]; }

  double now_s() const { return platform_.start_up_s + sg::Engine::get_clock() * unit_s_; }
  /// In an actor of the worker's.
  void compute(double duration_s) const;
  /// In any actor: what it lasts beyond its bytes, then these; fewer where it is faster.
  void move(const Transfer& transfer, double duration_s) const;
  void wait_until(double date_s) const;
  /// Widens SimGrid's precision before the clock outgrows it.
  void keep_precision(double duration_s);

 private:
  static void configure();
  void build();

  const Platform& platform_;
  double unit_s_ = 1;                ///< one unit of SimGrid's clock, in seconds
  double precise_until_ = 0;         ///< in units
  std::vector<sg::Host*> memories_;  ///< of each node
  std::vector<sg::Host*> workers_;
};

}  // namespace starport::tiles
