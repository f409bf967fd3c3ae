#include "sim/mpi/execution/execution.hpp"

#include "sim/files/error.hpp"
#include "sim/mpi/matrices/block_store.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/validator/memory_use.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport::mpi {
namespace {

/// Returns the highest number of blocks that each worker holds.
std::vector<std::int64_t> peak_blocks_of(const Platform& platform, const Problem& problem,
                                         const Trace& trace) {
  std::vector<std::int64_t> peaks(platform.workers.size());
  const auto held = compute_held_blocks(platform, problem, trace);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    std::int64_t& peak = peaks[trace[i].transfer.worker];
    peak = std::max({peak, held[i].transfer, held[i].update});
  }
  return peaks;
}

}  // namespace

Execution predict_execution(const Platform& platform, const Problem& problem,
                            const ExecutionJob& job) {
  const Plan plan = job.planner();
  Execution execution{.heuristic = job.name,
                      .details = plan.details,
                      .predicted = run_to_trace(*plan.dispatcher, platform, problem)};
  if (const auto violation = find_violation(platform, problem, execution.predicted)) {
    throw SimulationError(fmt::format("{}: its plan breaks the model at transfer {}: {}", job.name,
                                      violation->transfer + 1, violation->message));
  }
  return execution;
}

std::vector<double> worker_memory_bytes(const Platform& platform, const Problem& problem,
                                        ElementType type) {
  std::vector<double> bytes;
  for (const Worker& worker : platform.workers) {
    bytes.push_back(static_cast<double>(bytes_of(type)) * BlockStore::places(worker.m_blocks) *
                    problem.block_size * problem.block_size);
  }
  return bytes;
}

void execute_job(const Communicator& communicator, const Platform& platform,
                 const ExecutionJob& job, const ExecutionOptions& options, Product& product,
                 Execution& execution) {
  const Problem& problem = product.problem();
  ExecutionOptions run_options = options;
  run_options.expected_blocks = peak_blocks_of(platform, problem, execution.predicted);
  run_options.chunk_parts = ChunkParts(execution.predicted);
  Master master(communicator, platform, product, run_options);
  const Plan plan = job.planner();
  execution.real = master.run(*plan.dispatcher);
  execution.port_times = master.port_times();
  execution.peak_blocks = master.finish();
  if (const auto violation = find_violation(platform, problem, execution.real, Timing::observed)) {
    throw SimulationError(fmt::format("{}: the real run breaks the model at transfer {}: {}",
                                      job.name, violation->transfer + 1, violation->message));
  }
}

}  // namespace starport::mpi
