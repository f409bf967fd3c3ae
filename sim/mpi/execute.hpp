// starport-mpi execute: a schedule, or the decisions of a heuristic, for real.
#pragma once

#include "sim/mpi/communicator.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

/// The whole command on rank 0; returns the exit status. The others follow `follow`.
int execute_command(const Communicator& communicator, const std::vector<std::string>& arguments);

}  // namespace starport::mpi
