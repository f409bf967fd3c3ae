// Upper bound on the speed of a distributed product, whatever its partition.
#pragma once

#include "sim/spmd/cluster.hpp"

#include <cstdint>

namespace starport::spmd {

/// Returns an upper bound on speed, in flop/s: that of a perfectly balanced product of side x side
/// blocks, side >= 1. All devices compute for the same time T, fractions of blocks included, nobody
/// communicates, and pieces of accelerators are square. T is the smallest time in which the nodes
/// together can update side² blocks. Throws NotApplicable if they cannot hold that many blocks,
/// because of their memories or because measured speeds end before. Does not return for side = 0.
double balanced_speed_flops(const Cluster& cluster, std::int64_t side);

}  // namespace starport::spmd
