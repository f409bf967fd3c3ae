// SimGrid's engine and its time, for one simulation in a process of its own.
#pragma once

#include <simgrid/s4u.hpp>

#include <functional>
#include <memory>

namespace starport {

namespace sg = simgrid::s4u;

/// SimGrid's engine, whose network takes latency + size / bandwidth and nothing else. Its dates
/// carry an absolute error, so its clock counts in units of `unit_s` seconds, short enough that
/// what matters lasts many of them. To be made once in a process, before anything else of SimGrid.
class SimgridTime {
 public:
  explicit SimgridTime(double unit_s);
  ~SimgridTime();

  double unit_s() const { return unit_s_; }
  double now_s() const { return sg::Engine::get_clock() * unit_s_; }
  /// For ever, when SimGrid's clock cannot tell the date.
  void sleep_until(double date_s) const;
  void sleep_for(double duration_s) const { sg::this_actor::sleep_for(duration_s / unit_s_); }
  /// The least that SimGrid's clock tells from now.
  void sleep_smallest_step() const;
  /// Widens SimGrid's precision before the clock outgrows it: two dates that round one unit in the
  /// last place apart would otherwise wait for each other for ever.
  void widen_precision_until(double until_s);
  /// Runs the actors that were made, to their end.
  void run() { engine_->run(); }

 private:
  double unit_s_;
  double precise_until_ = 0;  ///< units
  std::unique_ptr<sg::Engine> engine_;
};

/// An actor that ends the process with its error instead of throwing through SimGrid.
void make_actor(const char* name, sg::Host* host, const std::function<void()>& body);
/// One that does not keep the simulation going.
void make_daemon(sg::Host* host, const std::function<void()>& body);

}  // namespace starport
