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

/// The input of `starport-mpi execute`: options, files and the jobs to run, as read_request() reads
/// them. Neither copied nor moved, since the jobs refer to the other members and must not be used
/// after it is destroyed.
struct ExecutionRequest {
  /// Creates an empty request, to be filled by read_request().
  ExecutionRequest() = default;
  ExecutionRequest(const ExecutionRequest&) = delete;
  ExecutionRequest& operator=(const ExecutionRequest&) = delete;

  /// Platform, problem and settings that all runs share.
  ExecutionContext context;
  /// Sizes of the matrices, in elements.
  ProductSize size{};
  /// Files of the matrices A, B and C, or the seed that they are filled from.
  MatrixSources sources;
  /// Settings of the runs on real machines.
  ExecutionOptions options;
  /// Largest half-width of the 95 % interval of the predicted time with which a run is started, as
  /// a share of that time (--require; 0.05 is 5 %); nullopt: any.
  std::optional<double> required{};
  /// True if the report is printed as JSON, false as a table (--json).
  bool json = false;
  /// Platform file as read, with the samples of the calibration, if it has any. Its durations are
  /// not multiplied by context.time_scale. In a program built for SMPI (SimGrid's simulator of
  /// MPI), speed functions are replaced by constant speeds unless the run is emulated.
  PlatformFile file;
  /// Platform and problem of a distributed product (workers hold parts of the matrices and exchange
  /// blocks); nullopt: runs on a star.
  std::optional<Case> distributed;
  /// Settings of each worker, by index from 0: its threads, and how a worker of a distributed
  /// product is slowed down.
  PerWorker<WorkerSettings> workers;
  /// Heuristics to run, all for the star or all for distributed products, in the order of the
  /// report; empty if a schedule is run.
  std::vector<NamedAlgorithm> heuristics;
  /// Schedule to run; nullopt if heuristics are run.
  std::optional<Schedule> schedule;
  /// List of the transfers of `schedule`, for its job; refers to `schedule`, which must not change.
  /// nullopt if heuristics are run.
  std::optional<TransferList> transfers;
  /// Runs (one per heuristic, or the schedule) to do on a star, in order; empty for a distributed
  /// product.
  std::vector<ExecutionJob> jobs;
};

/// Returns the declaration of the command line of `starport-mpi execute`, not yet parsed. Pass it
/// to CommandLine::parse() and then to read_request().
CommandLine execution_command_line();

/// Reads a parsed command line of execution_command_line() and the files that it names into
/// `request`, which must be new and must outlive its jobs. Matrices are not read. Plug-ins and a
/// kernel library are loaded, which runs their code; with --plugin the process forks, although MPI
/// may have started threads. Throws InputError if an option or a file is wrong or options
/// contradict each other; exceptions of plug-ins pass. After an exception, `request` may be filled
/// in part.
void read_request(const CommandLine& line, ExecutionRequest& request);

/// Prints one line on the standard error stream that says that the heuristic `name` is skipped, and
/// why.
void report_skipped(const std::string& name, const NotApplicable& reason);

}  // namespace starport::mpi
