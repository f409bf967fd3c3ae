// Upper bound on the speed of a distributed product, whatever its partition.
#pragma once

#include "sim/spmd/cluster.hpp"

#include <cstdint>

namespace starport::spmd {

/// Returns the speed of a perfectly balanced product of side x side blocks, in flop/s: all devices
/// compute for the same time T, fractions of blocks included, nobody communicates, and pieces of
/// accelerators are square. T is the smallest time in which the nodes can update side^2 blocks.
/// Throws NotApplicable if their memories are too small or a speed is unknown.
double balanced_speed_flops(const Cluster& cluster, std::int64_t side);

}  // namespace starport::spmd
