// The link of a machine to itself.
#pragma once

#include "sim/platform/calibration.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// Messages of 1, 4, 16 and 64 blocks of that many bytes to another thread through a local socket
/// and back, ten times each, as the link of worker 1. Throws SimulationError when the system gives
/// no socket.
std::vector<Calibration::Link> measure_loopback(std::int64_t block_bytes);

/// What the samples of one worker say of its link: the time of a message of b bytes is about
/// latency + b / bandwidth.
struct FittedLink {
  double bandwidth_bytes_per_s;
  double latency_s;
};
/// By medians, which some messages that took longer leave in place.
FittedLink fit_link(const std::vector<Calibration::Link>& links, std::int64_t worker);

/// The same by means, which is what many messages add up to. Where blocks of A and B were measured
/// beside those of C, the line is that through the two kinds of messages of the largest chunk,
/// which most heuristics make: operands go while the worker computes, C when it does not, and that
/// may be faster.
struct MeanLink {
  FittedLink link;
  MedianInterval bandwidth_bytes_per_s;  ///< where it lies with 95% confidence
  MedianInterval latency_s;
};
MeanLink fit_link_by_means(const std::vector<Calibration::Link>& links, std::int64_t worker);

}  // namespace starport
