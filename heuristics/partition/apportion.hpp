// Rounding shares of a whole to integers.
#pragma once

#include <cstdint>
#include <vector>

namespace starport::partition {

/// Integers of sum n in proportion to the weights, each `least` or more: the quotas rounded down,
/// then one more where most is missing, or one less where most is too much; the lower index on
/// ties. For few units a part, O((p + p·least) log p). Throws InputError unless n >= p·least, the
/// weights are finite and not negative, and one of them positive.
std::vector<std::int64_t> apportion(std::int64_t n, const std::vector<double>& weights,
                                    std::int64_t least = 0);

}  // namespace starport::partition
