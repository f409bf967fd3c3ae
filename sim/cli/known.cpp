#include "sim/cli/known.hpp"

#include "sim/cli/algorithms.hpp"
#include "sim/star/engine/analytic_engine.hpp"
#include "sim/star/engine/simgrid/simgrid_engine.hpp"

#include <memory>

namespace starport {

const StarModel& star_model() {
  static const StarModel model(
      [](EngineKind kind, const SimulationLimits& limits) -> std::unique_ptr<Engine> {
        if (kind == EngineKind::simgrid) return std::make_unique<SimgridEngine>(limits);
        return std::make_unique<AnalyticEngine>(limits);
      });
  return model;
}

const Known& known() {
  static const Known all{.models = {&star_model()}, .read_algorithms = read_algorithms};
  return all;
}

}  // namespace starport
