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
  /// Name of the heuristic or of the schedule, for reports and errors.
  std::string name;
  /// Function that makes the plan, called once or more for predictions and for the run; all its
  /// plans must be equal. May throw NotApplicable.
  Planner planner;
};

/// Predicts a job by the model with the figures of the platform. Only heuristic, details and
/// predicted of the result are set. Throws NotApplicable if the heuristic does not apply,
/// SimulationError if its plan breaks the rules of the model.
Execution predict_execution(const Platform& platform, const Problem& problem,
                            const ExecutionJob& job);

/// Returns the bytes that each worker of `platform` allocates for its blocks, by index from 0: an
/// eighth more than its m_i blocks (BlockStore::places()).
std::vector<double> worker_memory_bytes(const Platform& platform, const Problem& problem,
                                        ElementType type);

/// Runs a job on the other ranks from rank 0, and blocks until it is done. Sets real, port_times
/// and peak_blocks of `execution`, which must hold the result of predict_execution(). The expected
/// blocks and chunk parts of `options` are ignored and taken from the prediction. C is then in
/// `product` and has not been checked. Call it after Ranks::start(). Throws SimulationError if a
/// worker fails or does not respond, the time limit passes, or the real trace breaks the rules of
/// the model.
void execute_job(const Communicator& communicator, const Platform& platform,
                 const ExecutionJob& job, const ExecutionOptions& options, Product& product,
                 Execution& execution);

}  // namespace starport::mpi
