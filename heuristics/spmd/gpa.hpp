// The geometric partitioning algorithm (HeteroPar'12, section 3, after Lastovetsky and Reddy 2007).
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/platform/speed_function.hpp"

#include <cstdint>
#include <vector>

namespace starport::spmd {

/// Shares x_1 + ... + x_p = n of whole units such that the times t_i(x_i) are nearly equal: the
/// longest is that of the greedy that gives one unit after another to whom it ends first. O(p)
/// memory. Every function has a point.
PerWorker<std::int64_t> gpa(std::int64_t n, const PerWorker<SpeedFunction>& speeds);

}  // namespace starport::spmd
