// What rank 0 and the workers of a distributed product tell each other beside the matrices.
#pragma once

#include "sim/spmd/outer_product.hpp"

#include <cstdint>

namespace starport::mpi {

/// To a worker: what it has of A, B and C.
struct NodePart {
  spmd::Rectangle mine{};
  double update_s = 0;          ///< predicted, of its own update
  double slowest_update_s = 0;  ///< the same of the slowest worker
};

/// To a worker: iterations alike.
struct NodeStage {
  spmd::Stage stage{};
  double communication_s = 0;  ///< predicted, of one
};

/// To a worker: a message that it sends or receives in every iteration of a stage.
struct NodeHop {
  std::int64_t stage = 0;
  int number = 0;  ///< among all those of an iteration
  spmd::Hop hop{};
};

/// From a worker, in the end: what it did with its time.
struct NodeTimes {
  double communication_s = 0;
  double update_s = 0;
  double waiting_s = 0;  ///< for slower workers, at the ends of the iterations
  double makespan_s = 0;
};

}  // namespace starport::mpi
