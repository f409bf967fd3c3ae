// SimGrid links and hosts whose pace changes at given dates (slow-downs of the noise).
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/simgrid/simgrid_time.hpp"

#include <vector>

namespace starport {

/// A SimGrid link with a pace: transfers take `pace` times their nominal duration. The pace changes
/// at given dates. The link itself belongs to SimGrid.
class PacedLink {
 public:
  /// `link` must have its nominal bandwidth and latency. `link` and `time` must outlive this
  /// object.
  PacedLink(sg::Link* link, const SimgridTime& time, SlowdownProfile pace);

  /// Prepares the link for messages that take `factor` times their nominal duration. Call right
  /// before they start, and apply_pace() right after: SimGrid limits a message by the bandwidth at
  /// its start, which must therefore be the highest bandwidth still to come.
  void prepare(double factor);
  /// Sets the bandwidth to the current pace. Call after messages have started.
  void apply_pace();
  /// Changes the current pace.
  void set_pace(double pace) {
    current_pace_ = pace;
    apply_pace();
  }
  /// Body of an actor that changes the pace at its dates.
  void run_pace_changes();

  /// Returns true if the pace never changes.
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

/// Returns the speeds of a host for its SimGrid pstates: `speed`, then `speed` divided by each
/// factor of `pace`.
std::vector<double> pstate_speeds(double speed, const SlowdownProfile& pace);
/// Body of an actor that switches `host` to the next of its pstate_speeds() at each date of `pace`.
void run_pace_changes(sg::Host* host, const SimgridTime& time, const SlowdownProfile& pace);

}  // namespace starport
