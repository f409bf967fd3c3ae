// Apportionment: rounding shares of a total to integers.
#pragma once

#include <cstdint>
#include <vector>

namespace starport::partition {

/// Divides `total` into integers in proportion to `weights`, each at least `minimum` (0 or more),
/// and returns them in the order of the weights. Rounds the exact shares down, then adjusts the
/// parts with the largest rounding errors by one; the lower index wins ties. O((p + p * minimum)
/// log p) for p parts. Throws InputError unless total >= p * minimum, the weights are finite and
/// not negative, and at least one is positive. `total` must not be negative.
std::vector<std::int64_t> apportion(std::int64_t total, const std::vector<double>& weights,
                                    std::int64_t minimum = 0);

}  // namespace starport::partition
