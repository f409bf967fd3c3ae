// Predicts and runs the plan of one heuristic or schedule.
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

/// One run of `starport-mpi execute`: a heuristic or a saved schedule.
struct ExecutionJob {
  std::string name;
  Planner planner;
};

/// Predicts a job with the figures of the platform. The result has no real run yet. Throws
/// NotApplicable if the heuristic does not apply, SimulationError if its plan breaks the model.
Execution predict_execution(const Platform& platform, const Problem& problem,
                            const ExecutionJob& job);

/// Returns the bytes that each worker allocates for its blocks.
std::vector<double> worker_memory_bytes(const Platform& platform, const Problem& problem,
                                        ElementType type);

/// Runs a job on the other ranks from rank 0, and adds the real run to `execution`, which holds the
/// prediction. C is in `product` and has not been checked. Throws SimulationError if a worker fails
/// or does not respond, or the real trace breaks the model.
void execute_job(const Communicator& communicator, const Platform& platform,
                 const ExecutionJob& job, const ExecutionOptions& options, Product& product,
                 Execution& execution);

}  // namespace starport::mpi
