// What the port's time goes to in a real run.
#pragma once

namespace starport::mpi {

/// In one transfer, from when the master turned to it until it knew it over.
struct PortTime {
  double start_s = 0;    ///< since the start of the run
  double packing_s = 0;  ///< while nothing was on its way
  double latency_s = 0;  ///< until the worker saw the order, and the master its answer
  double link_s = 0;     ///< the rest

  double end_s() const { return start_s + packing_s + latency_s + link_s; }
};

}  // namespace starport::mpi
