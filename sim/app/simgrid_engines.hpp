// The SimGrid engines of all models. `starport` loads them from a shared library when it first
// simulates, because loading SimGrid takes ten times as long as the rest of its start.
#pragma once

#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/tiles/simgrid/simgrid_engine.hpp"

#include <memory>

namespace starport {

/// The functions of the SimGrid engines, one per model or kind of run.
struct SimgridEngines {
  std::unique_ptr<Engine> (*star_engine)(const SimulationLimits& limits);
  decltype(&tiles::run_simgrid_engine) run_tiles;
  decltype(&spmd::simulate_product) simulate_product;
  decltype(&spmd::simulate_bulk) simulate_bulk;
};

/// Returns the SimGrid engines. A program with simgrid_linked.cpp contains them; one with
/// simgrid_loaded.cpp loads starport-simgrid.so at the first call, from the folder of the program
/// or
/// ../lib/starport, and throws InputError if it cannot.
const SimgridEngines& simgrid_engines();

}  // namespace starport
