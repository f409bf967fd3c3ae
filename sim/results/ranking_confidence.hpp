// Confidence in the ranking of algorithms on a platform whose figures were measured.
#pragma once

#include "sim/results/comparison.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// Estimates how often the ranking of the fastest algorithms (four at most) holds on platforms
/// drawn from the confidence intervals of the measured figures, simulated with the analytic engine.
/// Returns nullopt when the platform file has no measurements, `draws` is 0, or fewer than two
/// algorithms can be simulated in this way.
std::optional<RankingConfidence> estimate_ranking_confidence(
    const Comparison& comparison, const std::vector<NamedAlgorithm>& algorithms,
    const RunOptions& options, std::int64_t draws);

}  // namespace starport
