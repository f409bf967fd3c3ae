// The messages between rank 0 and the workers of a distributed product, other than matrices. They
// are sent as bytes, since all ranks run the same program.
#pragma once

#include "sim/spmd/outer_product.hpp"

#include <cstdint>

namespace starport::mpi {

/// Sent to a worker: its part of A, B and C.
struct WorkerPart {
  spmd::Rectangle own{};        ///< its blocks, the same of each matrix
  double update_s = 0;          ///< predicted duration of its update in one iteration
  double slowest_update_s = 0;  ///< predicted duration of the slowest worker's update
};

/// Sent to a worker: consecutive iterations with the same messages.
struct WorkerStage {
  spmd::Stage stage{};
  double communication_s = 0;  ///< predicted duration of the messages of one iteration
};

/// Sent to a worker: a message that it sends or receives in every iteration of a stage.
struct WorkerHop {
  std::int64_t stage = 0;  ///< index of the stage
  int number = 0;          ///< number of the message in its iteration; part of its tag
  spmd::Hop hop{};
};

/// Sent by a worker at the end: how it spent its time, in seconds.
struct WorkerTimes {
  double communication_s = 0;
  double update_s = 0;
  double waiting_s = 0;  ///< time spent waiting for slower workers at the ends of iterations
  double makespan_s = 0;
};

}  // namespace starport::mpi
