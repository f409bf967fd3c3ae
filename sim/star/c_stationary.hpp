// What keeping C in place costs: the published heuristics, at their best.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>
#include <functional>
#include <optional>

namespace starport {

/// The fewest blocks per block update of a worker with m blocks that keeps one h x v rectangle of
/// C: the least 1/h + 1/v + 2/t with h <= r, v <= s, h v + min(h, v) + 1 <= m. Infinite for m < 3.
double c_stationary_blocks_per_update(const Problem& problem, std::int64_t m_blocks);

/// The least T for which x_i >= 0 exist with sum x_i = r s t, x_i w_i <= T and sum x_i c_i b_i <=
/// T, where b_i is what blocks_per_update says, infinite for a worker that cannot take part;
/// nullopt when nobody can.
std::optional<double> traffic_bound_s(
    const Platform& platform, const Problem& problem,
    const std::function<double(const Worker&)>& blocks_per_update);

/// No schedule whose workers keep one rectangle of C at a time, and to which A and B are sent anew
/// for each, ends sooner, in seconds (sim/star/bounds/makespan_bounds.md); nullopt when nobody has
/// 3 blocks.
std::optional<double> c_stationary_bound_s(const Platform& platform, const Problem& problem);

}  // namespace starport
