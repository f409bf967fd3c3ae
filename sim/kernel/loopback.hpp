// Measurement of a machine's link to itself, and fitting of links to measured durations.
#pragma once

#include "sim/platform/calibration.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// Measures, in wall-clock seconds, messages of 1, 4, 16 and 64 blocks of `block_bytes` bytes each
/// (at least 1, not checked), ten times, to another thread of this process and back through a local
/// socket. Returns one series per size, as those of worker 1. Throws SimulationError when no socket
/// can be created.
std::vector<Calibration::Link> measure_loopback(std::int64_t block_bytes);

/// A link fitted to the samples of one worker: a message of b bytes takes latency_s + b /
/// bandwidth_bytes_per_s seconds.
struct FittedLink {
  /// Bandwidth of the fitted link in bytes/s; greater than 0.
  double bandwidth_bytes_per_s;
  /// Start-up time of each message in seconds; at least 0.
  double latency_s;
};
/// Fits the link of worker `worker`, numbered from 1, to the medians of its samples of both
/// directions, which are robust against outliers (Theil-Sen estimator). Requires samples of at
/// least two message sizes of that worker; otherwise the behaviour is undefined.
FittedLink fit_link(const std::vector<Calibration::Link>& links, std::int64_t worker);

/// A link fitted to means of durations, with 95% confidence intervals by bootstrap.
struct MeanLink {
  /// Bandwidth and latency fitted to all samples.
  FittedLink link;
  /// 95% confidence interval of its bandwidth, in bytes/s.
  MedianInterval bandwidth_bytes_per_s;
  /// 95% confidence interval of its latency, in seconds.
  MedianInterval latency_s;
};

/// Fits the link of worker `worker`, numbered from 1, to the means of its samples, since the total
/// time of many messages follows their mean. Requires samples of at least two message sizes of that
/// worker; otherwise the behaviour is undefined.
///
/// If messages of A and B (sent one way) were measured beside those of C and are less than half as
/// large, the fit goes through the two kinds of messages of the largest chunk (rectangle of C on a
/// worker), which are the most frequent ones: operands are sent while the worker computes, C while
/// it does not, which may be faster. Refits to 800 resampled series; the same samples give the same
/// result.
MeanLink fit_mean_link(const std::vector<Calibration::Link>& links, std::int64_t worker);

}  // namespace starport
