// The links of the ranks, measured by the transfers of a real run.
#pragma once

#include "sim/kernel/node_calibration.hpp"
#include "sim/kernel/unequal.hpp"
#include "sim/mpi/master.hpp"

#include <vector>

namespace starport::mpi {

struct LinkMeasures {
  std::vector<Calibration::Link> links;          ///< means over some time each
  PerWorker<std::vector<LoadSample>> updates{};  ///< meanwhile; under load
};

/// Squares of blocks go to each worker and back, one worker after the other and again, until each
/// link has been used for so many seconds. With loads in the options, all workers compute
/// meanwhile. Throws SimulationError.
LinkMeasures measure_links(const Communicator& communicator, std::int64_t q, ElementType type,
                           double seconds, const ExecutionOptions& options);

}  // namespace starport::mpi
