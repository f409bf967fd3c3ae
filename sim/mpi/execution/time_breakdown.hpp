// Explains by parts why a real run took longer or shorter than predicted.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/star/trace.hpp"

#include <vector>

namespace starport::mpi {

/// The time of the master's port for one transfer of a real run, by activity.
struct PortTime {
  double start_s = 0;    ///< start of the transfer, in seconds since the start of the run
  double packing_s = 0;  ///< packing or unpacking while no blocks were under way
  double latency_s = 0;  ///< waiting until the worker saw the order and the master its reply
  double link_s = 0;     ///< the rest, while blocks were under way

  double end_s() const { return start_s + packing_s + latency_s + link_s; }
};

/// Real minus predicted seconds of one worker, by cause. At every instant the port is in a transfer
/// or idle; summed over all workers, the first four parts are the difference of the makespans. A
/// worker computes or does not; computing_s and gaps_s add up to the difference of the ends of its
/// last update.
struct TimeDifference {
  double link_s = 0;       ///< blocks under way: the bandwidth of the link
  double latency_s = 0;    ///< starts and ends of messages
  double packing_s = 0;    ///< packing and unpacking while no blocks were under way
  double idle_s = 0;       ///< the port, idle before transfers of the worker
  double computing_s = 0;  ///< updates of the worker
  double gaps_s = 0;       ///< time of the worker before its first update and between updates
};

/// Returns the differences of all workers. `predicted` and `real` are traces of the same product;
/// `port_times` belong to the transfers of `real`, in the same order. The platform gives the
/// predicted latencies.
PerWorker<TimeDifference> explain_differences(const Platform& platform, const Trace& predicted,
                                              const Trace& real,
                                              const std::vector<PortTime>& port_times);
/// Returns the sum over all workers.
TimeDifference sum_differences(const PerWorker<TimeDifference>& differences);

}  // namespace starport::mpi
