// The platform file of what was measured.
#pragma once

#include "sim/mpi/calibration/calibration_figures.hpp"
#include "sim/platform/platform_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// Of the sums of the workers' speeds: the smallest block size within 3% of the highest. An index.
std::size_t best_common_block_size(const std::vector<NodeReport>& nodes);

/// What each worker has for its blocks, of what its machine has.
std::vector<double> memory_per_worker(const std::vector<NodeReport>& nodes);

/// `best`: the block size. With `speeds`, for distributed products: their ranks communicate while
/// none of them computes.
PlatformFile calibrated_file(const std::vector<NodeReport>& nodes, std::size_t best,
                             const StarMeasures& measures,
                             const std::vector<WorkerFigures>& figures,
                             const PerWorker<std::vector<SpeedSample>>& speeds);

/// Flops a second of all workers, each at the highest speed that was measured of it, with any size
/// of blocks; nullopt where of one nothing was.
std::optional<double> peak_flops(const PlatformFile& file);

}  // namespace starport::mpi
