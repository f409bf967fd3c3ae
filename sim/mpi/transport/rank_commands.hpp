// What rank 0 does for each command; returns the exit status. The others follow `Ranks::follow`.
#pragma once

#include "sim/mpi/transport/communicator.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

/// The platform file of the machines that the ranks run on.
int calibrate_ranks_command(const Communicator& communicator,
                            const std::vector<std::string>& arguments);

/// What a worker does when it is told to measure itself; the command line is that of rank 0.
void measure_this_rank(const Communicator& communicator, const std::vector<std::string>& arguments);

/// A schedule, or the decisions of a heuristic, for real.
int execute_command(const Communicator& communicator, const std::vector<std::string>& arguments);

}  // namespace starport::mpi
