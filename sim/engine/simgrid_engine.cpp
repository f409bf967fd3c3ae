#include "sim/engine/simgrid_engine.hpp"

#include "sim/engine/isolated_run.hpp"
#include "sim/engine/simgrid_simulation.hpp"

namespace starport {

Run SimgridEngine::run(const Platform& platform, const Problem& problem,
                       const Planner& planner) const {
  const auto simulate = [&](Dispatcher& dispatcher, FrameWriter& out) {
    simulate_on_simgrid(platform, problem, dispatcher, limits_.most_transfers, out);
  };
  return run_isolated(planner, simulate, limits_.time_limit_s);
}

}  // namespace starport
