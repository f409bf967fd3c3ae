#include "sim/star/engine/simgrid/simgrid_engine.hpp"

#include "sim/star/engine/isolated_run.hpp"
#include "sim/star/engine/simgrid/simulate.hpp"
#include "sim/star/recurrence.hpp"

namespace starport {

Run SimgridEngine::run(const Platform& platform, const Problem& problem, const Planner& planner,
                       const Noise& noise) const {
  const auto simulate = [&](Plan& plan, FrameWriter& out) {
    if (!noise.none() && !keep_to_order(plan, platform, problem, limits_.most_transfers)) {
      throw too_many_transfers(limits_.most_transfers);
    }
    simulate_on_simgrid(platform, problem, *plan.dispatcher, noise, limits_.most_transfers, out);
  };
  return run_isolated(planner, simulate, limits_.time_limit_s);
}

}  // namespace starport
