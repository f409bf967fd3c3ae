#include "sim/simgrid/paced.hpp"

#include <algorithm>
#include <utility>

namespace starport {

PacedLink::PacedLink(sg::Link* link, const SimgridTime& time, SlowdownProfile pace)
    : link_(link),
      time_(&time),
      pace_(std::move(pace)),
      bandwidth_(link->get_bandwidth()),
      latency_(link->get_latency()) {
  for (const auto& [from_s, factor] : pace_) {
    if (from_s <= 0) current_pace_ = factor;
  }
}

void PacedLink::prepare(double factor) {
  factor_ = factor;
  link_->set_latency(latency_ * factor);
  double best = current_pace_;
  for (const auto& [from_s, later] : pace_) {
    if (from_s > time_->now_s()) best = std::min(best, later);
  }
  set_bandwidth(best);
}

void PacedLink::apply_pace() { set_bandwidth(current_pace_); }

void PacedLink::run_pace_changes() {
  for (const auto& [from_s, factor] : pace_) {
    if (from_s <= 0) continue;
    time_->sleep_until(from_s);
    set_pace(factor);
  }
}

std::vector<double> pstate_speeds(double speed, const SlowdownProfile& pace) {
  std::vector<double> speeds{speed};
  for (const auto& [from_s, factor] : pace) speeds.push_back(speed / factor);
  return speeds;
}

void run_pace_changes(sg::Host* host, const SimgridTime& time, const SlowdownProfile& pace) {
  unsigned long state = 0;
  for (const auto& [from_s, factor] : pace) {
    time.sleep_until(from_s);
    host->set_pstate(++state);
  }
}

}  // namespace starport
