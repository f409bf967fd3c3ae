// Uncertainty of calibrated figures: how far true durations may be from those of a platform file.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform_file.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// Uncertainty of one worker's durations, as estimate_uncertainty() returns it: 95% confidence
/// intervals of the ratio of true durations to those computed from the speeds and bandwidths in the
/// platform file. {1, 1} where nothing, or too little for an interval, was measured.
struct WorkerUncertainty {
  /// 95% confidence interval of the true duration of transfers over the worker's link, divided by
  /// that computed from the platform file; its ends enclose 1, and it is {1, 1} if nothing, or too
  /// little for an interval, was measured.
  MedianInterval transfers{1, 1};
  /// 95% confidence interval of the true duration of the worker's block updates, divided by that
  /// computed from the platform file; its ends enclose 1, and it is {1, 1} if nothing, or too
  /// little for an interval, was measured.
  MedianInterval updates{1, 1};
};

/// Estimates the uncertainty of the durations of each worker from the measurements in its platform
/// file. Updates: the confidence interval of the largest update (most blocks of C, of any block
/// size) that has one in the worker's speed function; if none has, the durations of updates in the
/// file's samples for blocks of q x q elements or, without such, for another block size. Transfers:
/// the durations of all messages of the worker. Samples are evaluated by the model of TimeVariation
/// (drift of durations with time); fewer than four durations do not count. A measurement of the
/// first of several identical workers counts for those of them that were not measured.
///
/// Returns one element per worker, by index from 0, {1, 1} for what was not measured, or an empty
/// vector when nothing was measured for any worker.
std::vector<WorkerUncertainty> estimate_uncertainty(const PlatformFile& file, std::int64_t q);

/// Returns `noise` (random variation and slow-downs of durations) for a platform whose speeds and
/// bandwidths are drawn at random by the uncertainties `workers`: from date 0 on, the durations of
/// each worker's transfers (without latency), and those of its updates, are multiplied by a random
/// factor, which lies in their interval in `workers` with a probability of 95% and whose logarithm
/// is normal on each side of 0. The factors become slow-downs in the result; they multiply those of
/// `noise`. An interval of zero width, such as {1, 1}, changes nothing. `workers` is by index from
/// 0, with ends greater than 0 (not checked); an empty one gives `noise`. The same `seed` and
/// `draw` (number of the drawn platform, any) give the same factors.
Noise with_drawn_platform(const Noise& noise, const std::vector<WorkerUncertainty>& workers,
                          std::uint64_t seed, std::int64_t draw);

}  // namespace starport
