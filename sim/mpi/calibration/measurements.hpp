// Measures links and workers by the messages and updates of real runs.
#pragma once

#include "sim/kernel/emulation.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/mpi/calibration/chunk_series.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/transport/worker_events.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace starport::mpi {

/// A chunk of C (a rectangle of blocks that a worker holds and updates as a whole) to be measured:
/// its size in blocks, and how often it is updated. A plain value.
struct ChunkShape {
  /// Height of the chunk of C, in blocks; at least 1.
  std::int32_t rows;
  /// Width of the chunk of C, in blocks; at least 1.
  std::int32_t columns;
  /// Number of updates of the chunk, each by `inner` columns of A and rows of B, from 2 to
  /// kUpdatesPerChunk. Must be kUpdatesPerChunk for a column of several blocks (keeps_a()), which
  /// gets them twice, then one by all these columns and rows at once.
  std::int32_t updates = kUpdatesPerChunk;
  /// Number of columns of A and rows of B of each update, from 1 to kUpdatesPerChunk. If it is
  /// greater than 1, all of them arrive in one message, which the worker awaits after each update.
  /// Must be 1 for a column of several blocks.
  std::int32_t inner = 1;

  /// Returns the number of blocks of memory for the chunk and the blocks of A and B of its updates:
  /// of two updates by one column and row, of one update by several, or of kUpdatesPerChunk if the
  /// chunk is a column of several blocks, whose blocks of A stay (keeps_a()).
  std::int64_t memory_blocks() const {
    const std::int64_t steps = keeps_a(rows, columns) ? kUpdatesPerChunk : std::max(2, inner);
    return std::int64_t{rows} * columns + steps * (std::int64_t{rows} + columns);
  }
};

/// Measurement of the durations of messages and updates of all workers at once, as real runs use
/// them: each worker receives chunks of C of several sizes, with columns of A and rows of B for
/// some updates, and sends them back. Lives on rank 0 and owns the matrices that are sent.
class ChunkMeasurement {
 public:
  /// Allocates the matrices on rank 0, with blocks of q x q elements of `type`. `largest_sides` has
  /// one element per worker: the largest side, in blocks (at least 1, not checked), of its square
  /// chunks (rectangles of C). These also have at most 24 blocks a side and 64 MB, but at least one
  /// block. Columns one block wide have up to 16 blocks, but need no more memory than the largest
  /// square. `options` is copied; `emulated` must be false and `expected_blocks` empty (not
  /// checked). The communicator must outlive the measurement. Throws SimulationError if there is
  /// not enough memory.
  ChunkMeasurement(const Communicator& communicator, std::int64_t q, ElementType type,
                   const ExecutionOptions& options, const PerWorker<std::int64_t>& largest_sides);

  /// Measures messages and updates of all workers for `seconds` of wall time, but for at least four
  /// rounds, and returns the durations of all rounds but the first two, in seconds per message and
  /// per block update. In a round, each worker gets a chunk of each size. The first round, of small
  /// chunks only, determines for which sizes and numbers of updates there is time. May be called
  /// again, which measures anew. Call it on rank 0 after Ranks::start(). Throws SimulationError if
  /// a worker fails or does not respond or a round takes longer than the time limit in the options,
  /// InputError if the path of the kernel in the options is too long. After an exception the
  /// workers still wait for orders: end them by Communicator::abort().
  LinkMeasures measure(double seconds);

 private:
  const Communicator& communicator_;
  ExecutionOptions options_;
  Platform platform_;
  /// By worker: shapes of its chunks. Where time is short, the first ones are preferred.
  std::vector<std::vector<ChunkShape>> shapes_;
  std::optional<Product> product_;
};

/// Measures the speed functions (seconds per update, C += block column of A times block row of B,
/// by matrix size) of all workers at once, with up to `max_side` x `max_side` blocks (at least 1,
/// not checked) of q x q doubles per matrix; blocks until done. `monitor` receives the workers'
/// events; `settings` and `memory_bytes` (for matrices) have one element per worker. Returns for
/// each worker, by index from 0, the points, by ascending size, whose duration increases with the
/// size; none if its memory is too small. Call it on rank 0 after Ranks::start(). Throws
/// SimulationError if a worker fails or does not respond, InputError if no worker has memory for
/// matrices A, B and C of 2 x 2 blocks each. After an exception the workers still wait: end them by
/// Communicator::abort().
PerWorker<std::vector<SpeedSample>> measure_speeds(const Communicator& communicator,
                                                   WorkerMonitor& monitor,
                                                   const PerWorker<WorkerSettings>& settings,
                                                   const std::vector<double>& memory_bytes,
                                                   std::int64_t q, std::int64_t max_side);

/// Runs on a worker while rank 0 calls measure_speeds(): measures each size that rank 0 orders and
/// replies with the result. Blocks, without a time limit, until rank 0 ends the measurement.
/// `setup` is the message of kind `measure_speed` that rank 0 has sent. Sets the threads of the
/// BLAS of the process. Throws InputError if the BLAS cannot use setup.threads threads,
/// std::bad_alloc if there is no memory for the matrices.
void measure_speed_of_this_rank(const Communicator& communicator, const Setup& setup);

}  // namespace starport::mpi
