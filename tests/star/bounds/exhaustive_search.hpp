// The true optimum of tiny instances, over all schedules: any blocks to any worker in any order, A
// and B dropped and sent again, C accumulated from zero, in pieces, the k of a block even split
// between workers, whose partial sums go home and out again to be added.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstddef>
#include <optional>

namespace starport::test {

/// The least makespan, in units in which all c_i and w_i are integers; additions of C blocks take
/// no time. nullopt when it is above `limit`, or more than `most_states` are met. At most 2
/// workers, r t, t s, r s at most 6 and r s t at most 12.
std::optional<int> least_makespan(const Platform& platform, const Problem& problem, int limit,
                                  std::size_t most_states);

}  // namespace starport::test
