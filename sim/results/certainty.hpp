// How sure a comparison is on a platform whose figures were measured.
#pragma once

#include "sim/results/comparison.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// The fastest records of the comparison once more, on so many platforms drawn from the intervals
/// of the file's figures, by the recurrence. None where nothing was measured, where there are no
/// two to compare, or where that noise is not for the platform's port.
std::optional<Certainty> certainty_of(const Comparison& comparison,
                                      const std::vector<NamedAlgorithm>& algorithms,
                                      const RunOptions& options, std::int64_t draws);

}  // namespace starport
