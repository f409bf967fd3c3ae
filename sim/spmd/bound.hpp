// What no division of the product over the nodes can beat.
#pragma once

#include "sim/spmd/cluster.hpp"

#include <cstdint>

namespace starport::spmd {

/// The sum of the speeds at the balanced point, flop/s: every device computes for the same time,
/// fractions of a block too, nobody communicates, and an accelerator's pieces are square. The time
/// of an iteration is the least T for which the sizes that the nodes can do in T reach side^2
/// blocks. Throws NotApplicable where all of them have no room for that, or unknown speeds.
double balanced_speed_flops(const Cluster& cluster, std::int64_t side);

}  // namespace starport::spmd
