// Measures links and workers by the messages and updates of real runs.
#pragma once

#include "sim/kernel/emulation.hpp"
#include "sim/kernel/node_calibration.hpp"
#include "sim/mpi/calibration/chunk_series.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/transport/worker_events.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace starport::mpi {

/// Measures each link alone, while nobody computes: squares of blocks of C go to each worker and
/// back, in turn, for `seconds` for each worker. The result has no updates. Throws SimulationError
/// if a worker fails or does not respond.
LinkMeasures measure_links(const Communicator& communicator, std::int64_t q, ElementType type,
                           double seconds, const ExecutionOptions& options);

/// The highest number of attempts of ChunkMeasurement::measure().
inline constexpr int kMaxAttempts = 4;
/// The duration and the stopping rule of a measurement of chunks.
struct ChunkMeasurementOptions {
  double seconds_per_worker = 1;  ///< least duration of the first attempt, per worker
  int spans = 8;                  ///< time spans of an attempt (ChunkSeries)
  int min_rounds = 2;             ///< least number of rounds with chunks of all sizes
  /// Returns true if the measures of all attempts so far, numbered from 1, are sufficient.
  /// Otherwise another attempt takes as long as all before, up to kMaxAttempts.
  std::function<bool(const LinkMeasures& measures, int attempt)> is_sufficient;
};

/// The size of a chunk of C, in blocks.
struct ChunkShape {
  std::int32_t rows;
  std::int32_t columns;

  /// Returns the blocks of memory for the chunk and the operands of two updates.
  std::int64_t memory_blocks() const {
    return std::int64_t{rows} * columns + 2 * (std::int64_t{rows} + columns);
  }
};

/// Measures links and updates of all workers at once, as real runs use them: each worker receives
/// chunks of C of several sizes, with columns of A and rows of B for some updates, and sends them
/// back.
class ChunkMeasurement {
 public:
  /// Allocates the matrices. Chunks of worker i have at most `largest_sides[i]` blocks a side. The
  /// communicator must outlive the measurement. Throws SimulationError if there is not enough
  /// memory.
  ChunkMeasurement(const Communicator& communicator, std::int64_t q, ElementType type,
                   const ExecutionOptions& options, const PerWorker<std::int64_t>& largest_sides);

  /// Measures until the results are sufficient or there were kMaxAttempts attempts. Throws
  /// SimulationError if a worker fails or does not respond.
  LinkMeasures measure(const ChunkMeasurementOptions& options);

 private:
  const Communicator& communicator_;
  ExecutionOptions options_;
  Platform platform_;
  std::vector<std::vector<ChunkShape>> shapes_;  ///< shapes of the chunks, by worker
  std::optional<Product> product_;
};

/// Measures the speed functions of all workers at once, for blocks of q x q elements and sides of
/// up to `max_side` blocks. To be called on rank 0. Throws SimulationError if a worker fails or
/// does not respond, InputError if the memory has no space for two blocks a side.
PerWorker<std::vector<SpeedSample>> measure_speeds(const Communicator& communicator,
                                                   WorkerMonitor& monitor,
                                                   const PerWorker<WorkerSettings>& settings,
                                                   const std::vector<double>& memory_bytes,
                                                   std::int64_t q, std::int64_t max_side);

/// Runs the part of measure_speeds() on a worker, until rank 0 ends it.
void measure_speed_of_this_rank(const Communicator& communicator, const Setup& setup);

}  // namespace starport::mpi
