// The geometric partitioning algorithm (HeteroPar'12, section 3, after Lastovetsky and Reddy 2007).
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/speed_function.hpp"

#include <cstdint>
#include <vector>

namespace starport::spmd {

/// Divides n units of work into integer shares x_1 + ... + x_p = n, one per speed function in its
/// order, with nearly equal times t_i(x_i) of the elements (nodes or devices), by the geometric
/// partitioning algorithm. The longest time equals that of the greedy algorithm that assigns one
/// unit after another to whichever element finishes it first. `speeds` gives units per second by
/// number of units. If n is 0, all shares are 0. n must not be negative and, unless n is 0, there
/// must be at least one function and each must have a point (a size with its speed); otherwise the
/// behaviour is undefined. O(p) memory.
PerWorker<std::int64_t> gpa(std::int64_t n, const PerWorker<SpeedFunction>& speeds);

}  // namespace starport::spmd
