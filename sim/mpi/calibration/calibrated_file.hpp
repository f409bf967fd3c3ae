// Makes the platform file of a calibration.
#pragma once

#include "sim/mpi/calibration/calibration_figures.hpp"
#include "sim/platform/platform_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// Returns the index of the block size for all workers: the smallest one whose speed, summed over
/// the workers, is within 3 % of the highest. All nodes must have measured the same block sizes.
std::size_t best_common_block_size(const std::vector<NodeReport>& nodes);

/// Returns the bytes for blocks of each worker: workers on the same host share its memory equally.
std::vector<double> memory_per_worker(const std::vector<NodeReport>& nodes);

/// Makes the platform file from the measurements; path, name and provenance are left to the caller.
/// `best` is the index of the block size. With `speeds`, the file is for distributed products,
/// whose workers do not compute while they communicate: it gets these speed functions and the links
/// alone.
PlatformFile make_calibrated_file(const std::vector<NodeReport>& nodes, std::size_t best,
                                  const StarMeasures& measures,
                                  const std::vector<WorkerFigures>& figures,
                                  const PerWorker<std::vector<SpeedSample>>& speeds);

/// Returns the sum of the highest speeds measured of the workers, with any block size, in flop/s.
/// Returns nullopt if a worker has no samples.
std::optional<double> measured_peak_flops(const PlatformFile& file);

}  // namespace starport::mpi
