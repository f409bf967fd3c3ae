// SimGrid links and hosts whose pace changes at given dates (slow-downs of the noise).
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/simgrid/simgrid_time.hpp"

#include <vector>

namespace starport {

/// A SimGrid link with a pace: transfers take `pace` times their nominal duration. The pace changes
/// at given simulated dates. The link itself belongs to SimGrid. Only one transfer, or transfers
/// with one common factor, may use the link at a time.
class PacedLink {
 public:
  /// Takes the current bandwidth and latency of `link` as its nominal ones. `pace` gives the pace
  /// from each date in seconds on (1 before the first date). `link` and `time` must outlive this
  /// object.
  PacedLink(sg::Link* link, const SimgridTime& time, SlowdownProfile pace);

  /// Prepares the link for messages that take `factor` (above 0) times their nominal duration,
  /// latency included. Call right before they start, and apply_pace() right after: SimGrid limits a
  /// message by the bandwidth at its start, which must therefore be the highest bandwidth still to
  /// come.
  void prepare(double factor);
  /// Sets the bandwidth to that of the current pace. Call right after the messages announced by
  /// prepare() have started.
  void apply_pace();
  /// Changes the current pace, a factor above 0 on durations, also for messages under way.
  void set_pace(double pace) {
    current_pace_ = pace;
    apply_pace();
  }
  /// Changes the pace at its dates, which takes until the last of them. Body of an actor, normally
  /// a daemon (make_daemon()); must be called in one. Not needed if set_pace() is called instead.
  void run_pace_changes();

  /// Returns true if the pace never changes, so that run_pace_changes() need not run.
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

/// Returns the speeds of a host for its SimGrid pstates, indexed from 0: `speed`, then `speed`
/// divided by each factor of `pace` in order. Speeds are in flop per unit of SimGrid's clock, as
/// `speed` is.
std::vector<double> pstate_speeds(double speed, const SlowdownProfile& pace);
/// Switches `host` to its next pstate at each date, in simulated seconds, of `pace`; returns after
/// the last one. The host must have been created with pstate_speeds() of the same `pace`. Body of
/// an actor, normally a daemon (make_daemon()); must be called in one.
void run_pace_changes(sg::Host* host, const SimgridTime& time, const SlowdownProfile& pace);

}  // namespace starport
