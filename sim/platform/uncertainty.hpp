// Uncertainty of calibrated figures: how far true durations may be from those of a platform file.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform_file.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// 95% confidence intervals of a worker's true durations over those computed from its figures;
/// {1, 1} where nothing was measured.
struct WorkerUncertainty {
  MedianInterval transfers{1, 1};
  MedianInterval updates{1, 1};
};

/// Estimates the uncertainty of each worker from the samples in its platform file, for blocks of q
/// x q elements if these were measured, else for another block size. Returns an empty vector when
/// nothing was measured.
std::vector<WorkerUncertainty> estimate_uncertainty(const PlatformFile& file, std::int64_t q);

/// Returns `noise` on a platform drawn at random from the uncertainty of its figures: the durations
/// of each worker's transfers and updates are multiplied from date 0 on by a log-normal factor, of
/// which 95% lie in the interval. The same `seed` and `draw` give the same platform.
Noise with_drawn_platform(const Noise& noise, const std::vector<WorkerUncertainty>& workers,
                          std::uint64_t seed, std::int64_t draw);

}  // namespace starport
