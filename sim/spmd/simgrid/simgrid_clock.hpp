// SimGrid's engine and clock for one simulation in a process of its own.
#pragma once

#include <simgrid/s4u.hpp>

#include <functional>
#include <memory>

namespace starport::spmd {

/// SimGrid's dates carry an absolute error, so its clock counts in units of `unit_s` seconds, short
/// enough that what matters lasts many of them. To be made once in a process.
class SimgridClock {
 public:
  explicit SimgridClock(double unit_s);
  ~SimgridClock();

  double unit_s() const { return unit_s_; }
  double now_s() const { return simgrid::s4u::Engine::get_clock() * unit_s_; }
  /// Widens SimGrid's precision before the clock outgrows it: two dates that round one unit in the
  /// last place apart would otherwise wait for each other for ever.
  void keep_precision(double until_s);
  /// Runs the actors that were made, to their end.
  void run();

 private:
  double unit_s_;
  double precise_until_ = 0;  ///< units
  std::unique_ptr<simgrid::s4u::Engine> engine_;
};

/// An actor that ends the process with its error instead of throwing through SimGrid.
void make_actor(const char* name, simgrid::s4u::Host* host, const std::function<void()>& body);

}  // namespace starport::spmd
