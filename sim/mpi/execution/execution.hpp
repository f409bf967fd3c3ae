// Predicts and runs the plan of one heuristic or schedule.
#pragma once

#include "sim/mpi/execution/execution_report.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/star/engine/engine.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace starport::mpi {

/// Work of one run of `starport-mpi execute`: the name of a heuristic or of a saved schedule, and
/// the function that makes its plan. What that function refers to must outlive the job.
struct ExecutionJob {
  /// Name for reports and errors: that of the heuristic (NamedAlgorithm::name), or the heuristic's
  /// name that a saved schedule states, else the path of the schedule.
  std::string name;
  /// Function that makes the plan (which transfers and updates to do), called once or more for
  /// predictions and for the run; all its plans must be equal. Must not be empty. If it throws
  /// NotApplicable, the job is skipped; its other exceptions, such as InputError if no worker has
  /// enough memory, pass through.
  Planner planner;
};

/// Predicts a run (`job`: one heuristic or saved schedule) by simulating the model of a star with
/// the figures of the platform. Only the members heuristic, details and predicted of the result are
/// set. Throws NotApplicable if the heuristic does not apply, SimulationError if its plan breaks
/// the rules of the model; other exceptions of the planner pass through.
Execution predict_execution(const Platform& platform, const Problem& problem,
                            const ExecutionJob& job);

/// Returns the bytes that each worker of `platform` allocates for blocks, by index from 0: those of
/// its memory of m_i blocks and an eighth more, rounded up (BlockStore::places()), each block of q
/// x q elements of `type`, with q = problem.block_size.
std::vector<double> worker_memory_bytes(const Platform& platform, const Problem& problem,
                                        ElementType type);

/// Runs a job (one heuristic or saved schedule) for real on the other ranks from rank 0, and blocks
/// until it is done. Sets real, port_times and peak_blocks of `execution`, which must hold the
/// result of predict_execution(). `options.expected_blocks`, `options.chunk_parts` and
/// `options.adds_partial_sums` are ignored and taken from the prediction. The product is added to C
/// in `product`, and has not been checked. Call it after Ranks::start(). Throws SimulationError if
/// a worker fails or does not respond, the time limit passes, a file of a matrix was modified, or
/// the real trace breaks the rules of the model; InputError if the path of the kernel is too long;
/// exceptions of the planner pass through. After an exception C may be partly updated and the
/// workers may still wait for orders: end them by Communicator::abort().
void execute_job(const Communicator& communicator, const Platform& platform,
                 const ExecutionJob& job, const ExecutionOptions& options, Product& product,
                 Execution& execution);

/// Calls run(i) for each index of `executions`, and then report(). If a run throws, it and those
/// after it are removed from the list, and the ones that are done, if any, are reported before the
/// exception passes. Exceptions of report() pass through.
template <class Executions, class Run, class Report>
void run_and_report(Executions& executions, Run&& run, Report&& report) {
  std::size_t done = 0;
  try {
    for (; done < executions.size(); ++done) run(done);
  } catch (...) {
    executions.erase(executions.begin() + static_cast<std::ptrdiff_t>(done), executions.end());
    if (!executions.empty()) report();
    throw;
  }
  report();
}

}  // namespace starport::mpi
