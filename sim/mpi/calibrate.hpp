// starport-mpi calibrate: the platform file of the machines that the ranks run on.
#pragma once

#include "sim/mpi/communicator.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

/// The whole command on rank 0; returns the exit status.
int calibrate_ranks_command(const Communicator& communicator,
                            const std::vector<std::string>& arguments);

/// What a worker does when it is told to measure itself; the command line is that of rank 0.
void measure_this_rank(const Communicator& communicator, const std::vector<std::string>& arguments);

}  // namespace starport::mpi
