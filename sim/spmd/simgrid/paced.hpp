// Links and hosts of SimGrid whose pace changes at dates, as slow-downs have it.
#pragma once

#include "sim/platform/noise.hpp"
#include "sim/spmd/simgrid/simgrid_clock.hpp"

#include <simgrid/s4u.hpp>

#include <functional>
#include <vector>

namespace starport::spmd {

class PacedLink {
 public:
  /// The link has its nominal bandwidth and latency.
  PacedLink(simgrid::s4u::Link* link, const SimgridClock& clock, DrawnNoise::Pace pace);

  /// Before messages begin that take `factor` times as long as nominal. SimGrid bounds a message by
  /// the bandwidth at its start, so that it must be the best to come ...
  void begin(double factor);
  /// ... and the present one as soon as they have begun.
  void keep_pace();
  /// The life of an actor that changes the pace at its dates.
  void follow();

  bool steady() const { return pace_.empty(); }

 private:
  void set_bandwidth(double pace) { link_->set_bandwidth(bandwidth_ / (factor_ * pace)); }

  simgrid::s4u::Link* link_;
  const SimgridClock* clock_;
  DrawnNoise::Pace pace_;
  double bandwidth_;
  double latency_;
  double factor_ = 1;
  double now_ = 1;  ///< the pace at present
};

/// The speeds of a host, one for each of its paces: of one flop a unit of the clock at first.
std::vector<double> paced_speeds(double speed, const DrawnNoise::Pace& pace);
/// The life of an actor that changes them at their dates.
void follow_pace(simgrid::s4u::Host* host, const SimgridClock& clock, const DrawnNoise::Pace& pace);

/// An actor that does not keep the simulation going.
void make_daemon(simgrid::s4u::Host* host, const std::function<void()>& body);

}  // namespace starport::spmd
