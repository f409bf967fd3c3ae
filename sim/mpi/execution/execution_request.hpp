// The command line of `starport-mpi execute`.
#pragma once

#include "sim/app/command_line.hpp"
#include "sim/files/error.hpp"
#include "sim/kernel/emulation.hpp"
#include "sim/mpi/execution/execution.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/matrices/product.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// The input of `starport-mpi execute`: options, files and the jobs to run. Neither copied nor
/// moved, since the jobs refer to the other members.
struct ExecutionRequest {
  ExecutionRequest() = default;
  ExecutionRequest(const ExecutionRequest&) = delete;
  ExecutionRequest& operator=(const ExecutionRequest&) = delete;

  ExecutionContext context;
  ProductSize size{};
  MatrixSources sources;
  ExecutionOptions options;
  bool force = false;  ///< run even if the durations cannot be predicted
  PlatformFile file;
  std::optional<Case> distributed;         ///< the case of a distributed product; nullopt: a star
  PerWorker<WorkerSettings> workers;       ///< threads, and how distributed workers are slowed down
  std::vector<NamedAlgorithm> heuristics;  ///< empty if a schedule is run
  std::optional<Schedule> schedule;
  std::optional<TransferList> transfers;  ///< transfers of the schedule
  std::vector<ExecutionJob> jobs;         ///< empty for a distributed product
};

/// Returns the command line of `starport-mpi execute`, not yet parsed.
CommandLine execution_command_line();

/// Reads a parsed command line and the files that it names into `request`. Throws InputError if an
/// option or a file is wrong or options contradict each other.
void read_request(const CommandLine& line, ExecutionRequest& request);

/// Prints on the standard error stream that a heuristic is skipped, and why.
void report_skipped(const std::string& name, const NotApplicable& reason);

}  // namespace starport::mpi
