// The messages between rank 0 and the workers of a distributed product, other than matrices. They
// are sent as bytes, since all ranks run the same program.
#pragma once

#include "sim/spmd/outer_product.hpp"

#include <cstdint>

namespace starport::mpi {

/// Message to a worker that names its part of A, B and C, with predicted durations for emulated
/// runs.
struct WorkerPart {
  /// Rectangle of blocks that the worker holds, the same of each matrix; from 0.
  spmd::Rectangle own{};
  /// Predicted duration of the worker's update in one iteration, in seconds.
  double update_s = 0;
  /// Predicted duration of the slowest worker's update in one iteration, in seconds.
  double slowest_update_s = 0;
};

/// Message to a worker that describes a stage: consecutive iterations with the same messages.
struct WorkerStage {
  /// First iteration, from 0, and number of iterations.
  spmd::Stage stage{};
  /// Predicted duration of the messages of one iteration, in seconds.
  double communication_s = 0;
};

/// Message to a worker that describes one transfer of blocks between workers, which it sends or
/// receives in every iteration of a stage.
struct WorkerHop {
  /// Index of the stage, from 0.
  std::int64_t stage = 0;
  /// Number of the transfer in its iteration, from 0; part of its MPI tag.
  int number = 0;
  /// Blocks to transfer, sender and receiver (workers from 0).
  spmd::Hop hop{};
};

/// Message from a worker at the end of a product: how it spent its time. All times are wall times
/// in seconds on the worker's clock, summed over the iterations.
struct WorkerTimes {
  /// Time of the exchange of blocks with other workers.
  double communication_s = 0;
  /// Time of the updates.
  double update_s = 0;
  /// Time spent waiting for slower workers at the ends of iterations.
  double waiting_s = 0;
  /// Time from the common start of all workers to the end of the last iteration.
  double makespan_s = 0;
};

}  // namespace starport::mpi
