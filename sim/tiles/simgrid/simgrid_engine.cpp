#include "sim/tiles/simgrid/simgrid_engine.hpp"

#include "sim/tiles/isolated_run.hpp"
#include "sim/tiles/simgrid/simulation.hpp"

namespace starport::tiles {

Trace run_simgrid(const Platform& platform, const Work& work, const StrategyMaker& strategy,
                  const Options& options, double time_limit_s) {
  const auto simulate = [&](const TakeTrace& take) {
    simulate_on_simgrid(platform, work, strategy, options, take);
  };
  return run_isolated(simulate, work, time_limit_s);
}

}  // namespace starport::tiles
