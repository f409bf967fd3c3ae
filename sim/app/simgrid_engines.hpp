// The SimGrid engines of all models. `starport` loads them from a shared library when it first
// simulates, because loading SimGrid takes ten times as long as the rest of its start.
#pragma once

#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/tiles/simgrid/simgrid_engine.hpp"

#include <memory>

namespace starport {

/// Table of the functions of the SimGrid engines, one per model or kind of run, so that a program
/// can load them from a shared library. simgrid_engines() returns it. No pointer is null; the
/// functions are valid until the program ends.
struct SimgridEngines {
  /// Creates an engine, owned by the caller, for runs of the star model with these limits per run
  /// (wall-clock seconds, 0: none; bytes for the trace, infinity: none).
  std::unique_ptr<Engine> (*star_engine)(const SimulationLimits& limits);
  /// Simulates a graph of tile tasks in a child process and returns its trace:
  /// tiles::run_simgrid_engine(), whose comment says what it needs and throws.
  decltype(&tiles::run_simgrid_engine) run_tiles;
  /// Simulates a distributed (SPMD) product on a cluster: spmd::simulate_product(), whose comment
  /// says what it needs and throws.
  decltype(&spmd::simulate_product) simulate_product;
  /// Simulates a product on two processors: spmd::simulate_bulk(), whose comment says what it needs
  /// and throws.
  decltype(&spmd::simulate_bulk) simulate_bulk;
};

/// Returns the SimGrid engines, a static object, valid until the program ends. A program linked
/// with simgrid_linked.cpp contains them; one with simgrid_loaded.cpp loads starport-simgrid.so at
/// the first call, which is thread-safe, from the folder of the program or ../lib/starport beside
/// it, and throws InputError if it cannot (a later call tries again).
const SimgridEngines& simgrid_engines();

}  // namespace starport
