#include "sim/spmd/simgrid/paced.hpp"

#include <algorithm>
#include <utility>

namespace starport::spmd {
namespace {

namespace sg = simgrid::s4u;

void sleep_until(const SimgridClock& clock, double date_s) {
  sg::this_actor::sleep_until(date_s / clock.unit_s());
}

}  // namespace

PacedLink::PacedLink(sg::Link* link, const SimgridClock& clock, DrawnNoise::Pace pace)
    : link_(link),
      clock_(&clock),
      pace_(std::move(pace)),
      bandwidth_(link->get_bandwidth()),
      latency_(link->get_latency()) {
  for (const auto& [from_s, factor] : pace_) {
    if (from_s <= 0) now_ = factor;
  }
}

void PacedLink::begin(double factor) {
  factor_ = factor;
  link_->set_latency(latency_ * factor);
  double best = now_;
  for (const auto& [from_s, later] : pace_) {
    if (from_s > clock_->now_s()) best = std::min(best, later);
  }
  set_bandwidth(best);
}

void PacedLink::keep_pace() { set_bandwidth(now_); }

void PacedLink::follow() {
  for (const auto& [from_s, factor] : pace_) {
    if (from_s <= 0) continue;
    sleep_until(*clock_, from_s);
    now_ = factor;
    keep_pace();
  }
}

std::vector<double> paced_speeds(double speed, const DrawnNoise::Pace& pace) {
  std::vector<double> speeds{speed};
  for (const auto& [from_s, factor] : pace) speeds.push_back(speed / factor);
  return speeds;
}

void follow_pace(sg::Host* host, const SimgridClock& clock, const DrawnNoise::Pace& pace) {
  unsigned long state = 0;
  for (const auto& [from_s, factor] : pace) {
    sleep_until(clock, from_s);
    host->set_pstate(++state);
  }
}

void make_daemon(sg::Host* host, const std::function<void()>& body) {
  sg::Actor::create("pace", host, body)->daemonize();
}

}  // namespace starport::spmd
