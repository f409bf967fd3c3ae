// Speed functions of ranks, measured on all of them at once.
#pragma once

#include "sim/kernel/node_calibration.hpp"
#include "sim/kernel/unequal.hpp"
#include "sim/mpi/transport/news.hpp"

#include <vector>

namespace starport::mpi {

/// On rank 0: the speed functions of all workers, for blocks of q x q. Throws SimulationError.
PerWorker<std::vector<SpeedSample>> measure_speeds(const Communicator& communicator, Watch& watch,
                                                   const PerWorker<WorkerSettings>& settings,
                                                   const std::vector<double>& memory_bytes,
                                                   std::int64_t q, std::int64_t most_side);

/// What a worker does meanwhile, when it is told to.
void measure_speed_of_this_rank(const Communicator& communicator, const Setup& setup);

}  // namespace starport::mpi
