// The geometric partitioning algorithm (HeteroPar'12, section 3, after Lastovetsky and Reddy 2007).
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/platform/speed_function.hpp"

#include <cstdint>
#include <vector>

namespace starport::spmd {

/// Divides n units into integer shares x_1 + ... + x_p = n with nearly equal times t_i(x_i). The
/// longest time equals that of the greedy algorithm that assigns one unit after another to
/// whichever element finishes it first. Every speed function must have a point. O(p) memory.
PerWorker<std::int64_t> gpa(std::int64_t n, const PerWorker<SpeedFunction>& speeds);

}  // namespace starport::spmd
