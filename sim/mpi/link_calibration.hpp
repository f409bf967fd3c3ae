// The links of the ranks, measured by the transfers of a real run.
#pragma once

#include "sim/kernel/node_calibration.hpp"
#include "sim/kernel/unequal.hpp"
#include "sim/mpi/master.hpp"

#include <vector>

namespace starport::mpi {

/// What an update of a chunk of that size took, by block update.
struct UpdateSample {
  std::int64_t rows;
  std::int64_t columns;
  double seconds;

  std::int64_t blocks() const { return rows * columns; }
};

inline constexpr std::size_t kMostSamples = 40;  ///< kept of a series

struct LinkMeasures {
  std::vector<Calibration::Link> links;            ///< means over some time each
  PerWorker<std::vector<UpdateSample>> updates{};  ///< meanwhile
};

/// Squares of blocks go to each worker and back, one worker after the other and again, until each
/// link has been used for so many seconds, while nobody computes. Throws SimulationError.
LinkMeasures measure_links(const Communicator& communicator, std::int64_t q, ElementType type,
                           double seconds, const ExecutionOptions& options);

/// The links and the computing as runs use them: each worker gets chunks of C of several sizes, up
/// to its `largest_sides`, with columns of A and rows of B for some updates each, and sends them
/// home, for so many seconds for each worker. Messages are told by kind and size, updates by size.
LinkMeasures measure_chunks(const Communicator& communicator, std::int64_t q, ElementType type,
                            double seconds, const ExecutionOptions& options,
                            const PerWorker<std::int64_t>& largest_sides);

}  // namespace starport::mpi
