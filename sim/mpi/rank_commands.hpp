// Runs a command on rank 0, and the activities that it asks for on the other ranks.
#pragma once

#include "sim/mpi/transport/communicator.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

struct ExecutionRequest;

/// Runs `starport-mpi calibrate` on rank 0: measures all machines and writes their platform file.
/// `arguments` are the command line after the command. Returns the exit status; throws InputError
/// for bad arguments, SimulationError if a worker fails or the measurements are not reliable.
int calibrate_ranks_command(const Communicator& communicator,
                            const std::vector<std::string>& arguments);

/// Runs `starport-mpi execute` on rank 0: runs a schedule or heuristics for real, checks C, and
/// prints predicted and real times. `arguments` are the command line after the command. Returns the
/// exit status; throws InputError for bad input, SimulationError if the run fails or C is wrong.
int execute_command(const Communicator& communicator, const std::vector<std::string>& arguments);

/// Runs the part of execute_command() for distributed products, whose workers hold the matrices.
/// Prints a table, or JSON if `json`. Returns the exit status, and throws as execute_command().
int execute_products(const Communicator& communicator, const ExecutionRequest& request, bool json);

/// Runs a rank other than 0: carries out what rank 0 asks for until it ends the run. `arguments`
/// are those of rank 0. Returns the exit status. A failure is reported to rank 0; if rank 0 does
/// not end the run within its timeout, this rank ends all ranks.
int run_worker_rank(const Communicator& communicator, const std::vector<std::string>& arguments);

/// Measures the dgemm and the memory of this rank and sends the report to rank 0. `arguments` are
/// those of `starport-mpi calibrate` on rank 0.
void measure_this_rank(const Communicator& communicator, const std::vector<std::string>& arguments);

}  // namespace starport::mpi
