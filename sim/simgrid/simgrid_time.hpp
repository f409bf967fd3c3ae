// SimGrid's engine and clock, for one simulation in a process of its own.
#pragma once

#include <simgrid/s4u.hpp>

#include <functional>
#include <memory>

namespace starport {

namespace sg = simgrid::s4u;

/// Owner of SimGrid's engine, configured so that a message takes exactly latency + size /
/// bandwidth. SimGrid's dates have an absolute error, so that its clock counts units of `unit_s`
/// seconds; choose them much shorter than the shortest activity that matters. Create one per
/// process, before any other SimGrid object.
class SimgridTime {
 public:
  explicit SimgridTime(double unit_s);
  ~SimgridTime();

  double unit_s() const { return unit_s_; }
  /// Returns the simulated date in seconds.
  double now_s() const { return sg::Engine::get_clock() * unit_s_; }
  /// Makes the calling actor sleep until `date_s`; forever if that is infinite.
  void sleep_until(double date_s) const;
  /// Makes the calling actor sleep for `duration_s` seconds.
  void sleep_for(double duration_s) const { sg::this_actor::sleep_for(duration_s / unit_s_); }
  /// Makes the calling actor sleep for the shortest duration that SimGrid's clock can resolve.
  void sleep_smallest_step() const;
  /// Adapts the precision within which SimGrid considers dates equal, so that the clock can run
  /// until `until_s`. Call before dates grow that large: SimGrid would otherwise wait forever for
  /// dates that differ only by rounding.
  void widen_precision_until(double until_s);
  /// Runs the simulation until all actors but daemons have ended.
  void run() { engine_->run(); }

 private:
  double unit_s_;
  double precise_until_ = 0;  ///< units
  std::unique_ptr<sg::Engine> engine_;
};

/// Creates an actor that runs `body`. An exception from `body` ends the process and is reported to
/// the parent (abandon_child()), since it must not pass through SimGrid.
void make_actor(const char* name, sg::Host* host, const std::function<void()>& body);
/// Creates an actor that runs `body` and does not keep the simulation running. `body` must not
/// throw.
void make_daemon(sg::Host* host, const std::function<void()>& body);

}  // namespace starport
