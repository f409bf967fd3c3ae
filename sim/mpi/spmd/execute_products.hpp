// starport-mpi execute for algorithms whose workers have the matrices before the start.
#pragma once

#include "sim/mpi/execution/execution_request.hpp"
#include "sim/mpi/transport/communicator.hpp"

namespace starport::mpi {

/// Predicts, runs, checks and reports; returns the exit status.
int execute_products(const Communicator& communicator, const ExecutionRequest& request, bool json);

}  // namespace starport::mpi
