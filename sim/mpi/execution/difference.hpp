// Why a real run took another time than predicted.
#pragma once

#include "sim/mpi/execution/port_time.hpp"
#include "sim/platform/platform.hpp"
#include "sim/star/trace.hpp"

#include <vector>

namespace starport::mpi {

/// Of one worker, real minus predicted, in seconds. The port is at every instant in a transfer or
/// idle, until the last block is home: over all workers the first four add up to the difference of
/// the makespans. A worker computes or does not, until its last update has ended: the last two add
/// up to the difference of these dates.
struct Difference {
  double link_s = 0;       ///< blocks on their way: the rate of the link
  double latency_s = 0;    ///< starts of messages, and until each side saw what there was to see
  double packing_s = 0;    ///< packing and unpacking while nothing was on its way
  double idle_s = 0;       ///< the port before its transfers
  double computing_s = 0;  ///< its updates
  double gaps_s = 0;       ///< between them
};

PerWorker<Difference> explain_difference(const Platform& platform, const Trace& predicted,
                                         const Trace& real,
                                         const std::vector<PortTime>& port_times);
/// Of all workers together.
Difference sum_of(const PerWorker<Difference>& differences);

}  // namespace starport::mpi
