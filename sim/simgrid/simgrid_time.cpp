#include "sim/simgrid/simgrid_time.hpp"

#include "sim/process/isolation.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace starport {
namespace {

// SimGrid considers dates equal within an absolute precision.
constexpr double kSmallestPrecision = 1e-9;
constexpr double kPrecisionOfClock = 0x1p-49;  // eight units in the last place

std::unique_ptr<sg::Engine> make_engine() {
  std::vector<std::string> arguments{"starport", "--log=root.thresh:error"};  // errors only
#ifdef __SANITIZE_ADDRESS__
  arguments.emplace_back("--cfg=contexts/factory:thread");  // it does not follow other stacks
#endif
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  // SimGrid installs a handler of SIGINT that prints the state of its actors. It allocates, which a
  // handler must not, and ends like a crash: keep the handler of the program.
  struct sigaction on_interrupt {};
  ::sigaction(SIGINT, nullptr, &on_interrupt);
  auto engine = std::make_unique<sg::Engine>(&argc, argv.data());
  ::sigaction(SIGINT, &on_interrupt, nullptr);
  return engine;
}

/// Returns the shortest duration that SimGrid's clock can resolve now.
double smallest_step() {
  constexpr double instant = 1e-11;
  return std::max(instant * sg::Engine::get_clock(), kSmallestPrecision);
}

}  // namespace

SimgridTime::SimgridTime(double unit_s) : unit_s_(unit_s), engine_(make_engine()) {
  // No cross-traffic, no TCP window.
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/TCP-gamma:0");
  sg::Engine::set_config("maxmin/precision:1e-12");  // of shares, in bytes a unit of time
  sg::Engine::on_deadlock_cb(
      [] { exit_child_with_error(SimulationError("the simulated actors are in a deadlock")); });
}

// The engine is leaked: SimGrid does not survive its own shutdown, and the process ends soon.
SimgridTime::~SimgridTime() { static_cast<void>(engine_.release()); }

void SimgridTime::sleep_until(double date_s) const {
  const double date = date_s / unit_s_;
  if (!std::isfinite(date)) sg::this_actor::suspend();
  sg::this_actor::sleep_until(date);
}

void SimgridTime::sleep_until_far(double date_s) {
  constexpr double units_at_smallest_precision = kSmallestPrecision / kPrecisionOfClock / 2;
  double stage_s = std::max(units_at_smallest_precision * unit_s_, 2 * now_s());
  for (; stage_s < date_s; stage_s *= 2) {
    widen_precision_until(stage_s);
    sleep_until(stage_s);
  }
  widen_precision_until(date_s);
  sleep_until(date_s);
}

void SimgridTime::sleep_smallest_step() const { sg::this_actor::sleep_for(smallest_step()); }

double SimgridTime::units_until(double date_s) const {
  return std::max(date_s / unit_s_ - sg::Engine::get_clock(), smallest_step());
}

void SimgridTime::widen_precision_until(double until_s) {
  const double horizon = until_s / unit_s_;
  if (horizon <= precise_until_) return;
  precise_until_ = 2 * horizon;
  sg::Engine::set_config("surf/precision",
                         std::max(kSmallestPrecision, kPrecisionOfClock * precise_until_));
}

void make_actor(const char* name, sg::Host* host, const std::function<void()>& body) {
  sg::Actor::create(name, host, [body] {
    try {
      body();
    } catch (const std::exception& error) {
      exit_child_with_error(error);
    }
  });
}

void make_daemon(sg::Host* host, const std::function<void()>& body) {
  sg::Actor::create("pace", host, body)->daemonize();
}

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
