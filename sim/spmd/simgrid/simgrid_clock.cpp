#include "sim/spmd/simgrid/simgrid_clock.hpp"

#include "sim/process/isolation.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <string>
#include <vector>

namespace starport::spmd {
namespace {

namespace sg = simgrid::s4u;

constexpr double kSmallestPrecision = 1e-9;
constexpr double kPrecisionOfClock = 0x1p-49;  // eight units in the last place

std::unique_ptr<sg::Engine> make_engine() {
  std::vector<std::string> arguments{"starport", "--log=root.thresh:error"};
#ifdef __SANITIZE_ADDRESS__
  arguments.emplace_back("--cfg=contexts/factory:thread");  // it does not follow other stacks
#endif
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  // What becomes of Ctrl-C was decided before.
  struct sigaction interrupt {};
  ::sigaction(SIGINT, nullptr, &interrupt);
  auto engine = std::make_unique<sg::Engine>(&argc, argv.data());
  ::sigaction(SIGINT, &interrupt, nullptr);
  return engine;
}

}  // namespace

SimgridClock::SimgridClock(double unit_s) : unit_s_(unit_s), engine_(make_engine()) {
  // The network takes latency + size / bandwidth, nothing else.
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/TCP-gamma:0");
  sg::Engine::set_config("maxmin/precision:1e-12");
  sg::Engine::on_deadlock_cb(
      [] { abandon_child(SimulationError("the simulated actors are in a deadlock")); });
}

/// The engine is left alone: SimGrid does not survive its own shutdown, and the process ends here.
SimgridClock::~SimgridClock() { static_cast<void>(engine_.release()); }

void SimgridClock::keep_precision(double until_s) {
  const double horizon = until_s / unit_s_;
  if (horizon <= precise_until_) return;
  precise_until_ = 2 * horizon;
  sg::Engine::set_config("surf/precision",
                         std::max(kSmallestPrecision, kPrecisionOfClock * precise_until_));
}

void SimgridClock::run() { engine_->run(); }

void make_actor(const char* name, sg::Host* host, const std::function<void()>& body) {
  sg::Actor::create(name, host, [body] {
    try {
      body();
    } catch (const std::exception& error) {
      abandon_child(error);
    }
  });
}

}  // namespace starport::spmd
