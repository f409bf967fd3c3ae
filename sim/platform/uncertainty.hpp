// What a calibration leaves open: by how much a worker's true times may differ from its file's.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform_file.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// A worker's true times over those of its figures lie there with 95% confidence.
struct WorkerUncertainty {
  MedianInterval transfers{1, 1};
  MedianInterval updates{1, 1};
};

/// Of each worker, as the samples of its file tell for blocks of q x q, or else of another size.
/// Empty where nothing was measured.
std::vector<WorkerUncertainty> uncertainty_of(const PlatformFile& file, std::int64_t q);

/// The noise on a platform as it may be: each worker's times of transfers and of updates are, from
/// 0 on, those of its figures times a log-normal factor. 95% of the draws lie in the interval.
Noise on_drawn_platform(const Noise& noise, const std::vector<WorkerUncertainty>& workers,
                        std::uint64_t seed, std::int64_t draw);

}  // namespace starport
