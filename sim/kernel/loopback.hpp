// Measurement of a machine's link to itself, and fitting of links to measured durations.
#pragma once

#include "sim/platform/calibration.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// Measures messages of 1, 4, 16 and 64 blocks of `block_bytes` bytes each, ten times, to another
/// thread and back through a local socket. The samples are those of worker 1. Throws
/// SimulationError when no socket can be created.
std::vector<Calibration::Link> measure_loopback(std::int64_t block_bytes);

/// A link fitted to the samples of one worker: a message of b bytes takes latency_s +
/// b / bandwidth_bytes_per_s seconds.
struct FittedLink {
  double bandwidth_bytes_per_s;
  double latency_s;
};
/// Fits the link of worker `worker`, from 1, to the medians of its samples, which are robust
/// against outliers. Needs samples of at least two message sizes.
FittedLink fit_link(const std::vector<Calibration::Link>& links, std::int64_t worker);

/// A link fitted to means of durations, with 95% confidence intervals by bootstrap.
struct MeanLink {
  FittedLink link;
  MedianInterval bandwidth_bytes_per_s;
  MedianInterval latency_s;
};

/// Fits the link of worker `worker`, from 1, to the means of its samples, since the total time of
/// many messages follows their mean. If messages of A and B were measured beside those of C, the
/// fit goes through the two kinds of messages of the largest chunk, which are the most frequent
/// ones. Operands are sent while the worker computes, C while it does not, which may be faster.
MeanLink fit_mean_link(const std::vector<Calibration::Link>& links, std::int64_t worker);

}  // namespace starport
