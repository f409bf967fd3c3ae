// The links of the ranks, measured by the transfers of a real run.
#pragma once

#include "sim/kernel/node_calibration.hpp"
#include "sim/kernel/unequal.hpp"
#include "sim/mpi/chunk_series.hpp"
#include "sim/mpi/master.hpp"

#include <functional>
#include <vector>

namespace starport::mpi {

/// Squares of blocks go to each worker and back, one worker after the other and again, until each
/// link has been used for so many seconds, while nobody computes. Throws SimulationError.
LinkMeasures measure_links(const Communicator& communicator, std::int64_t q, ElementType type,
                           double seconds, const ExecutionOptions& options);

/// How long chunks are measured.
struct ChunkDuration {
  double seconds = 1;  ///< for each worker
  /// Whether what has been measured will do; `attempt` counts from 1. Where it will not, as long as
  /// in all attempts before is measured once more, up to kMostAttempts.
  std::function<bool(const LinkMeasures& measures, int attempt)> enough;
};
inline constexpr int kMostAttempts = 4;

/// The links and the computing as runs use them: each worker gets chunks of C of several sizes, up
/// to its `largest_sides`, with columns of A and rows of B for some updates each, and sends them
/// home. Messages are told by kind and size, updates by size.
LinkMeasures measure_chunks(const Communicator& communicator, std::int64_t q, ElementType type,
                            const ChunkDuration& duration, const ExecutionOptions& options,
                            const PerWorker<std::int64_t>& largest_sides);

}  // namespace starport::mpi
