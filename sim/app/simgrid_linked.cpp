#include "sim/app/simgrid_engines.hpp"
#include "sim/star/engine/simgrid/simgrid_engine.hpp"

/// Entry point of starport-simgrid.so, which simgrid_loaded.cpp looks up by name.
extern "C" const starport::SimgridEngines* starport_simgrid_engines() {
  using namespace starport;
  static const SimgridEngines rooms{
      .star_engine = [](const SimulationLimits& limits) -> std::unique_ptr<Engine> {
        return std::make_unique<SimgridEngine>(limits);
      },
      .run_tiles = tiles::run_simgrid_engine,
      .simulate_product = spmd::simulate_product,
      .simulate_bulk = spmd::simulate_bulk};
  return &rooms;
}

namespace starport {

const SimgridEngines& simgrid_engines() { return *starport_simgrid_engines(); }

}  // namespace starport
