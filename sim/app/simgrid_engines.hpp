// The SimGrid engines of all models. `starport` loads them from a shared library when it first
// simulates, because loading SimGrid takes ten times as long as the rest of its start.
#pragma once

#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/tiles/simgrid/simgrid_engine.hpp"

#include <memory>

namespace starport {

/// Table of the functions that simulate with the library SimGrid, one per model or kind of run, so
/// that a program can load them from a shared library. simgrid_engines() returns it. No pointer is
/// null; the functions are valid until the program ends.
struct SimgridEngines {
  /// Creates an object, owned by the caller, that simulates runs of the star model (a master sends
  /// blocks to workers) with SimGrid, with these limits per run (wall-clock seconds, 0: none; bytes
  /// for the trace, infinity: none); a run that exceeds one throws MachineError. Each run forks:
  /// use it in a process with one thread.
  std::unique_ptr<Engine> (*star_engine)(const SimulationLimits& limits);
  /// Simulates a graph of tasks on matrix tiles with SimGrid in a child process and returns its
  /// trace (tasks and transfers, with dates in simulated seconds); see tiles::run_simgrid_engine().
  /// Throws SimulationError if the run fails; MachineError, a SimulationError, if it exceeds its
  /// time limit (wall-clock seconds, 0: none), runs out of memory, is killed or cannot be started;
  /// NotApplicable if the strategy throws it. Call it from a process with one thread.
  decltype(&tiles::run_simgrid_engine) run_tiles;
  /// Simulates a matrix product that is distributed (SPMD) over the nodes of a cluster with SimGrid
  /// in a child process and returns the run, with dates in simulated seconds; see
  /// spmd::simulate_product(). Throws SimulationError if the run fails; MachineError, a
  /// SimulationError, if it exceeds its time limit (wall-clock seconds, 0: none), is killed or
  /// cannot be started; NotApplicable if measured speeds do not cover the size of a device's part
  /// or a memory is too small. Call it from a process with one thread.
  decltype(&spmd::simulate_product) simulate_product;
  /// Simulates a matrix product on two processors with SimGrid in a child process and returns the
  /// run, with dates in simulated seconds; see spmd::simulate_bulk(). Throws SimulationError if the
  /// run fails, and MachineError, a SimulationError, if it exceeds its time limit (wall-clock
  /// seconds, 0: none), is killed or cannot be started. Call it from a process with one thread.
  decltype(&spmd::simulate_bulk) simulate_bulk;
};

/// Returns the table of the functions that simulate with the library SimGrid, a static object,
/// valid until the program ends. A program linked with simgrid_linked.cpp contains these functions;
/// one with simgrid_loaded.cpp loads starport-simgrid.so at the first call, which is thread-safe,
/// from the folder of the program, else from lib/starport of the installation (find_installed()),
/// and throws InputError if it cannot (a later call tries again).
const SimgridEngines& simgrid_engines();

}  // namespace starport
