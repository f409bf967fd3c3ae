#include "sim/app/simgrid_rooms.hpp"
#include "sim/star/engine/simgrid/simgrid_engine.hpp"

/// The name by which simgrid_loaded.cpp finds them.
extern "C" const starport::SimgridRooms* starport_simgrid_rooms() {
  using namespace starport;
  static const SimgridRooms rooms{
      .star_engine = [](const SimulationLimits& limits) -> std::unique_ptr<Engine> {
        return std::make_unique<SimgridEngine>(limits);
      },
      .run_tiles = tiles::run_simgrid,
      .simulate_product = spmd::simulate_product,
      .simulate_bulk = spmd::simulate_bulk};
  return &rooms;
}

namespace starport {

const SimgridRooms& simgrid_rooms() { return *starport_simgrid_rooms(); }

}  // namespace starport
