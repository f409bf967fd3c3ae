// Confidence in the ranking of algorithms on a platform whose figures were measured.
#pragma once

#include "sim/results/comparison.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// Estimates how often the ranking of the fastest algorithms (four at most) holds on `draws`
/// platforms, drawn from the confidence intervals of the measurements in the platform file. Each
/// algorithm is simulated once per draw with the analytic engine, in this process; the draws use
/// `options.noise.seed`. `algorithms` are those of `comparison`, whose records must be complete.
/// Returns nullopt when the file has no measurements, `draws` is 0, or fewer than two algorithms
/// can be simulated in this way. `draws` must not be negative. Shows progress on stderr when that
/// is a terminal.
std::optional<RankingConfidence> estimate_ranking_confidence(
    const Comparison& comparison, const std::vector<NamedAlgorithm>& algorithms,
    const RunOptions& options, std::int64_t draws);

}  // namespace starport
