// Makes the platform file of a calibration.
#pragma once

#include "sim/mpi/calibration/calibration_figures.hpp"
#include "sim/platform/platform_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// Returns the index, in the list NodeReport::dgemm, of the block size for all workers: the
/// smallest one whose speed, summed over the workers, is within 3 % of the highest. `nodes` must
/// not be empty, and all must have measured the same block sizes in the same order.
std::size_t best_common_block_size(const std::vector<NodeReport>& nodes);

/// Returns the bytes of memory for blocks of each worker, in the order of `nodes`: workers with the
/// same host name share its memory equally.
std::vector<double> memory_per_worker(const std::vector<NodeReport>& nodes);

/// Makes the contents of a platform file from the measurements; writes nothing. Path, name and
/// provenance are left to the caller. `nodes`, `figures` and, unless it is empty, `speeds` have one
/// element per worker, at least one. `best` is the index of the block size
/// (best_common_block_size()). With `speeds`, the file is for distributed products, whose workers
/// do not compute while they communicate: it gets these speed functions and the links measured
/// alone. Requires updates of each worker in measures.loaded.
PlatformFile make_calibrated_file(const std::vector<NodeReport>& nodes, std::size_t best,
                                  const StarMeasures& measures,
                                  const std::vector<WorkerFigures>& figures,
                                  const PerWorker<std::vector<SpeedSample>>& speeds);

/// Returns the sum of the highest speeds of the workers in flop/s, each from the median duration of
/// the samples in the file, with any block size. Returns nullopt if a worker has no samples.
std::optional<double> measured_peak_flops(const PlatformFile& file);

}  // namespace starport::mpi
