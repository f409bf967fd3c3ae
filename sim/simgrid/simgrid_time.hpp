// SimGrid's engine and clock, for one simulation in a process of its own, and links and hosts whose
// pace changes at given dates (slow-downs of the noise).
#pragma once

#include "sim/platform/noise/noise.hpp"

#include <simgrid/s4u.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace starport {

namespace sg = simgrid::s4u;

/// Owner of SimGrid's engine and its clock, configured so that a message takes exactly latency +
/// size / bandwidth. Dates and durations are in simulated seconds here, but SimGrid's own clock
/// counts units of `unit_s` seconds, since its dates have an absolute error: latencies, bandwidths
/// and speeds given to SimGrid must be in these units (bytes or flop per unit). Create one per
/// process, before any other SimGrid object, and in a child process (run_in_child()), since a
/// deadlock ends the process. The destructor leaks the engine: end the process with _exit()
/// afterwards.
class SimgridTime {
 public:
  /// Creates SimGrid's engine. `unit_s`, above 0 (not checked), is the length of a unit of
  /// SimGrid's clock in simulated seconds; choose it much shorter than the shortest activity that
  /// matters. SimGrid aborts the process if it has had an engine before.
  explicit SimgridTime(double unit_s);
  ~SimgridTime();

  /// Returns the length in simulated seconds of a unit of SimGrid's clock.
  double unit_s() const { return unit_s_; }
  /// Returns the simulated date in seconds from the start of the simulation.
  double now_s() const { return sg::Engine::get_clock() * unit_s_; }
  /// Makes the calling actor (simulated thread) sleep until the simulated date `date_s` in seconds;
  /// forever if that is infinite, not at all if it has passed. Must be called in an actor.
  void sleep_until(double date_s) const;
  /// Makes the calling actor (simulated thread) sleep until the simulated date `date_s` in seconds,
  /// finite, which may be much later than all other activities: widens the tolerance of dates
  /// (widen_precision_until()) in stages, as the clock approaches the date, so that short
  /// activities before it keep their durations. Must be called in an actor.
  void sleep_until_far(double date_s);
  /// Returns the duration, in units of SimGrid's clock, from now until the simulated date `date_s`
  /// in seconds; at least the shortest one that the clock can resolve at the current date, also for
  /// a date that has passed; infinity for an infinite date.
  double units_until(double date_s) const;
  /// Makes the calling actor (simulated thread) sleep for `duration_s` simulated seconds, finite
  /// and at least 0. Must be called in an actor.
  void sleep_for(double duration_s) const { sg::this_actor::sleep_for(duration_s / unit_s_); }
  /// Makes the calling actor (simulated thread) sleep for the shortest duration that SimGrid's
  /// clock can resolve at the current date (1e-9 units, or a relative 1e-11 of the date if that is
  /// longer). Must be called in an actor.
  void sleep_smallest_step() const;
  /// Widens the tolerance within which SimGrid considers dates equal, so that its clock can run
  /// until `until_s` simulated seconds, finite; it never becomes narrower. Call it before dates
  /// grow that large: SimGrid would otherwise wait forever for dates that differ only by rounding.
  void widen_precision_until(double until_s);
  /// Runs the simulation until all actors (simulated threads) but daemons have ended; blocks until
  /// then. If the actors are in a deadlock or one throws (see make_actor()), ends this process and
  /// reports the error to the parent (exit_child_with_error()). Call it once, outside actors.
  void run() { engine_->run(); }

 private:
  double unit_s_;
  double precise_until_ = 0;  ///< units
  std::unique_ptr<sg::Engine> engine_;
};

/// Creates an actor (a simulated thread) that runs a copy of `body` on `host` during
/// SimgridTime::run(), which waits for its end. `name` is copied. What `body` refers to must live
/// until then. A std::exception from `body` ends the process and is reported to the parent
/// (exit_child_with_error()), since it must not pass through SimGrid.
void make_actor(const char* name, sg::Host* host, const std::function<void()>& body);
/// Creates an actor (a simulated thread) that runs a copy of `body` on `host` during
/// SimgridTime::run() and is killed when all actors that are no daemons have ended. What `body`
/// refers to must live until then. `body` must not throw: the exception would reach SimGrid.
void make_daemon(sg::Host* host, const std::function<void()>& body);

/// A SimGrid link with a pace: the bytes of a transfer take `pace` times their nominal duration;
/// latencies do not change. The pace changes at given simulated dates if run_pace_changes() runs in
/// an actor (simulated thread), or set_pace() is called at them. The link itself belongs to
/// SimGrid. Only one transfer, or transfers with one common factor (see prepare()), may use the
/// link at a time.
class PacedLink {
 public:
  /// Takes the current bandwidth and latency of `link` as its nominal ones. `pace` gives the pace,
  /// a factor above 0 on the time per byte, from each simulated date in seconds until the next one,
  /// the last for ever; dates must ascend (not checked). Before the first date the pace is 1.
  /// Changes nothing yet: prepare() and apply_pace() set the bandwidth, run_pace_changes() or
  /// set_pace() change the pace. `link` and `time` must outlive this object.
  PacedLink(sg::Link* link, const SimgridTime& time, SlowdownProfile pace);

  /// Prepares the link for messages that take `factor` times (above 0, not checked) their nominal
  /// duration, latency included. Call it right before they start, and apply_pace() right after. In
  /// between, the link has the highest bandwidth of its current and all later paces, since SimGrid
  /// limits a message by the bandwidth at its start.
  void prepare(double factor);
  /// Sets the bandwidth of the link to that of its current pace (the factor on the time per byte),
  /// for messages with the factor given to the last prepare(). Call right after the messages
  /// announced by prepare() have started.
  void apply_pace();
  /// Changes the current pace, a factor above 0 (not checked) on the time per byte, also for
  /// messages under way; latencies do not change. Call it at the dates given to the constructor,
  /// each with its pace: a message under way cannot become faster than prepare() foresaw from
  /// these.
  void set_pace(double pace) {
    current_pace_ = pace;
    apply_pace();
  }
  /// Changes the pace of the link (the factor on the time per byte) at the dates given to the
  /// constructor and returns after the last of them. Body of an actor (simulated thread), normally
  /// a daemon (make_daemon()); must be called in one. This object must not move meanwhile. Not
  /// needed if set_pace() is called instead.
  void run_pace_changes();

  /// Returns true if the constructor was given no changes of the link's pace (factor on the time
  /// per byte), so that it stays 1 and run_pace_changes() need not run.
  bool is_steady() const { return pace_.empty(); }

 private:
  void set_bandwidth(double pace) { link_->set_bandwidth(bandwidth_ / (factor_ * pace)); }

  sg::Link* link_;
  const SimgridTime* time_;
  SlowdownProfile pace_;
  double bandwidth_;
  double latency_;
  double factor_ = 1;
  double current_pace_ = 1;
};

/// Returns the speeds with which to create a SimGrid host, one per pstate (a speed that the host
/// can be switched to), indexed from 0: `speed`, then `speed` divided by each factor of `pace` (on
/// the duration of work; not 0) in order. All are in the unit of `speed`, flop per unit of
/// SimGrid's clock.
std::vector<double> pstate_speeds(double speed, const SlowdownProfile& pace);
/// Switches `host` to its next pstate (speed) at each date of `pace`, in simulated seconds, in
/// ascending order; returns after the last one. The host must have been created with
/// pstate_speeds() of the same `pace` and be in its first pstate. Body of an actor (simulated
/// thread), normally a daemon (make_daemon()); must be called in one. The arguments must live until
/// it returns or the simulation ends.
void run_pace_changes(sg::Host* host, const SimgridTime& time, const SlowdownProfile& pace);

}  // namespace starport
