// What of the models runs on SimGrid. The program has it in a library of its own, which it loads
// when it first simulates: to load SimGrid, and what that brings, takes ten times as long as the
// rest of a start.
#pragma once

#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/tiles/simgrid/simgrid_engine.hpp"

#include <memory>

namespace starport {

struct SimgridEngines {
  std::unique_ptr<Engine> (*star_engine)(const SimulationLimits& limits);
  decltype(&tiles::run_simgrid_engine) run_tiles;
  decltype(&spmd::simulate_product) simulate_product;
  decltype(&spmd::simulate_bulk) simulate_bulk;
};

/// In a program that links simgrid_linked.cpp, what it is linked with. In one that links
/// simgrid_loaded.cpp, that of starport-simgrid.so, beside the program or in ../lib/starport;
/// throws InputError when it is not there.
const SimgridEngines& simgrid_engines();

}  // namespace starport
