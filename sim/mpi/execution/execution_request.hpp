// What `starport-mpi execute` is asked for.
#pragma once

#include "sim/app/command.hpp"
#include "sim/files/error.hpp"
#include "sim/kernel/unequal.hpp"
#include "sim/mpi/execution/execution.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/matrices/product.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// The jobs refer to the rest of it.
struct ExecutionRequest {
  ExecutionRequest() = default;
  ExecutionRequest(const ExecutionRequest&) = delete;
  ExecutionRequest& operator=(const ExecutionRequest&) = delete;

  ExecutionAbout about;
  ProductSize size{};
  MatrixSources sources;
  ExecutionOptions options;
  bool force = false;  ///< on machines on which no prediction would hold, too
  PlatformFile file;
  std::optional<Case> distributed;    ///< of algorithms whose workers have the matrices
  PerWorker<WorkerSettings> workers;  ///< distributed: what differs
  std::vector<NamedAlgorithm> heuristics;
  std::optional<Schedule> schedule;
  std::optional<TransferList> transfers;  ///< the schedule's
  std::vector<ExecutionJob> jobs;
};

CommandLine execution_command_line();

/// On the standard error stream.
void tell_left_out(const std::string& name, const NotApplicable& reason);

/// Fills in the request. Throws InputError.
void read_request(const CommandLine& line, ExecutionRequest& request);

}  // namespace starport::mpi
