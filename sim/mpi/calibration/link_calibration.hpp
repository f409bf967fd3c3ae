// The links of the ranks, measured by the transfers of a real run.
#pragma once

#include "sim/kernel/node_calibration.hpp"
#include "sim/kernel/unequal.hpp"
#include "sim/mpi/calibration/chunk_series.hpp"
#include "sim/mpi/execution/master.hpp"
#include "sim/mpi/matrices/product.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace starport::mpi {

/// Squares of blocks go to each worker and back, one worker after the other and again, until each
/// link has been used for so many seconds, while nobody computes. Throws SimulationError.
LinkMeasures measure_links(const Communicator& communicator, std::int64_t q, ElementType type,
                           double seconds, const ExecutionOptions& options);

/// How long chunks are measured.
struct ChunkDuration {
  double seconds = 1;    ///< for each worker
  int spans = 8;         ///< of which the steady ones count
  int least_rounds = 2;  ///< of chunks of all sizes, however long they take
  /// Whether what has been measured will do; `attempt` counts from 1. Where it will not, as long as
  /// in all attempts before is measured once more, up to kMostAttempts.
  std::function<bool(const LinkMeasures& measures, int attempt)> enough;
};
inline constexpr int kMostAttempts = 4;

/// Of C, in blocks.
struct ChunkShape {
  std::int32_t rows;
  std::int32_t columns;

  /// With the operands of two updates.
  std::int64_t memory_blocks() const {
    return std::int64_t{rows} * columns + 2 * (std::int64_t{rows} + columns);
  }
};

/// The links and the computing as runs use them: each worker gets chunks of C of several sizes, up
/// to its `largest_sides`, with columns of A and rows of B for some updates each, and sends them
/// home. Messages are told by kind and size, updates by size.
class ChunkMeasurement {
 public:
  ChunkMeasurement(const Communicator& communicator, std::int64_t q, ElementType type,
                   const ExecutionOptions& options, const PerWorker<std::int64_t>& largest_sides);

  LinkMeasures measure(const ChunkDuration& duration);

 private:
  const Communicator& communicator_;
  ExecutionOptions options_;
  Platform platform_;
  std::vector<std::vector<ChunkShape>> shapes_;  ///< of each worker
  std::optional<Product> product_;
};

}  // namespace starport::mpi
