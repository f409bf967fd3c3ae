// Carrying a plan out for real, beside what was predicted of it.
#pragma once

#include "sim/mpi/execution/execution_report.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/star/engine/engine.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

/// One thing to carry out.
struct ExecutionJob {
  std::string name;
  Planner planner;
};

/// What is known before a run. Throws NotApplicable when the heuristic does, SimulationError when
/// its plan would break the model.
Execution predict(const Platform& platform, const Problem& problem, const ExecutionJob& job);

/// Bytes for the blocks of each worker.
std::vector<double> worker_memories(const Platform& platform, const Problem& problem,
                                    ElementType type);

/// Adds what happened; C is in the product, not checked. Throws SimulationError.
void carry_out(const Communicator& communicator, const Platform& platform, const ExecutionJob& job,
               const ExecutionOptions& options, Product& product, Execution& execution);

}  // namespace starport::mpi
