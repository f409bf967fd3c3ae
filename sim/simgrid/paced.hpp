// Links and hosts of SimGrid whose pace changes at dates, as slow-downs have it.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/simgrid/simgrid_time.hpp"

#include <vector>

namespace starport {

class PacedLink {
 public:
  /// The link has its nominal bandwidth and latency.
  PacedLink(sg::Link* link, const SimgridTime& time, SlowdownProfile pace);

  /// Before messages begin that take `factor` times as long as nominal. SimGrid bounds a message by
  /// the bandwidth at its start, so that it must be the best to come ...
  void begin(double factor);
  /// ... and the present one as soon as they have begun.
  void apply_pace();
  void set_pace(double pace) {
    now_ = pace;
    apply_pace();
  }
  /// The life of an actor that changes the pace at its dates.
  void follow();

  bool steady() const { return pace_.empty(); }

 private:
  void set_bandwidth(double pace) { link_->set_bandwidth(bandwidth_ / (factor_ * pace)); }

  sg::Link* link_;
  const SimgridTime* time_;
  SlowdownProfile pace_;
  double bandwidth_;
  double latency_;
  double factor_ = 1;
  double now_ = 1;  ///< the pace at present
};

/// The speeds of a host, one for each of its paces: of one flop a unit of the clock at first.
std::vector<double> pstate_speeds(double speed, const SlowdownProfile& pace);
/// The life of an actor that changes them at their dates.
void run_pace_changes(sg::Host* host, const SimgridTime& time, const SlowdownProfile& pace);

}  // namespace starport
